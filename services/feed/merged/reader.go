package merged

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/request"
)

const (
	// mostExamined is the most changes that one read looks at of those that the organisation sees, whatever it selects.
	mostExamined = 1000
	// mostPassed is the most changes of others that one read passes over. It is so large that a page does not tell how
	// many there are, and so small that a read takes about a second.
	mostPassed = 100_000
)

// Reader reads the logs of some services as one. It is safe for concurrent use.
type Reader struct {
	sources []*source
	keepers map[string]*peer.Client
}

// NewReader returns a reader of the logs of services, given in the order in which each comes after those that it calls.
func NewReader(services []string, client func(string) *peer.Client, registerer prometheus.Registerer) *Reader {
	r := &Reader{keepers: map[string]*peer.Client{policies: client(policies), contracts: client(contracts)}}
	m := newMetrics(registerer)
	for _, name := range services {
		r.sources = append(r.sources, newSource(name, client(name), m))
	}
	return r
}

// Places is where a reader is in each log, by the name of the service. A log without a place is read from its
// beginning.
type Places map[string]Place

// Place is where a reader is in a log.
type Place struct {
	// Position is one that the log returned, or empty for the oldest entry.
	Position string `json:"p,omitzero"`
	// Since is set where the reader began at an instant at which the service did not respond: entries that were
	// logged before are passed over.
	Since time.Time `json:"s,omitzero"`
}

// Page is what a read returns.
type Page struct {
	Events []beyond.FeedEvent
	// After are the places after each event, where they were asked for, and At those after the page.
	After []Places
	At    Places
	// Under says of each event because of which share it is seen: zero if the organisation owns the record, or all see
	// it. It is empty unless the places are asked for.
	Under []Under
	// Watermark is an instant that no later event is logged before. It is zero if no service responded and, where
	// organisations share the exchange, if coverage or the desk did not.
	Watermark time.Time
	// Behind are the services that did not respond.
	Behind []string
	// More says that the page ended at one of its limits, so that others may follow it by now.
	More bool
}

// errNowhere is the error of Now if no service responded.
var errNowhere = errors.New("no service returned the end of its log of changes")

// Now returns the places after all that the logs have by now. Where a service does not respond, its place is the
// instant up to which the others are known. Errors: no service responds.
func (r *Reader) Now(ctx context.Context) (Places, error) {
	ends := make([]page, len(r.sources))
	failed := make([]error, len(r.sources))
	var asking sync.WaitGroup
	for i, s := range r.sources {
		asking.Go(func() { ends[i], failed[i] = s.after(ctx, now) })
	}
	asking.Wait()
	var since time.Time
	for i, end := range ends {
		if failed[i] == nil && (since.IsZero() || end.watermark.Before(since)) {
			since = end.watermark
		}
	}
	if since.IsZero() {
		return nil, errors.Join(append(failed, errNowhere)...)
	}
	at := Places{}
	for i, s := range r.sources {
		if at[s.name] = (Place{Position: ends[i].next}); failed[i] != nil {
			at[s.name] = Place{Since: since}
		}
	}
	return at, nil
}

// Watch asks each service for its watermark, for the metrics.
func (r *Reader) Watch(ctx context.Context) {
	var asking sync.WaitGroup
	for _, s := range r.sources {
		asking.Go(func() { _, _ = s.after(ctx, now) })
	}
	asking.Wait()
}

// Read returns up to limit events after some places, of the records that the organisation of the context sees now. What
// others write changes neither its pages nor what it does while a service does not respond, so that neither tells of
// it. each says whether the page has the places after each event. Errors: *LostError, organisation.ErrNobody, that of
// the context.
func (r *Reader) Read(ctx context.Context, at Places, want Filter, limit int, each bool) (Page, error) {
	who := request.OrganisationFrom(ctx)
	if err := who.Check(); err != nil && !who.Operates() {
		return Page{}, err
	}
	m := merge{}
	for _, s := range r.sources {
		m.streams = append(m.streams, &stream{source: s, place: at[s.name]})
	}
	see := &sight{owns: who.Sees, asks: who.Name() != "", reader: r,
		asked: map[string]map[string]seen{policies: {}, contracts: {}}}
	fill := func(streams []*stream) error {
		if err := m.fill(ctx, streams); err != nil {
			return err
		}
		return see.ask(ctx, want, streams)
	}
	if err := fill(m.streams); err != nil {
		return Page{}, err
	}
	var result Page
	for examined, passed := 0, 0; ; {
		if result.More = len(result.Events) == limit || examined == mostExamined || passed == mostPassed; result.More {
			break
		}
		next, awaited := m.next()
		if len(awaited) > 0 {
			more := slices.DeleteFunc(awaited, func(s *stream) bool { return len(s.page.changes) == 0 })
			if len(more) == 0 {
				break // they have no more at present
			}
			if err := fill(more); err != nil {
				return Page{}, err
			}
			continue
		}
		if next == nil {
			break
		}
		change, early := next.take()
		if !see.sees(change) {
			passed++
			continue
		}
		examined++
		if early || !want.selects(change) {
			continue
		}
		if result.Events = append(result.Events, eventOf(change)); each {
			result.After = append(result.After, m.places())
			result.Under = append(result.Under, see.of(change))
		}
	}
	result.At, result.Watermark, result.Behind = m.places(), m.watermark(), m.missing()
	if see.asks && (slices.Contains(result.Behind, policies) || slices.Contains(result.Behind, contracts)) {
		result.Watermark = time.Time{}
	}
	m.keep()
	return result, nil
}

// merge is a read under way.
type merge struct{ streams []*stream }

// stream is the log of one service as a read meets it.
type stream struct {
	*source
	place Place
	page  page
	// used is how many changes of the page were taken, and last is the instant of the last one.
	used int
	last time.Time
	// missing is the service without which the log is not read on: its own, or the one that says what the organisation
	// sees of it; empty for none.
	missing string
}

// head returns the next change; nil if the page has no more.
func (s *stream) head() *internalapi.Change {
	if s.missing != "" || s.used == len(s.page.changes) {
		return nil
	}
	return &s.page.changes[s.used]
}

// frontier returns an instant that no later change of the log is before.
func (s *stream) frontier() time.Time {
	switch head := s.head(); {
	case head != nil:
		return head.Logged.Time()
	case s.last.After(s.page.watermark):
		return s.last
	default:
		return s.page.watermark
	}
}

// take takes the next change. passed reports whether the reader passes over it.
func (s *stream) take() (change *internalapi.Change, passed bool) {
	change = s.head()
	s.used++
	s.last = change.Logged.Time()
	passed = s.last.Before(s.place.Since)
	s.place.Position = change.Position
	if !passed {
		s.place.Since = time.Time{}
	}
	return change, passed
}

// fill reads the next page of some streams.
func (m *merge) fill(ctx context.Context, streams []*stream) error {
	failed := make([]error, len(streams))
	var reading sync.WaitGroup
	for i, s := range streams {
		reading.Go(func() { failed[i] = s.fill(ctx) })
	}
	reading.Wait()
	return errors.Join(failed...)
}

func (s *stream) fill(ctx context.Context) error {
	from := s.place.Position
	if from == "" {
		from = oldest
	}
	next, err := s.after(ctx, from)
	switch {
	case errors.Is(err, errBehind):
		s.missing = s.name
	case err != nil:
		return err
	default:
		if s.page, s.used = next, 0; len(next.changes) == 0 {
			s.place.Position = next.next
		}
	}
	return nil
}

// next returns the stream with the earliest change; nil if there is none. awaited are the streams that may have one
// before it.
func (m *merge) next() (next *stream, awaited []*stream) {
	for _, s := range m.streams {
		if head := s.head(); head != nil && (next == nil || head.Logged.Before(next.head().Logged)) {
			next = s
		}
	}
	for _, s := range m.streams {
		if s.missing == "" && s.head() == nil && (next == nil || !s.frontier().After(next.head().Logged.Time())) {
			awaited = append(awaited, s)
		}
	}
	return next, awaited
}

func (m *merge) places() Places {
	at := Places{}
	for _, s := range m.streams {
		at[s.name] = s.place
	}
	return at
}

func (m *merge) watermark() (least time.Time) {
	for _, s := range m.streams {
		if at := s.frontier(); s.missing == "" && (least.IsZero() || at.Before(least)) {
			least = at
		}
	}
	return least
}

// missing returns the services without which logs were not read on.
func (m *merge) missing() []string {
	names := []string{}
	for _, s := range m.streams {
		if s.missing != "" && !slices.Contains(names, s.missing) {
			names = append(names, s.missing)
		}
	}
	return names
}

// keep keeps what is left of the pages for the read that follows.
func (m *merge) keep() {
	for _, s := range m.streams {
		if left := len(s.page.changes) - s.used; s.missing == "" && s.used > 0 && left > 0 {
			s.rest(s.place.Position, page{s.page.changes[s.used:], s.page.next, s.page.watermark})
		}
	}
}
