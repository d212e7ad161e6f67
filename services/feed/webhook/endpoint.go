package webhook

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/services/feed/merged"
)

const (
	// Most is the most webhooks of an exchange, or of an organisation where several share one.
	Most = 32
	// mostDeliveries is how many attempts of a webhook are kept.
	mostDeliveries = 20
	// mostUsed is how many Idempotency-Keys of a webhook's actions are remembered.
	mostUsed = 16
	// rotation is how long the former secret signs too.
	rotation = 24 * time.Hour
	// gives is for how long an event is sent again before the webhook is paused.
	gives = 72 * time.Hour
)

// pauses are those before an event is sent again; the last one is repeated.
var pauses = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour}

// The collection of the webhooks, and its indexes. Each document has a slot, so that there are Most at most; one of a
// webhook that was removed has no name, and is used again.
const (
	collection = "webhook"
	nameIndex  = "name"
	slotIndex  = "slot"
)

// endpoint is a webhook as it is stored.
type endpoint struct {
	Slot  int      `json:"slot"`
	Name  string   `json:"name,omitzero"`
	URL   string   `json:"url,omitzero"`
	Types []string `json:"types,omitzero"`
	// Why says why it is paused; empty if it is not.
	Why string `json:"why,omitzero"`
	// At are the places after the last event that was delivered.
	At      merged.Places `json:"at,omitzero"`
	Secrets []secret      `json:"secrets,omitzero"`
	// Edition counts the changes by callers. Course counts those by which another event becomes the next one: the
	// outcome of an attempt that began before such a change is not noted.
	Edition int64 `json:"edition"`
	Course  int64 `json:"course"`
	// Attempts counts the failures since the last success, Failing is when the first of them was, Next when to try
	// again, and Waiting the instant of the event that is not delivered.
	Attempts   int                      `json:"attempts,omitzero"`
	Failing    time.Time                `json:"failing,omitzero"`
	Next       time.Time                `json:"next,omitzero"`
	Waiting    time.Time                `json:"waiting,omitzero"`
	Deliveries []beyond.WebhookDelivery `json:"deliveries,omitzero"`
	// Holder is the replica that delivers at present; empty for none.
	Holder string `json:"holder,omitzero"`
	// Used are the last actions that had an Idempotency-Key, newest first.
	Used []use `json:"used,omitzero"`

	at docstore.At
}

type secret struct {
	Text string `json:"text"`
	// Ends is when it no longer signs; zero for the present one.
	Ends time.Time `json:"ends,omitzero"`
}

// shown returns the webhook as its readers see it.
func (e *endpoint) shown() beyond.WebhookShown {
	s := beyond.WebhookShown{Name: e.Name, URL: e.URL, Types: slices.Clone(e.Types), State: "active", Why: e.Why,
		Attempts: e.Attempts}
	if s.Types == nil {
		s.Types = []string{}
	}
	if e.Why != "" {
		s.State = "paused"
	}
	if e.Why == "" && !e.Next.IsZero() { // one that is paused sends nothing
		s.NextAttempt = scalar.Instant(e.Next)
	}
	return s
}

// tag returns the entity tag of what callers have set.
func (e *endpoint) tag() string { return fmt.Sprintf(`"%s-%d"`, e.at.ID, e.Edition) }

// secretsAt returns the secrets that sign at an instant.
func (e *endpoint) secretsAt(now time.Time) (texts []string) {
	for _, s := range e.Secrets {
		if s.Ends.IsZero() || now.Before(s.Ends) {
			texts = append(texts, s.Text)
		}
	}
	return texts
}

// takeSecret has a secret sign from now on. The one before it goes on for some time.
func (e *endpoint) takeSecret(text string, now time.Time) {
	secrets := []secret{{Text: text}}
	if len(e.Secrets) > 0 {
		secrets = append(secrets, secret{e.Secrets[0].Text, now.Add(rotation)})
	}
	e.Secrets = secrets
}

// move has the webhook go on from other places, by whatever replica comes first.
func (e *endpoint) move(to merged.Places) {
	e.At, e.Holder = to, ""
	e.Course++
	e.succeed()
}

// note adds attempts to those that are kept, newest first.
func (e *endpoint) note(attempts ...beyond.WebhookDelivery) {
	for _, one := range attempts {
		e.Deliveries = slices.Insert(e.Deliveries, 0, one)
	}
	e.Deliveries = e.Deliveries[:min(len(e.Deliveries), mostDeliveries)]
}

// succeed notes that nothing fails.
func (e *endpoint) succeed() {
	e.Attempts, e.Failing, e.Next, e.Waiting = 0, time.Time{}, time.Time{}, time.Time{}
}

// fail notes that an event, which happened at an instant, was not accepted. It is sent again after the next pause, or
// after wait if that is longer.
func (e *endpoint) fail(now time.Time, status int, happened time.Time, wait time.Duration) {
	if e.Attempts == 0 {
		e.Failing = now
	}
	e.Attempts++
	e.Waiting = happened
	e.Next = now.Add(max(wait, pauses[min(e.Attempts, len(pauses))-1]))
	switch {
	case e.Why != "":
	case status == http.StatusGone:
		e.Why = "The receiver responded with 410."
	case now.Sub(e.Failing) >= gives:
		e.Why = fmt.Sprintf("An event was sent %d times in 72 hours, and was not accepted.", e.Attempts)
	}
}

// Open prepares the collection. It is called once, before anything else is used.
func (h *Hooks) Open(ctx context.Context, store docstore.Store) error {
	in, err := store.Collection(ctx, docstore.Spec{
		Name: collection, Unlogged: true,
		Indexes: []docstore.Index{{Name: nameIndex, Unique: true}, {Name: slotIndex, Unique: true}},
	})
	h.kept = docstore.Kept[endpoint]{In: in, What: "webhook", At: func(e *endpoint) *docstore.At { return &e.at },
		Keys: (*endpoint).keys}
	return err
}

func (e *endpoint) keys() docstore.Keys {
	keys := docstore.Keys{slotIndex: strconv.Itoa(e.Slot)}
	if e.Name != "" {
		keys[nameIndex] = e.Name
	}
	return keys
}

// find returns the webhooks with these keys. An organisation has Most of them.
func (h *Hooks) find(ctx context.Context, equal docstore.Keys) ([]*endpoint, error) {
	return h.kept.All(ctx, request.OrganisationFrom(ctx), equal)
}

// get returns the webhook with a name; nil if there is none.
func (h *Hooks) get(ctx context.Context, name string) (*endpoint, error) {
	return h.kept.One(ctx, request.OrganisationFrom(ctx), docstore.Keys{nameIndex: name})
}

// write stores a webhook in place of the version that was read, or as a new one.
func (h *Hooks) write(ctx context.Context, e *endpoint) error {
	return h.kept.Write(ctx, request.OrganisationFrom(ctx), e, nil)
}

// change changes a webhook as it is now. how may refuse, and may be called several times. Errors: errUnknown, that of
// how, those of the store.
func (h *Hooks) change(ctx context.Context, name string, how func(e *endpoint) error) (*endpoint, error) {
	var changed *endpoint
	err := docstore.Again(func() error {
		e, err := h.get(ctx, name)
		if err == nil && e == nil {
			err = errUnknown
		}
		if err == nil {
			err = how(e)
		}
		if err == nil {
			changed, err = e, h.write(ctx, e)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

var (
	// errUnknown is the error of a name that no webhook has.
	errUnknown = errors.New("no such webhook")
	// errFull is the error of a webhook for which there is no slot, and errTaken that of one that was made meanwhile.
	errFull  = errors.New("there are as many webhooks as there may be")
	errTaken = errors.New("the webhook has been made meanwhile")
)

// add stores a new webhook in a document that is free, or in a new one. Errors: errFull, errTaken, those of the store.
func (h *Hooks) add(ctx context.Context, e *endpoint) error {
	return docstore.Again(func() error {
		all, err := h.find(ctx, nil)
		if err != nil {
			return err
		}
		e.at, e.Slot = docstore.At{}, 0
		if free := slices.IndexFunc(all, func(o *endpoint) bool { return o.Name == "" }); free >= 0 {
			// The edition goes on, so that no tag of the former webhook is met.
			e.at, e.Slot, e.Edition = all[free].at, all[free].Slot, all[free].Edition+1
		} else if len(all) == Most {
			return errFull
		}
		for e.at.Version == 0 && slices.ContainsFunc(all, func(o *endpoint) bool { return o.Slot == e.Slot }) {
			e.Slot++
		}
		err = h.write(ctx, e)
		if index, taken := docstore.Duplicate(err); taken && index == nameIndex {
			return errTaken
		}
		return err
	})
}
