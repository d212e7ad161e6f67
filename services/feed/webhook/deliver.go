package webhook

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/services/feed/merged"
)

const (
	// look is how often a replica looks for events to deliver.
	look = 500 * time.Millisecond
	// silent is the number of looks after which another replica takes over a webhook whose document has not changed:
	// 20 s. A replica that delivers changes the document more often, because an attempt takes 10 s at most.
	silent = 40
	// mostSent is how many events are sent before the place is stored, and so how many are repeated after a crash.
	// storeEvery is the time after which the place is stored in any case.
	mostSent   = 20
	storeEvery = 5 * time.Second
	// mostRead is how many events are read at a time.
	mostRead = 100
)

// errLost is the error of a replica that may no longer deliver what it was delivering.
var errLost = errors.New("the webhook was changed, or another replica delivers")

// seen is what a replica remembers of a webhook between two looks.
type seen struct {
	version int64
	// looks counts those at which it was at the same version.
	looks int
	// at are places before which nothing is to be delivered, if they are known for this version.
	at merged.Places
}

// key names a webhook among those of all organisations.
type key struct{ owner, name string }

func (e *endpoint) key() key { return key{e.at.Owner, e.Name} }

// Run delivers events until its context ends.
func (h *Hooks) Run(ctx context.Context) error {
	tick := time.NewTicker(look)
	defer tick.Stop()
	var working sync.WaitGroup
	defer working.Wait()
	known := map[key]*seen{}
	var busy sync.Map
	for {
		all, err := h.find(ctx, nil)
		if err != nil && ctx.Err() == nil {
			h.log.Warn("the webhooks cannot be read", "cause", err)
		}
		there := map[key]bool{}
		for _, e := range all {
			if e.Name == "" {
				continue
			}
			there[e.key()] = true
			if _, works := busy.Load(e.key()); works {
				continue // it shows what it delivers
			}
			h.metrics.shows(e, h.self, h.now())
			s := known[e.key()]
			if s == nil || s.version != e.at.Version {
				s = &seen{version: e.at.Version}
				known[e.key()] = s
			}
			if s.looks++; e.Why != "" || h.now().Before(e.Next) || e.Holder != "" && s.looks < silent {
				continue
			}
			busy.Store(e.key(), nil)
			working.Go(func() {
				defer busy.Delete(e.key())
				owned, err := request.ForOwner(ctx, e.at.Owner)
				if err == nil {
					err = h.deliver(owned, e, s)
				}
				if err != nil && ctx.Err() == nil && !errors.Is(err, errLost) {
					h.log.Warn("events of a webhook cannot be delivered", "webhook", e.Name, "cause", err)
				}
			})
		}
		for one := range known {
			if err == nil && !there[one] {
				delete(known, one)
				h.metrics.forget(one)
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// deliver delivers what there is for a webhook, in order, until an event is not accepted.
func (h *Hooks) deliver(ctx context.Context, e *endpoint, s *seen) error {
	at := e.At
	if s.at != nil {
		at = s.at
	}
	holds := false
	for {
		page, err := h.reader.Read(ctx, at, merged.Filter{Types: e.Types}, mostRead, true)
		if lost := (*merged.LostError)(nil); errors.As(err, &lost) {
			return h.pauseLost(ctx, e, lost)
		}
		if err != nil && holds {
			err = errors.Join(err, h.finish(ctx, e, batch{at: e.At}))
		}
		if err != nil {
			return err
		}
		whole := !page.More
		if len(page.Events) == 0 && whole && !holds && e.Holder == "" {
			s.at = page.At
			return nil
		}
		if !holds {
			// The version that was read decides whether this replica delivers.
			e.Holder = h.self
			if err := h.write(ctx, e); err != nil {
				return errors.Join(errLost, err)
			}
			holds = true
		}
		if more, err := h.sendAll(ctx, e, page, whole); err != nil || !more {
			return err
		}
		at = page.At
	}
}

// pauseLost pauses a webhook whose place a log no longer has.
func (h *Hooks) pauseLost(ctx context.Context, e *endpoint, lost *merged.LostError) error {
	_, err := h.change(ctx, e.Name, func(now *endpoint) error {
		if now.Course != e.Course {
			return errLost
		}
		now.Holder = ""
		now.Why = "The database of " + lost.Service + " was restored or replaced, and the place in its log is gone. " +
			"Replay from a new cursor, then resume."
		return nil
	})
	return err
}

// sendAll sends the events of a page, until one is not accepted. last says that nothing follows the page for now. more
// reports whether the next page is to be sent.
func (h *Hooks) sendAll(ctx context.Context, e *endpoint, page merged.Page, last bool) (more bool, err error) {
	b := batch{at: e.At}
	store := time.NewTicker(storeEvery) // of the real time, by which attempts take theirs
	defer store.Stop()
	for i, event := range page.Events {
		due := len(b.sent) == mostSent
		select {
		case <-store.C:
			due = true
		default:
		}
		if due {
			if err := h.progress(ctx, e, b, false); err != nil {
				return false, err
			}
			b = batch{at: b.at}
		}
		// What a caller has changed holds from the next event on.
		now, err := h.get(ctx, e.Name)
		switch {
		case err != nil && ctx.Err() == nil:
			return false, err
		case err == nil && !e.holds(now):
			return false, errLost
		case err != nil || now.Why != "":
			return false, h.finish(ctx, e, b)
		}
		// So does what an owner has ended to share since the page was read.
		if of := page.Under[i]; of != (merged.Under{}) {
			seen, err := h.reader.Sees(ctx, of)
			if err != nil {
				return false, errors.Join(err, h.finish(ctx, e, b))
			}
			if !seen {
				b.at = page.After[i]
				continue
			}
		}
		body, err := json.Marshal(event)
		if err != nil {
			return false, err
		}
		h.metrics.delays(e.key(), h.now().Sub(event.Time.Time()))
		got := h.send(ctx, e.URL, now.secretsAt(h.now()), event.ID, body)
		if ctx.Err() != nil && !got.accepted() {
			return false, h.finish(ctx, e, b) // this process has ended the attempt, and not the receiver
		}
		b.sent = append(b.sent, got.delivery(event.ID, event.Type, h.now()))
		if !got.accepted() {
			h.metrics.fails(e.key())
			b.failed, b.happened, b.wait = true, event.Time.Time(), got.wait
			return false, h.finish(ctx, e, b)
		}
		b.at = page.After[i]
	}
	b.at = page.At
	if last {
		h.metrics.delays(e.key(), 0)
		return false, h.finish(ctx, e, b)
	}
	return true, h.progress(ctx, e, b, false)
}

// holds reports whether the replica that has read a webhook earlier still delivers.
func (e *endpoint) holds(now *endpoint) bool {
	return now != nil && now.Course == e.Course && now.Holder == e.Holder
}

// batch is what has been sent since the place was stored.
type batch struct {
	at   merged.Places
	sent []beyond.WebhookDelivery
	// failed says that the last event was not accepted, which happened at an instant, and wait for how long its
	// receiver wants to be left alone.
	failed   bool
	happened time.Time
	wait     time.Duration
}

// finish stores what has been sent, also if the process stops, and that this replica no longer delivers.
func (h *Hooks) finish(ctx context.Context, e *endpoint, b batch) error {
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeEvery)
	defer cancel()
	return h.progress(ending, e, b, true)
}

// progress stores what has been sent. last says that this replica no longer delivers.
func (h *Hooks) progress(ctx context.Context, e *endpoint, b batch, last bool) error {
	_, err := h.change(ctx, e.Name, func(now *endpoint) error {
		if !e.holds(now) {
			return errLost
		}
		now.At = b.at
		now.note(b.sent...)
		if accepted := len(b.sent); accepted > 1 || accepted == 1 && !b.failed {
			now.succeed()
		}
		if b.failed {
			now.fail(h.now(), b.sent[len(b.sent)-1].Status, b.happened, b.wait)
		}
		if last {
			now.Holder = ""
		}
		return nil
	})
	if err == nil {
		e.At = b.at
	}
	return err
}

// delivery returns what callers see of an attempt.
func (o outcome) delivery(id, kind string, at time.Time) beyond.WebhookDelivery {
	return beyond.WebhookDelivery{ID: id, Type: kind, At: scalar.Instant(at), Status: o.status, Response: o.response,
		Fault: o.fault}
}
