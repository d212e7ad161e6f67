package process_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/admission"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
)

// entrance is the handler of a process that admits a number of requests, and tells what it has read of them.
type entrance struct {
	*gin.Engine
	limiter *admission.Limiter
	// handled is the number of requests that came to the handler.
	handled atomic.Int64
	// work is done for each request that is not refused.
	work func(*http.Request)
}

func (e *entrance) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.handled.Add(1)
	e.Engine.ServeHTTP(w, r)
}

func (e *entrance) Refuse(_, path string) (route string, refused bool) {
	if !strings.HasPrefix(path, "/vehicle/") {
		return "", false
	}
	return "/vehicle/:id", e.limiter.Refuse(admission.Read)
}

func entranceOf(p *process.Process, most int) *entrance {
	e := &entrance{Engine: p.Entrance("gateway"), limiter: admission.New(admission.Config{
		Target: time.Hour, Most: most, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})}
	tell := func(c *gin.Context) {
		if e.work != nil {
			e.work(c.Request)
		}
		body, err := io.ReadAll(c.Request.Body)
		c.String(http.StatusOK, "%s %s %s %v", c.Request.Method, c.Request.URL.Path, body, err)
	}
	e.Any("/vehicle/:id", func(c *gin.Context) {
		_, place, refused := e.limiter.Begin(c.Request.Context(), admission.Read)
		if refused != nil {
			process.Refuse(c, refused)
			return
		}
		defer place.End()
		tell(c)
	})
	e.NoRoute(tell)
	return e
}

// fill takes the places of a limiter, and returns how they become free.
func (e *entrance) fill(t *testing.T) (free func()) {
	t.Helper()
	var places []*admission.Place
	for {
		_, place, refused := e.limiter.Begin(t.Context(), admission.Read)
		if refused != nil {
			return func() {
				for _, place := range places {
					place.End()
				}
			}
		}
		places = append(places, place)
	}
}

// simply returns a request that can be refused at the door.
func simply(method, path, body string) string {
	text := method + " " + path + " HTTP/1.1\r\nHost: exchange:8080\r\nAuthorization: Bearer of nothing\r\nX-Request-Id: r-7\r\n"
	if method == http.MethodPost || method == http.MethodPut {
		return text + fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	}
	return text + "\r\n"
}

var date = regexp.MustCompile(`Date: [^\r]* GMT\r\n`)

// raw sends a text and returns the response to a HEAD or to what has a problem document as it came, without the date.
func (d dialog) raw(t *testing.T, text string) string {
	t.Helper()
	if _, err := io.WriteString(d, text); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for ends := false; !ends; {
		line, err := d.in.ReadString('\n')
		if err != nil {
			t.Fatal(err, got.String())
		}
		got.WriteString(line)
		ends = line == "\r\n"
	}
	if !strings.HasPrefix(text, http.MethodHead) {
		document, err := d.in.ReadString('}')
		if err != nil {
			t.Fatal(err, got.String())
		}
		got.WriteString(document)
	}
	if !date.MatchString(got.String()) {
		t.Errorf("no date: %s", got.String())
	}
	return date.ReplaceAllString(got.String(), "")
}

// TestRefusedAtTheDoor has requests refused without the handler, and served on the same connection as soon as there
// is a place. The response is the one that the handler gives to a request that it has to read.
func TestRefusedAtTheDoor(t *testing.T) {
	var at []*entrance
	for name, dial := range dialersOf(t, func(p *process.Process) http.Handler {
		at = append(at, entranceOf(p, 1))
		return at[len(at)-1]
	}) {
		e := at[0] // of the plain process
		if name == "TLS" {
			e = at[1]
		}
		t.Run(name, func(t *testing.T) {
			d := dial(t)
			for range 3 {
				free, before := e.fill(t), e.handled.Load()
				for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodHead, http.MethodPut} {
					got := d.raw(t, simply(method, "/vehicle/7?x=%7B", `{"a":1}`))
					if e.handled.Load() != before {
						t.Fatalf("the handler is called for %s", method)
					}
					// The door lets the handler decide what another page may read.
					want := dial(t).raw(t, strings.Replace(simply(method, "/vehicle/7", `{"a":1}`), "Host", "Origin: https://a.example\r\nHost", 1))
					if before++; e.handled.Load() != before || got != want {
						t.Errorf("%s: the door responds with\n%s\nand the handler with\n%s", method, got, want)
					}
				}
				if response, text := d.exchanged(t, simply(http.MethodGet, "/elsewhere", "")); response.StatusCode != http.StatusOK {
					t.Errorf("what nothing limits gets %d %s", response.StatusCode, text)
				}
				free()
				if response, text := d.exchanged(t, simply(http.MethodPost, "/vehicle/8", "{}")); response.StatusCode != http.StatusOK || text != "POST /vehicle/8 {} <nil>" {
					t.Errorf("afterwards: %d %s", response.StatusCode, text)
				}
			}
		})
	}
}

// TestRefusalsAtTheDoorAreCounted holds that metrics and log have what they have of a refusal by the handler.
func TestRefusalsAtTheDoorAreCounted(t *testing.T) {
	p, journal := open(t, func(s *process.Settings) { s.AccessLog = true })
	e := entranceOf(p, 1)
	serving(t, p, e)
	defer e.fill(t)()
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	text := strings.Replace(simply(http.MethodGet, "/vehicle/7", ""), "Host", "traceparent: "+parent+"\r\nHost", 1)
	d := dialled(t, p)
	response, document := d.exchanged(t, text)
	wantProblem(t, response, document, problem.Overloaded, "more than it can serve")
	_, _ = d.exchanged(t, strings.Replace(text, "Host", "Origin: https://a.example\r\nHost", 1))
	if handled, refused := e.handled.Load(), e.limiter.State().Refused[admission.Read]; handled != 1 || refused != 3 { // one in filling it
		t.Errorf("the handler has %d requests, and %d are refused", handled, refused)
	}
	eventually(t, func() bool {
		_, metrics := get(t, journal.adminURL(t)+"/metrics")
		return strings.Contains(metrics, `http_request_duration_seconds_count{code="503",method="GET",route="/vehicle/{id}",service="gateway"} 2`) &&
			strings.Contains(metrics, `http_problems_total{service="gateway",type="overloaded"} 2`)
	})
	var lines []map[string]any
	for _, line := range journal.lines() {
		if line["msg"] == "request" {
			delete(line, "time")
			delete(line, "took")
			lines = append(lines, line)
		}
	}
	if len(lines) != 2 || fmt.Sprint(lines[0]) != fmt.Sprint(lines[1]) || lines[0]["request"] != "r-7" || lines[0]["trace"] != parent[3:35] {
		t.Errorf("the log has %v", lines)
	}
}

// TestDoubtfulRequestsPassTheDoor sends, while there is no place, requests in which there could be a doubt about
// where they end or what is to be done. The handler has them all; what comes after them on the connection is
// understood as it is meant.
func TestDoubtfulRequestsPassTheDoor(t *testing.T) {
	const host = " HTTP/1.1\r\nHost: exchange\r\n"
	post := "POST /vehicle/7" + host
	for what, sent := range map[string]string{
		"chunked":                    post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"two lengths":                post + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
		"no length":                  post + "\r\n",
		"a length with a sign":       post + "Content-Length: +2\r\n\r\n{}",
		"a body of a GET":            "GET /vehicle/7" + host + "Content-Length: 2\r\n\r\n{}",
		"the end announced":          "GET /vehicle/7" + host + "Connection: close\r\n\r\n",
		"an upgrade":                 "GET /vehicle/7" + host + "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
		"an expectation":             post + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.0":                   "GET /vehicle/7 HTTP/1.0\r\nHost: exchange\r\n\r\n",
		"lines ended by a line feed": "GET /vehicle/7 HTTP/1.1\nHost: exchange\n\n",
		"one line ended so":          "GET /vehicle/7" + host + "X-A: b\nContent-Length: 0\r\n\r\n",
		"a line that goes on":        "GET /vehicle/7" + host + "X-A: b\r\n c\r\n\r\n",
		"a name with a space":        "GET /vehicle/7" + host + "X-A : b\r\n\r\n",
		"a value with a NUL":         "GET /vehicle/7" + host + "X-A: \x00\r\n\r\n",
		"no host":                    "GET /vehicle/7 HTTP/1.1\r\n\r\n",
		"two hosts":                  "GET /vehicle/7" + host + "Host: other\r\n\r\n",
		"another method":             "DELETE /vehicle/7" + host + "\r\n",
		"an encoded path":            "GET /vehicle/%37" + host + "\r\n",
		"an encoded slash":           "GET /vehicle/7%2f8" + host + "\r\n",
		"a whole URL":                "GET http://exchange/vehicle/7" + host + "\r\n",
		"a path of two slashes":      "GET //vehicle/7" + host + "\r\n",
		"an empty line before":       "\r\n" + simply(http.MethodGet, "/vehicle/7", ""),
		"longer than a piece":        "GET /vehicle/7" + host + "X-A: " + strings.Repeat("a", 5000) + "\r\n\r\n",
		"a body that is longer":      simply(http.MethodPost, "/vehicle/7", strings.Repeat("a", 5000)),
	} {
		t.Run(what, func(t *testing.T) {
			p, _ := open(t, nil)
			e := entranceOf(p, 1)
			serving(t, p, e)
			free := e.fill(t)
			d := dialled(t, p)
			d.exchanged(t, simply(http.MethodGet, "/vehicle/7", ""))
			if n := e.handled.Load(); n != 0 {
				t.Fatalf("the handler has %d requests that are refused at the door", n)
			}
			response, text := d.exchanged(t, sent)
			if readable := response.StatusCode != http.StatusBadRequest; readable != (e.handled.Load() == 1) {
				t.Errorf("the door refuses it: %d %s", response.StatusCode, text)
			}
			if response.Close {
				d.wantEnd(t)
				return
			}
			free()
			if response, text := d.exchanged(t, simply(http.MethodPut, "/vehicle/8", "{}")); response.StatusCode != http.StatusOK || text != "PUT /vehicle/8 {} <nil>" {
				t.Errorf("what comes next gets %d %s", response.StatusCode, text)
			}
		})
	}
}

// TestDoorAtRest has as many requests in work as callers of an exchange at rest may send at once, each on a
// connection of its own.
func TestDoorAtRest(t *testing.T) {
	const burst = 64
	p, _ := open(t, nil)
	e := entranceOf(p, 1024)
	var all sync.WaitGroup
	all.Add(burst)
	e.work = func(*http.Request) {
		all.Done()
		all.Wait()
	}
	serving(t, p, e)
	var dialogs []dialog
	for range burst {
		d := dialled(t, p)
		d.send(t, "/vehicle/7")
		dialogs = append(dialogs, d)
	}
	for _, d := range dialogs {
		if response := d.receive(t); response.StatusCode != http.StatusOK {
			t.Fatalf("status %d", response.StatusCode)
		}
	}
}

// TestStoppingProcessAnnouncesItWithRefusals holds that a refusal tells the caller to close the connection while the
// process stops.
func TestStoppingProcessAnnouncesItWithRefusals(t *testing.T) {
	p, journal := open(t, func(s *process.Settings) { s.DrainDelay = time.Hour })
	e := entranceOf(p, 1)
	defer e.fill(t)()
	ctx, stop := context.WithCancel(t.Context())
	go func() { _ = p.Serve(ctx, e) }()
	d := dialled(t, p)
	if response := d.ask(t, "/vehicle/7"); response.StatusCode != http.StatusServiceUnavailable || response.Close {
		t.Errorf("status %d, told to close: %v", response.StatusCode, response.Close)
	}
	stop()
	eventually(t, func() bool {
		status, _ := get(t, journal.adminURL(t)+"/readyz")
		return status == http.StatusServiceUnavailable
	})
	if response := d.ask(t, "/vehicle/7"); response.StatusCode != http.StatusServiceUnavailable || !response.Close {
		t.Errorf("while it stops: status %d, told to close: %v", response.StatusCode, response.Close)
	}
}
