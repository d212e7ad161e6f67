package feed_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/servicetest/memory"
)

// receiver is what a webhook sends to. It keeps what it accepts.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	accepted []string
	attempts int
	secrets  map[string]bool
	// answer decides about an event; nil accepts all.
	answer func(id string, w http.ResponseWriter, r *http.Request) (accepts bool)
}

// receive starts a receiver on the network of the feed, which ends with the test.
func (w *world) receive() *receiver {
	w.t.Helper()
	listener, err := w.network.Listen("127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	r := &receiver{secrets: map[string]bool{}}
	r.Server = &httptest.Server{Listener: listener, Config: &http.Server{Handler: r}}
	r.Start()
	w.t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	id := request.Header.Get("Webhook-Id")
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attempts++
	if r.answer != nil && !r.answer(id, w, request) {
		return
	}
	for secret := range r.secrets {
		verify, err := standardwebhooks.NewWebhook(secret)
		if err != nil || verify.Verify(body, request.Header) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
	}
	var event struct{ ID string }
	if json.Unmarshal(body, &event) != nil || event.ID != id {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.accepted = append(r.accepted, id)
	_, _ = io.WriteString(w, "thanks")
}

// set changes the receiver.
func (r *receiver) set(how func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	how()
}

// got returns the ids of the events that were accepted, without those of tests.
func (r *receiver) got() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(slices.DeleteFunc(slices.Clone(r.accepted), func(id string) bool {
		return strings.HasPrefix(id, "test-")
	}), " ")
}

// tried returns how often something was sent.
func (r *receiver) tried() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.attempts
}

// eventually waits until a condition holds, by the clock of the bubble.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 1000 {
		if synctest.Wait(); is() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("still not: " + what)
}

const secretOfTests = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// private allows webhooks addresses of loopback.
const private = "--webhook-private-addresses"

// hooked starts the feed with a network in memory, on which receivers can be.
func hooked(t *testing.T) *world {
	t.Helper()
	return startOn(t, servicetest.OpenStore(t), &memory.Network{}, private)
}

// beside starts a further replica of the feed.
func (w *world) beside() *world {
	w.t.Helper()
	return startOn(w.t, w.store, w.network, private)
}

// put makes a webhook and returns the response.
func (w *world) put(name, to string, more string) servicetest.Response {
	w.t.Helper()
	return w.Must(http.StatusOK, http.MethodPut, "/x/webhook/"+name, `{"url":"`+to+`"`+more+`}`)
}

// shown returns a webhook.
func (w *world) shown(name string) servicetest.Response {
	w.t.Helper()
	return w.Must(http.StatusOK, http.MethodGet, "/x/webhook/"+name, "")
}

// claim adds a version of a claim to the log, at an instant that all logs are known beyond.
func (w *world) claim(version int64) {
	at := int(2000 + version)
	w.logs["claims"].add(at, "claim", "settled", "c1", version, "")
	w.watermarks(at + 10)
}

func TestAWebhookGetsEachEventSigned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hooked(t)
		r := w.receive()
		w.logs["claims"].add(1, "claim", "created", "before", 1, "")
		made := w.put("one", r.URL, "")
		secret := made.Member("secret")
		if !strings.HasPrefix(secret, "whsec_") || made.Member("state") != "active" || made.Header.Get("ETag") == "" {
			t.Fatalf("made: %s, ETag %s", made.Text, made.Header.Get("ETag"))
		}
		if r.tried() != 1 {
			t.Errorf("%d tests were sent", r.tried())
		}
		r.set(func() { r.secrets[secret] = true })
		for version := range int64(3) {
			w.claim(version + 1)
		}
		eventually(t, "three events", func() bool { return r.got() == "c1-1 c1-2 c1-3" })
		if shown := w.shown("one"); shown.Member("secret") != "" || strings.Contains(shown.Text, secret) {
			t.Errorf("the secret is shown again: %s", shown.Text)
		}
		eventually(t, "the deliveries", func() bool {
			all := w.Must(200, "GET", "/x/webhook/one/deliveries", "").Body["deliveries"].([]any)
			return len(all) == 3 && all[0].(map[string]any)["id"] == "c1-3" &&
				all[0].(map[string]any)["response"] == "thanks" && all[0].(map[string]any)["status"] == 200.0
		})
		if tested := w.Must(200, "POST", "/x/webhook/one:test", ""); tested.Body["status"] != 200.0 {
			t.Errorf("test: %s", tested.Text)
		}
		all := w.Must(200, "GET", "/x/webhook", "").Body["webhooks"].([]any)
		if len(all) != 1 || all[0].(map[string]any)["name"] != "one" {
			t.Errorf("all: %v", all)
		}
		w.Must(200, "DELETE", "/x/webhook/one", "")
		for _, gone := range [][2]string{
			{"GET", ""}, {"DELETE", ""}, {"POST", ":pause"}, {"POST", ":resume"}, {"POST", ":test"},
			{"GET", "/deliveries"},
		} {
			w.Must(404, gone[0], "/x/webhook/one"+gone[1], "")
		}
		w.Must(404, "POST", "/x/webhook/one:replay", `{"after":"now"}`)
		w.claim(4)
		w.until("", func(p page) bool { return strings.HasSuffix(p.ids(), "c1-4") })
		if got := r.got(); got != "c1-1 c1-2 c1-3" {
			t.Errorf("after it was removed: %s", got)
		}
	})
}

func TestAWebhookSelectsEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hooked(t)
		r := w.receive()
		from := w.read("now").Next
		w.logs["coverage"].add(1100, "petCoverage", "created", "p1", 1, "")
		w.logs["claims"].add(1200, "claim", "created", "c1", 1, "")
		w.logs["claims"].add(1300, "claim", "settled", "c1", 2, "")
		w.watermarks(1400)
		w.put("two", r.URL, `,"types":["exchange.claim.settled","exchange.petCoverage.*"],"from":"`+from+`"`)
		eventually(t, "two events", func() bool { return r.got() == "p1-1 c1-2" })
		w.put("two", r.URL, `,"types":["exchange.claim.created"],"from":"`+from+`"`)
		eventually(t, "the other event", func() bool { return r.got() == "p1-1 c1-2 c1-1" })
	})
}

// TestAWebhookThatFailsIsTriedAgain follows the schedule of the attempts by the clock, until the webhook is paused, and
// resumes it: nothing is lost, and the order is kept.
func TestAWebhookThatFailsIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hooked(t)
		r := w.receive()
		w.put("one", r.URL, "")
		r.set(func() {
			r.attempts = 0
			r.answer = func(_ string, w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(http.StatusInternalServerError)
				_, _ = io.WriteString(w, strings.Repeat("x", 5000))
				return false
			}
		})
		w.claim(1)
		w.claim(2)
		waits := []time.Duration{
			5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, time.Hour,
		}
		for i, wait := range waits {
			eventually(t, fmt.Sprintf("attempt %d", i+1), func() bool {
				return w.shown("one").Body["attempts"] == float64(i+1)
			})
			next := w.clock.Now().Add(wait).Format(time.RFC3339)
			if shown := w.shown("one"); shown.Member("nextAttempt") != next || r.tried() != i+1 {
				t.Fatalf("after attempt %d: %s, %d sent, want %s", i+1, shown.Text, r.tried(), next)
			}
			w.clock.Pass(wait)
		}
		d := w.Must(200, "GET", "/x/webhook/one/deliveries", "").Body["deliveries"].([]any)[0].(map[string]any)
		if d["status"] != 500.0 || len(d["response"].(string)) != 1024 {
			t.Errorf("delivery %v", d)
		}
		w.clock.Pass(72 * time.Hour)
		eventually(t, "a pause", func() bool { return w.shown("one").Member("state") == "paused" })
		sent, paused := r.tried(), w.shown("one")
		w.clock.Pass(time.Hour)
		r.set(func() { r.answer = nil })
		w.until("", func(p page) bool { return len(p.Events) == 2 })
		if r.tried() != sent || r.got() != "" {
			t.Errorf("%d were sent while it was paused, and %s arrived", r.tried()-sent, r.got())
		}
		w.Must(200, "POST", "/x/webhook/one:resume", "")
		eventually(t, "both events", func() bool { return r.got() == "c1-1 c1-2" })
		if next := paused.Member("nextAttempt"); next != "" {
			t.Errorf("a paused webhook is sent to again at %s", next)
		}
		if shown := w.shown("one"); shown.Member("why") != "" || shown.Member("state") != "active" {
			t.Errorf("after all: %s", shown.Text)
		}
	})
}

// TestAReceiverSaysHowLongItWantsToBeLeftAlone has a receiver respond with Retry-After, and looks by the exchange's
// clock when the event is sent again.
func TestAReceiverSaysHowLongItWantsToBeLeftAlone(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		says   func() string
		wait   time.Duration
	}{
		"seconds with 429": {429, func() string { return "600" }, 10 * time.Minute},
		"seconds with 503": {503, func() string { return "600" }, 10 * time.Minute},
		"an instant": {503, func() string {
			return time.Now().Add(20 * time.Minute).UTC().Format(http.TimeFormat)
		}, 20 * time.Minute},
		"more than an hour":        {503, func() string { return "7200" }, time.Hour},
		"more than a number holds": {429, func() string { return strings.Repeat("9", 30) }, time.Hour},
		"an instant in a year": {429, func() string {
			return time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat)
		}, time.Hour},
		"less than the pause": {503, func() string { return "1" }, 5 * time.Second},
		"an instant before":   {503, func() string { return "Sun, 06 Nov 1994 08:49:37 GMT" }, 5 * time.Second},
		"with another status": {500, func() string { return "600" }, 5 * time.Second},
		"below zero":          {503, func() string { return "-600" }, 5 * time.Second},
		"a fraction":          {503, func() string { return "600.5" }, 5 * time.Second},
		"words":               {503, func() string { return "soon" }, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := hooked(t)
				r := w.receive()
				w.put("one", r.URL, "")
				r.set(func() {
					r.attempts = 0
					r.answer = func(_ string, w http.ResponseWriter, _ *http.Request) bool {
						w.Header().Set("Retry-After", test.says())
						w.WriteHeader(test.status)
						return false
					}
				})
				w.claim(1)
				eventually(t, "an attempt", func() bool { return w.shown("one").Body["attempts"] == 1.0 })
				next, err := time.Parse(time.RFC3339Nano, w.shown("one").Member("nextAttempt"))
				// An instant has whole seconds, and the clock of the bubble moves on while the test waits.
				if wait := next.Sub(w.clock.Now()); err != nil || wait > test.wait || wait < test.wait-2*time.Second {
					t.Errorf("it is sent again after %s, want %s", wait, test.wait)
				}
				r.set(func() { r.answer = nil })
				w.clock.Pass(test.wait - 3*time.Second)
				time.Sleep(time.Minute) // of the machine's clock, which does not count
				if synctest.Wait(); r.tried() != 1 {
					t.Errorf("it was sent %d times before that", r.tried())
				}
				w.clock.Pass(3 * time.Second)
				eventually(t, "the event", func() bool { return r.got() == "c1-1" })
			})
		})
	}
}

// TestAReceiverThatRefuses: each of these ends an attempt, and nothing else is sent anywhere.
func TestAReceiverThatRefuses(t *testing.T) {
	for name, answer := range map[string]func(w http.ResponseWriter, elsewhere string){
		"by a redirect": func(w http.ResponseWriter, elsewhere string) {
			w.Header().Set("Location", elsewhere)
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"by closing the connection": func(w http.ResponseWriter, _ string) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_ = conn.Close()
			}
		},
		"by a response without an end": func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Length", "1000000")
			_, _ = io.WriteString(w, strings.Repeat("x", 100))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := hooked(t)
				r, other := w.receive(), w.receive()
				w.put("one", r.URL, "")
				r.set(func() {
					r.answer = func(_ string, w http.ResponseWriter, _ *http.Request) bool {
						answer(w, other.URL)
						return false
					}
				})
				w.claim(1)
				eventually(t, "an attempt", func() bool { return w.shown("one").Body["attempts"] == 1.0 })
				r.set(func() { r.answer = nil })
				w.clock.Pass(5 * time.Second)
				eventually(t, "the event", func() bool { return r.got() == "c1-1" })
				if other.tried() > 0 {
					t.Error("the redirect was followed")
				}
			})
		})
	}
}

func TestAReceiverThatIsGonePausesItsWebhook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hooked(t)
		r := w.receive()
		w.put("one", r.URL, "")
		r.set(func() {
			r.answer = func(_ string, w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(http.StatusGone)
				return false
			}
		})
		w.claim(1)
		eventually(t, "a pause", func() bool { return strings.Contains(w.shown("one").Member("why"), "410") })
	})
}

// TestASecretIsChanged: for a day both secrets sign.
func TestASecretIsChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hooked(t)
		r := w.receive()
		const next = "whsec_c2Vjb25kIHNlY3JldCBvZiB0aGUgdGVzdCE="
		r.set(func() { r.secrets[secretOfTests] = true })
		if made := w.put("one", r.URL, `,"secret":"`+secretOfTests+`"`); made.Member("secret") != "" {
			t.Errorf("the caller's own secret is shown: %s", made.Text)
		}
		r.set(func() { r.secrets[next] = true }) // it wants both
		w.put("one", r.URL, `,"secret":"`+next+`"`)
		w.claim(1)
		eventually(t, "an event with both", func() bool { return r.got() == "c1-1" })
		w.clock.Pass(25 * time.Hour)
		w.claim(2)
		eventually(t, "a refusal of one signature", func() bool { return w.shown("one").Body["attempts"] == 1.0 })
		r.set(func() { delete(r.secrets, secretOfTests) })
		w.clock.Pass(time.Minute)
		eventually(t, "an event with the new one", func() bool { return r.got() == "c1-1 c1-2" })
	})
}

func TestEventsAreReplayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hooked(t)
		r := w.receive()
		from := w.read("now").Next
		w.put("one", r.URL, "")
		w.claim(1)
		w.claim(2)
		eventually(t, "two events", func() bool { return r.got() == "c1-1 c1-2" })
		w.Must(200, "POST", "/x/webhook/one:pause", "")
		w.Must(200, "POST", "/x/webhook/one:replay", `{"after":"`+from+`"}`)
		w.claim(3)
		w.Must(200, "POST", "/x/webhook/one:resume", "")
		eventually(t, "all again", func() bool { return r.got() == "c1-1 c1-2 c1-1 c1-2 c1-3" })
		r.set(func() {
			r.answer = func(_ string, w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(http.StatusInternalServerError)
				return false
			}
		})
		w.claim(4)
		eventually(t, "a failure", func() bool { return w.shown("one").Body["attempts"] == 1.0 })
		r.set(func() { r.answer = nil })
		w.Must(200, "POST", "/x/webhook/one:replay", `{"after":"now"}`)
		w.claim(5)
		eventually(t, "what came after it was passed over", func() bool {
			return strings.HasSuffix(r.got(), "c1-3 c1-5")
		})
	})
}

// TestAnotherReplicaTakesOver stops a process while it sends, starts another one with the same store, and has a second
// one deliver at the same time.
func TestAnotherReplicaTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hooked(t)
		r := w.receive()
		w.put("one", r.URL, "")
		sent, goOn := make(chan struct{}), make(chan struct{})
		var first sync.Once
		r.set(func() {
			r.answer = func(id string, _ http.ResponseWriter, request *http.Request) bool {
				accepts := true
				first.Do(func() {
					close(sent)
					select {
					case <-goOn:
					case <-request.Context().Done():
					}
					accepts = false
				})
				return accepts
			}
		})
		for version := range int64(50) {
			w.claim(version + 1)
		}
		<-sent
		w.Stop()
		close(goOn)
		again, beside := w.beside(), w.beside()
		var want []string
		for version := range int64(50) {
			again.claim(version + 1)
			beside.claim(version + 1)
			want = append(want, fmt.Sprintf("c1-%d", version+1))
		}
		eventually(t, "all events", func() bool { return strings.HasSuffix(r.got(), "c1-50") })
		if got := r.got(); got != strings.Join(want, " ") {
			t.Errorf("events %s", got)
		}
	})
}

// TestAnotherReceiverGetsWhatWasUnderWay: an event that the former receiver accepts after the change is not taken for
// delivered.
func TestAnotherReceiverGetsWhatWasUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hooked(t)
		r, other := w.receive(), w.receive()
		w.put("one", r.URL, "")
		sent, goOn := make(chan struct{}), make(chan struct{})
		var first sync.Once
		r.set(func() {
			r.answer = func(string, http.ResponseWriter, *http.Request) bool {
				first.Do(func() { close(sent); <-goOn })
				return true
			}
		})
		w.claim(1)
		w.claim(2)
		<-sent
		w.put("one", other.URL, "")
		close(goOn)
		eventually(t, "both events", func() bool { return other.got() == "c1-1 c1-2" })
		if got := r.got(); got != "c1-1" {
			t.Errorf("the former receiver has %s", got)
		}
	})
}

// TestConditionsOfAWebhook: a change that goes by an earlier version is refused.
func TestConditionsOfAWebhook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hooked(t)
		r := w.receive()
		body := `{"url":"` + r.URL + `"}`
		w.Must(412, "PUT", "/x/webhook/one", body, "If-Match", `"x"`)
		first := w.Must(200, "PUT", "/x/webhook/one", body, "If-None-Match", "*").Header.Get("ETag")
		w.Must(412, "PUT", "/x/webhook/one", body, "If-None-Match", "*")
		second := w.Must(200, "POST", "/x/webhook/one:pause", "", "If-Match", first).Header.Get("ETag")
		if second == first || w.shown("one").Header.Get("ETag") != second {
			t.Errorf("tags %s, %s", first, second)
		}
		for _, change := range []string{":pause", ":resume"} {
			w.Must(412, "POST", "/x/webhook/one"+change, "", "If-Match", first)
		}
		w.Must(412, "POST", "/x/webhook/one:replay", `{"after":"now"}`, "If-Match", first)
		w.Must(412, "DELETE", "/x/webhook/one", "", "If-Match", first)
		w.Must(200, "DELETE", "/x/webhook/one", "", "If-Match", second)
		if third := w.put("one", r.URL, "").Header.Get("ETag"); third == first || third == second {
			t.Errorf("the tag %s is met again", third)
		}
	})
}

func TestWhatAWebhookCannotBe(t *testing.T) {
	w := start(t) // without private addresses
	r := &receiver{secrets: map[string]bool{}}
	r.Server = httptest.NewServer(r)
	defer r.Close()
	for _, url := range []string{
		"", "x", "example.com/hook", "ftp://example.com", "http://example.com/hook", "https://",
		"https://user@example.com/", "https://user:word@example.com/", "https://example.com/#",
		"https://example.com/#x",
		"https://example.com:0/", "https://example.com:65536/", "https://example.com:/", "https://example.com:-1/",
		"https://example.com/" + strings.Repeat("x", 2000), "https://127.0.0.1/", "https://10.1.2.3/",
		"https://192.168.0.1/", "https://172.16.0.1/", "https://169.254.169.254/latest", "https://0.0.0.0/",
		"https://[::1]/", "https://[::ffff:10.0.0.1]/", "https://[fe80::1]/", "https://[fd00::1]/",
		"https://224.0.0.1/",
		"https://[2002:7f00:1::]/", "https://[64:ff9b::7f00:1]/", "https://100.64.0.1/", "https://255.255.255.255/",
	} {
		got := w.Must(400, "PUT", "/x/webhook/one", `{"url":"`+url+`"}`)
		if !strings.Contains(got.Text, `"/url"`) {
			t.Errorf("%s: %s", url, got.Text)
		}
	}
	for _, wrong := range []string{
		`{"url":"https://example.com/","types":["x"]}`, `{"url":"https://example.com/","types":["exchange.x.created"]}`,
		`{"url":"https://example.com/","secret":"x"}`, `{"url":"https://example.com/","secret":"whsec_QUJD"}`,
		`{"url":"https://example.com/","from":"x"}`, `{"url":"https://example.com/","colour":"blue"}`, `{`,
		`{"url":"https://example.com/","types":[` + strings.Repeat(`"exchange.claim.*",`, 32) + `"exchange.claim.*"]}`,
	} {
		w.Must(400, "PUT", "/x/webhook/one", wrong)
	}
	for _, name := range []string{"a%20b", strings.Repeat("a", 65), "%C3%A4"} {
		w.Must(400, "PUT", "/x/webhook/"+name, `{"url":"https://example.com/"}`)
	}
	// A name can lead to any address, in whatever form: the dialer looks at what it is about to connect to.
	port := r.URL[strings.LastIndex(r.URL, ":"):]
	for _, host := range []string{"localhost", "nobody.invalid", "2130706433", "0x7f000001", "0177.0.0.1", "127.1"} {
		refused := w.Must(422, "PUT", "/x/webhook/one", `{"url":"https://`+host+port+`/"}`).Member("detail")
		// Whether there is such a name is not told.
		if !strings.Contains(refused, "was not found, or leads to an address that is not of the public internet.") {
			t.Errorf("%s: %s", host, refused)
		}
	}
	if r.tried() > 0 {
		t.Error("a private address was reached")
	}
	w.Must(404, "GET", "/x/webhook/one", "")
}

func TestThereIsABoundOnWebhooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hooked(t)
		r := w.receive()
		for i := range 32 {
			w.put(fmt.Sprint(i), r.URL, "")
		}
		w.Must(409, "PUT", "/x/webhook/x", `{"url":"`+r.URL+`"}`)
		w.put("7", r.URL+"/other", "")
		w.Must(200, "DELETE", "/x/webhook/7", "")
		w.put("x", r.URL, "")
		w.Must(409, "PUT", "/x/webhook/7", `{"url":"`+r.URL+`"}`)
		r.set(func() {
			r.answer = func(_ string, w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(http.StatusServiceUnavailable)
				return false
			}
		})
		w.Must(422, "PUT", "/x/webhook/8", `{"url":"`+r.URL+`/other"}`)
		if url := w.shown("8").Member("url"); url != r.URL {
			t.Errorf("after a refusal: %s", url)
		}
	})
}

// TestAnActionOfAWebhookIsMadeOnceForAKey repeats actions with their Idempotency-Keys after others were made.
func TestAnActionOfAWebhookIsMadeOnceForAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const keyHeader, replayed = "Idempotency-Key", "Idempotency-Replayed"
		w := hooked(t)
		r := w.receive()
		from := w.read("now").Next
		w.put("one", r.URL, `,"from":"`+from+`"`)
		w.claim(1)
		eventually(t, "an event", func() bool { return r.got() == "c1-1" })

		again := func(action, body, key string, repeats bool) servicetest.Response {
			t.Helper()
			got := w.Must(200, "POST", "/x/webhook/one:"+action, body, keyHeader, key)
			if (got.Header.Get(replayed) == "true") != repeats {
				t.Errorf(":%s with the key %s: %s %q", action, key, replayed, got.Header.Get(replayed))
			}
			return got
		}
		again("replay", `{"after":"`+from+`"}`, "k1", false)
		eventually(t, "the event again", func() bool { return r.got() == "c1-1 c1-1" })
		again("replay", `{"after":"`+from+`"}`, "k1", true)
		w.Must(422, "POST", "/x/webhook/one:replay", `{"after":"now"}`, keyHeader, "k1")

		again("pause", "", "k1", false) // a key of another operation
		again("resume", "", "k2", false)
		if got := again("pause", "", "k1", true); got.Member("state") != "active" {
			t.Errorf("paused again: %s", got.Text)
		}
		// What was sent is the event twice: no repeated action has sent it a third time.
		w.claim(2)
		eventually(t, "the next event", func() bool { return r.got() == "c1-1 c1-1 c1-2" })

		tested := again("test", "", "k3", false)
		before := r.tried()
		if got := again("test", "", "k3", true); got.Text != tested.Text || r.tried() != before {
			t.Errorf("the test again: %s in place of %s, %d attempts in place of %d",
				got.Text, tested.Text, r.tried(), before)
		}
		w.Must(400, "POST", "/x/webhook/one:test", "", keyHeader, strings.Repeat("x", 256))

		w.clock.Pass(30*24*time.Hour + time.Second)
		again("replay", `{"after":"`+from+`"}`, "k1", true)
		w.Must(410, "POST", "/x/webhook/one:replay", `{"after":"`+from+`"}`, keyHeader, "k4")
	})
}
