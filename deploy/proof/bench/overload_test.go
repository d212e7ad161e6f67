package bench

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"
	vegeta "github.com/tsenart/vegeta/v12/lib"
)

const (
	times      = 3    // how many times as much is asked for as can be served
	few        = 64   // callers by which is measured what can be served
	many       = 4000 // callers
	leastShare = 0.45 // of what can be served, to be served within mostServed
	mostServed = time.Second
)

// BenchmarkOverload measures what is served within a second when three times as much is asked for as can be
// served, over 4,000 connections. The exchange has one core and its callers another one: callers that take from
// the exchange what it needs say nothing about it.
func BenchmarkOverload(b *testing.B) {
	exchange := onACore(b)
	for _, r := range []*row{getVehicle, postVehicle, postPolicy} {
		b.Run(r.name, func(b *testing.B) { once(b, func() { overload(b, exchange, r) }) })
	}
}

// onACore starts an exchange that has one core, while this process has another one.
func onACore(b *testing.B) *side {
	b.Helper()
	self, err := procfs.Self()
	if err != nil {
		b.Fatal(err)
	}
	status, err := self.NewStatus()
	if err != nil {
		b.Fatal(err)
	}
	cores := status.CpusAllowedList
	b.Cleanup(func() { keepTo(b, cores...) })
	keepTo(b, cores[0]) // a process has the cores of the one that starts it
	exchange, _ := start(b, commands, b.TempDir())
	keepTo(b, cores[min(1, len(cores)-1)])
	exchange.book = writeBook(b, exchange, *policy)
	return exchange
}

func overload(b *testing.B, exchange *side, r *row) {
	b.Helper()
	crowd := connected(many)
	defer crowd.CloseIdleConnections()
	can := exchange.drive(r, plan{duration: max(time.Second, *length), callers: few, client: crowd})
	exchange.drive(r, plan{requests: many, callers: many, client: crowd}) // so that the connections are open
	asking := max(2*time.Second, 7**length)
	inTime, refused, served := 0, 0, []time.Duration{}
	exchange.drive(r, plan{duration: asking, rate: times * int(can.Throughput), callers: many, client: crowd,
		each: func(result *vegeta.Result) {
			switch {
			case result.Code == uint16(r.status):
				served = append(served, result.Latency)
				if result.Latency <= mostServed {
					inTime++
				}
			case result.Code == http.StatusServiceUnavailable || result.Code == http.StatusTooManyRequests:
				refused++
			}
		}})
	if len(served) == 0 {
		b.Fatal("nothing was served")
	}
	slices.Sort(served)
	memory, _ := exchange.resident(b)
	share := float64(inTime) / asking.Seconds() / can.Throughput
	b.ReportMetric(can.Throughput, "can-serve/s")
	report(b, "share-in-time", share, share >= leastShare)
	b.ReportMetric(float64(refused)/asking.Seconds(), "refused/s")
	p99 := served[len(served)*99/100]
	report(b, "served-p99-ms", 1000*p99.Seconds(), p99 <= mostServed)
	b.ReportMetric(memory, "memory-MB")
}

// keepTo has all threads of this process use some cores only.
func keepTo(tb testing.TB, cores ...uint64) {
	tb.Helper()
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint(cores), " ", ","), "[]")
	if text, err := exec.Command("taskset", "-acp", list, strconv.Itoa(os.Getpid())).CombinedOutput(); err != nil {
		tb.Fatalf("taskset: %v: %s", err, text)
	}
}
