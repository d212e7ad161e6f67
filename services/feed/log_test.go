package feed_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/servicetest/memory"
	"insurance.example/exchange/services/feed"
)

// base is the instant from which the logs of these tests count milliseconds.
var base = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// log is the log of changes of a service that the test writes.
type log struct {
	service string

	mu      sync.Mutex
	changes []internalapi.Change
	// watermark is in milliseconds after base.
	watermark int
	// down has the service respond with 503, and lacks with 404, as one that has no log. cut has it forget its places.
	down, lacks, cut bool
	// held, if set, is called once by a request for the end of the log, which it holds back after the end was read.
	held func()
	// late is how many of the changes a request for the end of the log does not know of when it looks where the end is.
	late int
	// keeper, if set, says what organisations see of what others own.
	keeper http.Handler
}

// add adds a version of a record, which was logged so many milliseconds after base.
func (l *log) add(at int, resource, what, id string, version int64, policy string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes = append(l.changes, internalapi.Change{
		Resource: resource, ID: scalar.ID(id), Version: version, Type: what, PolicyNumber: policy,
		Time:     scalar.Instant(base.Add(time.Hour)),
		Logged:   scalar.Instant(base.Add(time.Duration(at) * time.Millisecond)),
		Position: l.position(len(l.changes) + 1),
	})
}

func (l *log) set(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

func (l *log) position(n int) string { return fmt.Sprintf("%s/%d", l.service, n) }

func (l *log) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var held func()
	defer func() {
		if held != nil {
			held()
		}
	}()
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.Method == http.MethodPost {
		l.keeper.ServeHTTP(w, r)
		return
	}
	after, err := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), internalapi.ChangesPath))
	limit, errOfLimit := strconv.Atoi(r.URL.Query().Get("limit"))
	from := 0
	switch digits, is := strings.CutPrefix(after, l.service+"/"); {
	case l.down || err != nil || errOfLimit != nil:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case after == "oldest" && !l.lacks:
	case after == "now" && !l.lacks:
		from = len(l.changes) - l.late
		held, l.held = l.held, nil
	case is && !l.lacks && !l.cut:
		from, _ = strconv.Atoi(digits)
	default:
		problem.Write(w, problem.New(problem.NotFound, ""))
		return
	}
	to := min(from+limit, len(l.changes))
	page := internalapi.Changes{Changes: l.changes[from:to], Next: l.position(to)}
	page.Watermark = scalar.Instant(base.Add(time.Duration(l.watermark) * time.Millisecond))
	if to < len(l.changes) {
		page.Watermark = l.changes[to].Logged
	}
	_ = json.NewEncoder(w).Encode(page)
}

// world is the feed of logs that the test writes.
type world struct {
	*servicetest.Service
	t       *testing.T
	clock   *servicetest.Clock
	logs    map[string]*log
	store   docstore.Store
	network *memory.Network
}

func start(t *testing.T, flags ...string) *world {
	t.Helper()
	return startOn(t, nil, nil, flags...)
}

// startOn starts the feed with a store, nil for one of its own, and a network of receivers, nil for the real one. The
// feed refuses nothing because there is much in work.
func startOn(t *testing.T, store docstore.Store, network *memory.Network, flags ...string) *world {
	t.Helper()
	w := &world{
		t: t, clock: servicetest.At(t, "2026-03-01T13:00:00Z"), logs: map[string]*log{}, store: store, network: network,
	}
	service := feed.Service()
	if network != nil {
		service = feed.ServiceOver(network.Dial)
	}
	peers := map[string]http.Handler{}
	for _, logged := range internalapi.Logged() {
		w.logs[logged] = &log{service: logged, watermark: 1000}
		peers[logged] = w.logs[logged]
	}
	w.Service = servicetest.Start(t, service.Definition(), servicetest.Options{
		Peers: peers, Clock: w.clock, Flags: append(flags, "--overload-latency=0"), Store: store,
	})
	return w
}

// watermarks moves the watermarks of all logs.
func (w *world) watermarks(to int) {
	for _, l := range w.logs {
		l.set(func() { l.watermark = to })
	}
}

// page is a page of the feed.
type page struct {
	Events []struct {
		ID, Source, Type, Subject string
		Data                      struct{ PolicyNumber string }
	}
	Next      string
	Watermark time.Time
	Behind    []string
}

// ids returns the ids of the events.
func (p page) ids() string {
	var all []string
	for _, e := range p.Events {
		all = append(all, e.ID)
	}
	return strings.Join(all, " ")
}

// read returns the page after a cursor, which is empty for the oldest event.
func (w *world) read(after string, query ...string) page {
	w.t.Helper()
	var p page
	got := w.Must(http.StatusOK, http.MethodGet, path(after, query...), "")
	if err := json.Unmarshal([]byte(got.Text), &p); err != nil {
		w.t.Fatal(err)
	}
	return p
}

func path(after string, query ...string) string {
	if after != "" {
		query = append(query, "after="+url.QueryEscape(after))
	}
	return "/x/events?" + strings.Join(query, "&")
}

// until reads on until a page is as wanted, because what was nowhere a moment ago is not asked for again at once.
func (w *world) until(after string, is func(page) bool, query ...string) page {
	w.t.Helper()
	var p page
	for range 1000 {
		if p = w.read(after, query...); is(p) {
			return p
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.t.Fatalf("still %v, behind %v", p.ids(), p.Behind)
	return p
}

// TestAReaderWhoBeginsAgainReadsAll reads from the oldest event on, again and again while there are more. Some services
// never have any: what the others had at the first read is no end.
func TestAReaderWhoBeginsAgainReadsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t)
		w.logs["parties"].add(10, "personal", "created", "p1", 1, "")
		w.logs["coverage"].add(20, "vehicle", "created", "v1", 1, "")
		want := "p1-1 v1-1"
		for version := range int64(3) {
			if got := w.read("").ids(); got != want {
				t.Fatalf("the events are %s, want %s", got, want)
			}
			version += 2
			at := int(version) * 1000
			w.logs["parties"].add(at, "personal", "replaced", "p1", version, "")
			w.logs["coverage"].add(at+1, "vehicle", "replaced", "v1", version, "")
			w.watermarks(at + 500)
			want += fmt.Sprintf(" p1-%d v1-%d", version, version)
			w.until("", func(p page) bool { return p.ids() == want })
		}
	})
}
