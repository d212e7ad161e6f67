package process_test

import (
	"bufio"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"insurance.example/exchange/pkg/problem"
)

// dialledFrom returns a connection to an address from one of the addresses of this machine.
func dialledFrom(t *testing.T, host, address string) dialog {
	t.Helper()
	conn, err := dial(t.Context(), host, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return dialog{conn, bufio.NewReader(conn)}
}

// TestTheAdminAddressRefusesWithProblems sends what it does not know, and what net/http cannot read.
func TestTheAdminAddressRefusesWithProblems(t *testing.T) {
	p, _ := open(t, nil)
	serving(t, p, http.NotFoundHandler())
	for sent, want := range map[string]problem.Kind{
		simply(http.MethodGet, "/other", ""):      problem.NotFound,
		simply(http.MethodGet, "/metrics/7", ""):  problem.NotFound,
		simply(http.MethodPost, "/metrics", "{}"): problem.MethodNotAllowed,
		"nonsense\r\n\r\n":                        problem.MalformedRequest,
	} {
		response, text := dialledFrom(t, "127.0.0.1", p.AdminAddress()).exchanged(t, sent)
		wantProblem(t, response, text, want, "")
	}
	response, text := dialledFrom(t, "127.0.0.1", p.AdminAddress()).exchanged(t, simply(http.MethodGet, "/livez", ""))
	if response.StatusCode != http.StatusOK || text != "ok\n" {
		t.Errorf("livez: %d %q", response.StatusCode, text)
	}
}

// TestUnreadMetricsCostLittle has many clients ask for metrics, again and again, and read none of them.
// They take little memory, callers are served meanwhile, and the clients are cut off in the end, so that probes succeed
// again.
func TestUnreadMetricsCostLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, journal := openInMemory(t, nil)
		many := promauto.With(p.Registry).NewCounterVec(prometheus.CounterOpts{Name: "many", Help: "Many."},
			[]string{"n"})
		for n := range 5000 {
			many.WithLabelValues(strconv.Itoa(n)).Inc()
		}
		serving(t, p, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNoContent)
		}))
		ready := journal.adminURL(t) + "/readyz"
		isReady := func() bool { status, _ := get(t, ready); return status == http.StatusOK }
		eventually(t, isReady)
		before := inUse()
		ask := strings.Repeat(simply(http.MethodGet, "/metrics", ""), 100)
		var greedy []dialog
		for range 300 {
			d := dialledFrom(t, "127.0.0.2", p.AdminAddress())
			_, _ = io.WriteString(d, ask) // many are refused before it is written
			greedy = append(greedy, d)
		}
		caller := dialled(t, p)
		for range 20 {
			if response := caller.ask(t, "/"); response.StatusCode != http.StatusNoContent {
				t.Errorf("a caller gets %d", response.StatusCode)
			}
		}
		synctest.Wait()
		if grown := inUse() - before; grown > 24<<20 {
			t.Errorf("unread metrics take %d MiB", grown>>20)
		}
		for _, d := range greedy {
			eventually(t, func() bool { _, err := io.WriteString(d, " "); return err != nil })
		}
		eventually(t, isReady)
	})
}

// inUse returns how much memory is in use, in bytes.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
