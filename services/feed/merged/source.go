package merged

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/patience"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
)

const (
	// pagePatience is how long a service may take to return a page of its log before it is behind, and shortPatience
	// how long it may while the last request failed: a service that hangs does not hold up every page of the others.
	pagePatience  = 2 * time.Second
	shortPatience = 100 * time.Millisecond
	// keptPages is how many pages of a log are kept for readers who went only a part of the way, and for others who
	// read the same. Entries of a log never change.
	keptPages = 32
	// tailFor is how long nothing is asked again for where there was nothing.
	tailFor = 50 * time.Millisecond
)

// Places in a log that were not read in it, as internalapi.ChangesPath takes them.
const (
	oldest = "oldest"
	now    = "now"
)

// errBehind says that a service did not respond in time, or has no log of changes yet, as in its last release.
var errBehind = errors.New("the service did not return its log of changes")

// LostError is the refusal of a place that a log no longer has, because the database was restored or replaced.
type LostError struct{ Service string }

func (e *LostError) Error() string {
	return "the log of changes of " + e.Service + " has no such place"
}

// page is a part of a log.
type page struct {
	changes   []internalapi.Change
	next      string
	watermark time.Time
}

// source reads the log of one service for all readers of the process.
type source struct {
	name    string
	client  *peer.Client
	flights singleflight.Group
	metrics *metrics

	mu      sync.Mutex
	failing bool
	kept    map[string]page
	order   [keptPages]string
	next    int
	tails   map[string]page
}

func newSource(name string, client *peer.Client, metrics *metrics) *source {
	return &source{name: name, client: client, metrics: metrics, kept: map[string]page{}, tails: map[string]page{}}
}

// after returns the entries after a position. Errors: errBehind, *LostError, that of the context.
func (s *source) after(ctx context.Context, position string) (page, error) {
	s.mu.Lock()
	kept, is := s.kept[position]
	if !is {
		kept, is = s.tails[position]
	}
	within := patience.Times(pagePatience)
	if s.failing {
		within = patience.Times(shortPatience)
	}
	s.mu.Unlock()
	if is {
		return kept, nil
	}
	if position == now {
		s.flights.Forget(now) // what was asked before may have ended before what its reader knows of
	}
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case got := <-s.flights.DoChan(position, func() (any, error) { return s.fetch(position) }):
		return got.Val.(page), got.Err
	case <-timer.C:
		return page{}, fmt.Errorf("%w within %s", errBehind, within)
	case <-ctx.Done():
		return page{}, ctx.Err()
	}
}

// fetch asks the service, for every reader that wants the same, and so in the name of the exchange. It goes on when
// they have given up.
func (s *source) fetch(position string) (page, error) {
	ctx, cancel := context.WithTimeout(request.ForExchange(context.Background()), patience.Times(pagePatience))
	defer cancel()
	got, err := s.ask(ctx, position, rest.MaxLimit)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing = errors.Is(err, errBehind)
	switch {
	case err != nil, position == now: // the end moves, also while it is read
	case len(got.changes) > 0:
		s.keep(position, got)
	default:
		s.tails[position] = got
		time.AfterFunc(tailFor, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.tails, position)
		})
	}
	return got, err
}

// rest keeps what is left of a page for a reader who goes on after a position within it.
func (s *source) rest(position string, left page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(position, left)
}

// keep keeps a page in place of the one that was kept first.
func (s *source) keep(position string, of page) {
	if _, is := s.kept[position]; !is {
		delete(s.kept, s.order[s.next])
		s.order[s.next] = position
		s.next = (s.next + 1) % keptPages
	}
	s.kept[position] = of
}

// ask asks the service for a page. Errors: errBehind, *LostError.
func (s *source) ask(ctx context.Context, position string, limit int) (page, error) {
	got, found, err := s.get(ctx, position, limit)
	if err == nil && !found && position != oldest && position != now {
		// Either the log lacks the position, or the service has no log, as the last release.
		if _, has, problem := s.get(ctx, now, 1); has && problem == nil {
			s.metrics.sees(s.name, nil)
			return page{}, &LostError{s.name}
		}
	}
	if err == nil && !found {
		err = errors.New("it has none")
	}
	if err != nil {
		err = fmt.Errorf("%w: %s: %w", errBehind, s.name, err)
		s.metrics.sees(s.name, nil)
		return page{}, err
	}
	watermark := got.Watermark.Time()
	s.metrics.sees(s.name, &watermark)
	return page{got.Changes, got.Next, watermark}, nil
}

func (s *source) get(ctx context.Context, position string, limit int) (internalapi.Changes, bool, error) {
	return peer.Get[internalapi.Changes](ctx, s.client,
		internalapi.ChangesPath+url.PathEscape(position)+"?limit="+strconv.Itoa(limit))
}

// metrics say how far the logs are known.
type metrics struct{ watermark, behind *prometheus.GaugeVec }

func newMetrics(registerer prometheus.Registerer) *metrics {
	m := &metrics{
		watermark: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "exchange_feed_watermark_seconds",
			Help: "The instant up to which the log of a service is known, as a Unix time by the clock of its store.",
		}, []string{"of"}),
		behind: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "exchange_feed_behind", Help: "Whether a service did not return its log of changes.",
		}, []string{"of"}),
	}
	registerer.MustRegister(m.watermark, m.behind)
	return m
}

// sees notes the watermark that a service has returned, or that it returned none.
func (m *metrics) sees(service string, watermark *time.Time) {
	if watermark == nil {
		m.behind.WithLabelValues(service).Set(1)
		return
	}
	m.behind.WithLabelValues(service).Set(0)
	m.watermark.WithLabelValues(service).Set(float64(watermark.UnixMilli()) / 1000)
}
