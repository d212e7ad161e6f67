package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/procfs"
	vegeta "github.com/tsenart/vegeta/v12/lib"
	"golang.org/x/sys/unix"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/auth"
)

// side is one of the two processes that a row drives, and the book that its requests are about.
type side struct {
	base, token string
	pid         int
	admin       string // address of its metrics; "" if it has none
	whole       *trial.Exchange
	client      *http.Client
	book        *book
	calls       atomic.Uint64
	scraping    float64 // allocations that it makes to say how many it has made
}

// start starts an exchange in one process on a folder of data, with some settings more, waits until it is ready and at
// rest, and returns how long it took until it was ready.
func start(tb testing.TB, from *trial.Commands, data string, settings ...string) (*side, time.Duration) {
	tb.Helper()
	began := time.Now()
	// A request has the time that it has by default, not the time that tests give it.
	whole, err := from.RunInOne(data, append(settings, "EXCHANGE_REQUEST_TIMEOUT=15s",
		"EXCHANGE_ADMIN_ADDR=127.0.0.1:0", "EXCHANGE_LOG_FORMAT=json")...)
	trial.EndWith(tb, whole, err)
	s := &side{base: whole.Base, whole: whole, pid: whole.PID("exchange"), client: connected(callers)}
	if s.admin, err = whole.AdminAddress("exchange"); err != nil {
		tb.Fatal(err)
	}
	for !s.ready() {
		select {
		case <-tb.Context().Done():
			tb.Fatal("interrupted")
		case <-time.After(time.Millisecond):
		}
	}
	took := time.Since(began)
	s.token = s.tokenOf(tb, "bench")
	// It is ready before it has collected what only its start needed.
	before := s.cpu()
	for range 20 {
		time.Sleep(100 * time.Millisecond)
		now := s.cpu()
		if now-before < 0.002 {
			break
		}
		before = now
	}
	return s, took
}

// tokenOf returns the token of a caller.
func (s *side) tokenOf(tb testing.TB, subject string) string {
	tb.Helper()
	token, err := s.whole.Signer.Issue(auth.Grant{Subject: subject, Scopes: []string{trial.Developer, trial.Admin},
		Issuer: trial.Issuer, Audience: []string{trial.Audience}, Lifetime: time.Hour})
	if err != nil {
		tb.Fatal(err)
	}
	return token
}

// ready reports whether the process says that it can serve.
func (s *side) ready() bool {
	response, err := http.Get("http://" + s.admin + "/readyz")
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// connected returns a client that keeps so many connections. A response that is compressed would cost both sides
// more.
func connected(connections int) *http.Client {
	return &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
		MaxIdleConnsPerHost: connections, MaxIdleConns: connections, DisableCompression: true,
	}}
}

// header returns what each request has.
func (s *side) header() http.Header { return headerOf(s.token) }

func headerOf(token string) http.Header {
	return http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}}
}

// send sends a request and reads the whole response.
func (s *side) send(method, path string, body []byte) (*http.Response, []byte, error) {
	request, err := http.NewRequest(method, s.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	request.Header = s.header()
	response, err := s.client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response, text, err
}

// plan says how much is asked for: for some time or so many requests, at a rate or as fast as the callers can.
type plan struct {
	duration time.Duration
	requests uint64 // in place of the duration, if greater than 0
	rate     int    // a second; 0: each caller asks again at once
	callers  int
	client   *http.Client // nil for that of the side
	token    string       // "" for that of the side
	// each is called with every result, one after the other; nil for none.
	each func(*vegeta.Result)
}

// upTo is the pace of so many requests, each as soon as a caller is free.
type upTo uint64

func (u upTo) Pace(_ time.Duration, hits uint64) (time.Duration, bool) { return 0, hits >= uint64(u) }
func (upTo) Rate(time.Duration) float64                                { return 0 }

// drive sends the requests of a row.
func (s *side) drive(r *row, p plan) *vegeta.Metrics {
	header := headerOf(cmp.Or(p.token, s.token))
	targeter := func(t *vegeta.Target) error {
		*t = r.call(s.book, s.calls.Add(1))
		t.URL, t.Header = s.base+t.URL, header
		return nil
	}
	var pacer vegeta.Pacer = vegeta.Rate{Freq: p.rate, Per: time.Second}
	if p.requests > 0 {
		pacer = upTo(p.requests)
	}
	client := p.client
	if client == nil {
		client = s.client
	}
	attacker := vegeta.NewAttacker(vegeta.Client(client), vegeta.Workers(uint64(p.callers)),
		vegeta.MaxWorkers(uint64(p.callers)), vegeta.MaxBody(0))
	var m vegeta.Metrics
	for result := range attacker.Attack(targeter, pacer, p.duration, "") {
		if p.each != nil {
			p.each(result)
		}
		m.Add(result)
	}
	m.Close()
	return &m
}

// turn is what a side did in one turn, and used for it.
type turn struct {
	requests                  uint64
	rate, p50, p99            float64 // a second, and milliseconds
	micros, allocations, rows float64 // of a core, and of objects, for a request; seconds until the rows were right
}

// measure drives a row and returns what the side did. Each request has to be served. Receipts count until the rows
// of the bordereau have them.
func (s *side) measure(tb testing.TB, r *row, p plan) turn {
	tb.Helper()
	cpu, objects := s.cpu(), s.allocated(tb)
	m := s.drive(r, p)
	if served := m.StatusCodes[strconv.Itoa(r.status)]; uint64(served) != m.Requests || served == 0 {
		tb.Fatalf("%s: %d of %d requests were served: %v %v", r.name, served, m.Requests, m.StatusCodes, m.Errors)
	}
	t := turn{requests: m.Requests, rate: m.Throughput, p50: 1000 * m.Latencies.P50.Seconds(),
		p99: 1000 * m.Latencies.P99.Seconds()}
	scrapes := 1
	if r == postReceipt && s.admin != "" {
		began := time.Now()
		scrapes += s.awaitRows(tb)
		t.rows = time.Since(began).Seconds()
	}
	t.micros = (s.cpu() - cpu) * 1e6 / float64(m.Requests)
	t.allocations = (s.allocated(tb) - objects - float64(scrapes)*s.scraping) / float64(m.Requests)
	return t
}

// cpu returns the seconds of a core that the process has used, exact to less than a microsecond, unlike those in
// /proc.
func (s *side) cpu() float64 {
	const allThreads = 2 // CPUCLOCK_SCHED of Linux
	var at unix.Timespec
	if err := unix.ClockGettime(int32(^s.pid<<3|allThreads), &at); err != nil {
		return 0
	}
	return time.Duration(at.Nano()).Seconds()
}

// resident returns the memory of the process in MB, without the file pages that the kernel takes back when it
// needs them, and with them.
func (s *side) resident(tb testing.TB) (anonymous, all float64) {
	tb.Helper()
	of, err := procfs.NewProc(s.pid)
	if err != nil {
		tb.Fatal(err)
	}
	status, err := of.NewStatus()
	if err != nil {
		tb.Fatal(err)
	}
	return float64(status.RssAnon >> 20), float64(status.VmRSS >> 20)
}

// allocated returns how many objects the process has allocated on Go's heap; 0 if it has no metrics.
func (s *side) allocated(tb testing.TB) float64 {
	tb.Helper()
	if s.admin == "" {
		return 0
	}
	return s.metric(tb, "go_memstats_mallocs_total")
}

// calibrate measures how many allocations it costs to ask for them.
func (s *side) calibrate(tb testing.TB) {
	tb.Helper()
	const scrapes = 4
	first, last := s.allocated(tb), 0.0
	for range scrapes {
		last = s.allocated(tb)
	}
	s.scraping = (last - first) / scrapes
}

// metric returns the sum of the values of a metric whose lines have all of these labels.
func (s *side) metric(tb testing.TB, name string, labels ...string) (sum float64) {
	tb.Helper()
	family := strings.TrimSuffix(name, "_count")
	ctx, cancel := context.WithTimeout(tb.Context(), 30*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+s.admin+"/metrics?"+url.Values{"name[]": {family}}.Encode(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	response, err := s.client.Do(request)
	if err != nil {
		tb.Fatal(err)
	}
	defer response.Body.Close()
	found := false
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		series, value, _ := strings.Cut(lines.Text(), " ")
		of, labelled, _ := strings.Cut(series, "{")
		if of != name {
			continue
		}
		found = true
		matching := true
		for _, label := range labels {
			matching = matching && strings.Contains(labelled, label)
		}
		if number, err := strconv.ParseFloat(value[strings.LastIndexByte(value, ' ')+1:], 64); err == nil && matching {
			sum += number
		}
	}
	if !found {
		tb.Fatalf("there is no metric %s", name)
	}
	return sum
}

// awaitRows waits until every receipt, of at least one, has become part of its row of the bordereau. It returns
// how many times it asked for metrics. A request is counted a moment after its response.
func (s *side) awaitRows(tb testing.TB) (scrapes int) {
	tb.Helper()
	for end := time.Now().Add(2 * time.Minute); ; {
		receipts, removed := s.receipts(tb), s.metric(tb, "bus_outbox_marks_removed_total")
		scrapes += 2
		if receipts > 0 && removed >= receipts {
			return scrapes
		}
		if time.Now().After(end) {
			tb.Fatalf("rows of the bordereau lack %.0f of %.0f receipts", receipts-removed, receipts)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// receipts returns how many receipts the exchange has accepted.
func (s *side) receipts(tb testing.TB) float64 {
	tb.Helper()
	return s.metric(tb, "http_request_duration_seconds_count", `service="premium"`, `method="POST"`,
		`route="/receipt"`, `code="201"`)
}
