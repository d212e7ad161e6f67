package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

const (
	calmly      = 80   // requests of the calm caller in a second
	crowded     = 1000 // connections of the others
	leastServed = 0.99
	calmP99     = 500 * time.Millisecond
)

// BenchmarkCalm measures how a caller of 80 requests a second is served beside 1,000 connections of others, who send
// their next request as soon as they have the response to the last one: strangers without a token, and one caller who
// reads, lists or creates. The others are a process of their own.
func BenchmarkCalm(b *testing.B) {
	exchange := onACore(b)
	calm, greedy := exchange.tokenOf(b, "calm"), exchange.tokenOf(b, "greedy")
	for _, beside := range []struct {
		name, token string
		row         *row
	}{
		{"nobody", "", nil}, {"strangers", "", getVehicle}, {"reads", greedy, getVehicle},
		{"lists", greedy, listVehicles}, {"creates", greedy, postVehicle},
	} {
		b.Run(beside.name, func(b *testing.B) {
			once(b, func() {
				if beside.row != nil {
					exchange.crowd(b, beside.row, beside.token)
				}
				asking := max(2*time.Second, 30**length)
				var took []time.Duration
				sent, before := 0, exchange.requests(b)
				exchange.drive(getVehicle, plan{duration: asking, rate: calmly, callers: callers, token: calm,
					each: func(r *vegeta.Result) {
						if sent++; r.Code == http.StatusOK {
							took = append(took, r.Latency)
						}
					}})
				b.ReportMetric((exchange.requests(b)-before)/asking.Seconds(), "all/s")
				if len(took) == 0 {
					b.Fatal("nothing was served")
				}
				slices.Sort(took)
				served, p99 := float64(len(took))/float64(sent), took[len(took)*99/100]
				report(b, "served", served, served >= leastServed)
				report(b, "p99-ms", 1000*p99.Seconds(), p99 <= calmP99)
				memory, _ := exchange.resident(b)
				b.ReportMetric(memory, "memory-MB")
			})
		})
	}
}

// requests returns how many requests the exchange has responded to.
func (s *side) requests(tb testing.TB) float64 {
	tb.Helper()
	return s.metric(tb, "http_request_duration_seconds_count", `service="gateway"`)
}

// crowdCommand is the argument that makes the test binary a crowd.
const crowdCommand = "crowd"

// pressing is what a crowd does.
type pressing struct {
	Address  string
	Requests [][]byte
}

var crowdIsThere = regexp.MustCompile(`(there)`)

// crowd starts a process that sends the requests of a row until the benchmark ends.
func (s *side) crowd(b *testing.B, r *row, token string) {
	b.Helper()
	crowd := pressing{Address: strings.TrimPrefix(s.base, "http://")}
	for range crowded {
		target := r.call(s.book, s.calls.Add(1))
		request, err := http.NewRequest(target.Method, s.base+target.URL, bytes.NewReader(target.Body))
		if err != nil {
			b.Fatal(err)
		}
		if token != "" {
			request.Header = headerOf(token)
		}
		var text bytes.Buffer
		if err := request.Write(&text); err != nil {
			b.Fatal(err)
		}
		crowd.Requests = append(crowd.Requests, text.Bytes())
	}
	startItself(b, crowdCommand, crowd, crowdIsThere)
}

// pressAll has a crowd send the requests of a file, each on a connection of its own, again as soon as it has the
// response.
func pressAll(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var crowd pressing
	if err := json.Unmarshal(text, &crowd); err != nil {
		return err
	}
	ended, answered := make(chan error), make(chan bool, len(crowd.Requests))
	for _, request := range crowd.Requests {
		go func() { ended <- press(crowd.Address, request, func() { answered <- true }) }()
	}
	for range crowd.Requests {
		select {
		case <-answered:
		case err := <-ended:
			return err
		}
	}
	fmt.Println("there")
	return <-ended
}

func press(address string, request []byte, first func()) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	for in := bufio.NewReader(conn); ; first = func() {} {
		if _, err := conn.Write(request); err != nil {
			return err
		}
		response, err := http.ReadResponse(in, nil)
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			return err
		}
		first()
	}
}
