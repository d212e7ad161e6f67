package gateway_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/gateway"
	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/process"
)

// oneAtATime gives every service a limiter that admits one request, for which no other one waits long.
func oneAtATime(config *gateway.Config) {
	for name, upstream := range config.Upstreams {
		upstream.Admit = process.Admit(load.NewLimiter(load.LimiterConfig{Wait: time.Millisecond, Most: 1,
			MostWaiting: 10, Log: slog.New(slog.DiscardHandler)}))
		config.Upstreams[name] = upstream
	}
}

// TestOverloadIsRefused keeps one service as busy as it may be. What callers ask it for is then refused before the body
// is read, and strangers get what they always get. Other services and the pages are not concerned.
func TestOverloadIsRefused(t *testing.T) {
	arrived, goOn := make(chan struct{}), make(chan struct{})
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/vehicle/slow" {
			arrived <- struct{}{}
			<-goOn
		}
		reached(w, r)
	})
	overEach(t, h, func(config *gateway.Config) {
		oneAtATime(config)
		config.Pages = map[string]http.Handler{"/docs": reached}
	}, func(t *testing.T, d door) {
		ended := make(chan error)
		slow := d.request(t, "GET", "/vehicle/slow", nil)
		go func() {
			response, err := http.DefaultTransport.RoundTrip(slow)
			if err == nil {
				err = response.Body.Close()
			}
			ended <- err
		}()
		<-arrived
		body := &unread{}
		for _, request := range []*http.Request{
			d.request(t, "GET", "/vehicle/7", nil), d.request(t, "GET", "/vehicle", nil),
			d.request(t, "POST", "/motorCoverage/7:cancel", body),
		} {
			recorder := httptest.NewRecorder()
			d.handler.ServeHTTP(recorder, request)
			response, text := recorder.Result(), recorder.Body.String()
			isProblem(t, response, text, http.StatusServiceUnavailable)
			if response.Header.Get("Retry-After") == "" || !strings.Contains(text, `"/problems/overloaded"`) {
				t.Errorf("%s: %v %s", request.URL.Path, response.Header, text)
			}
		}
		stranger := d.request(t, "POST", "/motorCoverage/7:cancel", body)
		stranger.Header.Set("Authorization", "Bearer of nothing")
		recorder := httptest.NewRecorder()
		d.handler.ServeHTTP(recorder, stranger)
		isProblem(t, recorder.Result(), recorder.Body.String(), http.StatusUnauthorized)
		if body.read {
			t.Error("the body of a refused request is read")
		}
		for path, status := range map[string]int{"/claim/7": http.StatusOK, "/docs": http.StatusOK,
			"/nothing": http.StatusNotFound} {
			if response, text := do(t, d.request(t, "GET", path, nil)); response.StatusCode != status {
				t.Errorf("%s: status %d %s, want %d", path, response.StatusCode, text, status)
			}
		}
		goOn <- struct{}{}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if response, text := do(t, d.request(t, "GET", "/vehicle/7", nil)); response.StatusCode != http.StatusOK {
			t.Errorf("afterwards: status %d %s", response.StatusCode, text)
		}
	})
}

// TestFailuresLeaveTheirPlaces has requests fail in every way that the gateway knows, each in the only place that
// there is.
func TestFailuresLeaveTheirPlaces(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/vehicle/down" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if r.URL.Path == "/vehicle/cut" {
			panic(http.ErrAbortHandler)
		}
		reached(w, r)
	})
	overEach(t, h, oneAtATime, func(t *testing.T, d door) {
		anonymous := d.request(t, "GET", "/vehicle/7", nil)
		anonymous.Header.Del("Authorization")
		for _, one := range []struct {
			request *http.Request
			status  int
		}{
			{anonymous, http.StatusUnauthorized},
			{d.request(t, "POST", "/vehicle", strings.NewReader(strings.Repeat("x", largestBody+1))),
				http.StatusRequestEntityTooLarge},
			{d.request(t, "GET", "/vehicle/down", nil), http.StatusServiceUnavailable},
			{d.request(t, "GET", "/vehicle/7", nil), http.StatusOK},
		} {
			// Of a response that was cut off, there is a part or none.
			if cut, err := http.DefaultTransport.RoundTrip(d.request(t, "GET", "/vehicle/cut", nil)); err == nil {
				_ = cut.Body.Close()
			}
			response, text := do(t, one.request)
			if response.StatusCode != one.status || strings.Contains(text, "overloaded") {
				t.Errorf("%s %s: status %d %s, want %d", one.request.Method, one.request.URL.Path, response.StatusCode,
					text, one.status)
			}
		}
	})
}

// TestStrangersAreBoundedApart has one stranger's token be verified for as long as the test wants. Another stranger is
// refused, and callers whose tokens are known are served.
func TestStrangersAreBoundedApart(t *testing.T) {
	strangers := load.NewLimiter(load.LimiterConfig{Wait: time.Millisecond, Most: 1, MostWaiting: 10,
		Log: slog.New(slog.DiscardHandler)})
	d := open(t, within(reached), func(config *gateway.Config) { config.Meet = process.Meet(strangers) })
	known := d.request(t, "GET", "/vehicle/7", nil)
	ask := func(token string, status int) {
		t.Helper()
		request := d.request(t, "GET", "/vehicle/7", nil)
		request.Header.Set("Authorization", token)
		if response, text := do(t, request); response.StatusCode != status {
			t.Errorf("status %d %s, want %d", response.StatusCode, text, status)
		}
	}
	token := known.Header.Get("Authorization")
	ask(token, http.StatusOK)
	ask("Bearer of nothing", http.StatusUnauthorized)
	verified, _ := strangers.Begin(t.Context(), load.Caller{Account: "an address"})
	ask("Bearer of nothing", http.StatusServiceUnavailable)
	ask(d.requestOf(t, "bo", "/vehicle/7").Header.Get("Authorization"), http.StatusServiceUnavailable)
	ask(token, http.StatusOK)
	verified.End()
	ask("Bearer of nothing", http.StatusUnauthorized)
	if inWork := strangers.InWork(); inWork != 0 {
		t.Errorf("%d are in work after the end", inWork)
	}
}

// unread is a body that nobody is to read.
type unread struct{ read bool }

func (u *unread) Read([]byte) (int, error) {
	u.read = true
	return 0, errors.New("the body is not to be read")
}
