package rest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"

	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/problem"
)

// bounded gives the server a budget, and each request an account in the name of w.caller.
func (w *world) bounded(bytes int64) *load.Budget {
	b := load.NewBudget(bytes, nil)
	w.behind(b, func(r *http.Request) string { return w.caller.Account() }, nil)
	return b
}

// behind puts the server behind the door of a budget. caller returns the caller of a request. The context of each
// request is what change returns, if it is not nil. A panic ends a request as in a process: after what it has taken was
// given back.
func (w *world) behind(
	b *load.Budget, caller func(*http.Request) string, change func(context.Context) context.Context,
) {
	engine, inner := gin.New(), w.handler
	engine.NoRoute(func(c *gin.Context) {
		defer func() { _ = recover() }()
		if change != nil {
			c.Request = c.Request.WithContext(change(c.Request.Context()))
		}
		defer load.Door{Budget: b}.Enter(c)()
		if err := request.Charge(c.Request.Context(), caller(c.Request)); err != nil {
			w.t.Error(err)
		}
		c.Status(http.StatusOK) // the router has set 404
		inner.ServeHTTP(c.Writer, c.Request)
	})
	w.handler = engine
}

// busy takes bytes in the name of a caller until it is called.
func busy(t *testing.T, b *load.Budget, caller string, bytes int) (end func()) {
	t.Helper()
	c := gin.CreateTestContextOnly(httptest.NewRecorder(), gin.New())
	c.Request = httptest.NewRequest(http.MethodGet, "/", nil)
	end = load.Door{Budget: b}.Enter(c)
	ctx := c.Request.Context()
	if err := errors.Join(request.Charge(ctx, caller), docstore.Take(ctx, bytes)); err != nil {
		t.Fatal(err)
	}
	return end
}

func TestWhatDoesNotFitTheBudgetIsRefused(t *testing.T) {
	w := start(t, nil)
	large := w.body(`"more":` + list(20))
	path := "/parcel/" + w.do(201, "POST", "/parcel", large).text("id")
	w.do(200, "PUT", path, large)
	small := w.body("")
	const total = 1 << 20
	b := w.bounded(total)
	end := busy(t, b, "bo", total-128<<10)
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/parcel", large}, {"PUT", path, large}, {"PUT", path, small},
		{"POST", path + ":amend", `{"weight":1}`}, {"POST", path + ":deliver", signed},
	} {
		r := w.do(503, c.method, c.path, c.body)
		w.wants(r, problem.Overloaded)
		if r.Header().Get("Retry-After") == "" {
			t.Errorf("%s %s: no Retry-After", c.method, c.path)
		}
	}
	w.do(200, "GET", path, "")
	w.do(201, "POST", "/parcel", small)
	end()
	end = busy(t, b, "bo", total-32<<10)
	for _, path := range []string{path, "/parcel", "/x/asof" + path + "?at=2026-03-01T12:00:00Z"} {
		w.wants(w.do(503, "GET", path, ""), problem.Overloaded)
	}
	end()
	end = busy(t, b, w.caller.Account(), total/2-32<<10)
	w.wants(w.do(429, "POST", "/parcel", large), problem.ShareUsedUp)
	end()
	if r := w.do(200, "GET", path, ""); r.Header().Get("ETag") != `"2"` {
		t.Errorf("a request that was refused has changed the record: %v", r.Header())
	}
	w.do(201, "POST", "/parcel", large)
	w.do(200, "PUT", path, large)
	if b.Used() != 0 {
		t.Errorf("%d bytes are left in work", b.Used())
	}
}

// untouched is a body that fails the test if it is read.
type untouched struct{ t *testing.T }

func (u untouched) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// TestABodyThatDoesNotFitIsNotRead checks that a declared length is enough to refuse a body, and that the body takes no
// memory of others.
func TestABodyThatDoesNotFitIsNotRead(t *testing.T) {
	w := start(t, nil)
	b := w.bounded(1 << 20)
	defer busy(t, b, "bo", 512<<10)()
	req := httptest.NewRequest(http.MethodPost, "/parcel", untouched{t})
	req.ContentLength = 100 << 10
	req.Header.Set("Content-Type", "application/json")
	r := httptest.NewRecorder()
	w.handler.ServeHTTP(r, req)
	if r.Code != http.StatusServiceUnavailable || !strings.Contains(r.Body.String(), "/problems/overloaded") {
		t.Errorf("status %d: %s", r.Code, r.Body)
	}
}

// slow is a body that sends its rest on demand.
type slow struct {
	first io.Reader
	wait  <-chan struct{}
}

func (s *slow) Read(p []byte) (int, error) {
	n, err := s.first.Read(p)
	if err == io.EOF {
		<-s.wait
	}
	return n, err
}

// TestABodyThatHasNotComeTakesLittle checks that a declared body takes no memory of others before it arrives.
func TestABodyThatHasNotComeTakesLittle(t *testing.T) {
	w := start(t, nil)
	b := w.bounded(64 << 20)
	wait, done := make(chan struct{}), make(chan int)
	begun := &slow{strings.NewReader(`{"weight":`), wait}
	go func() {
		req := httptest.NewRequest(http.MethodPost, "/parcel", begun)
		req.ContentLength = 1 << 20
		req.Header.Set("Content-Type", "application/json")
		r := httptest.NewRecorder()
		w.handler.ServeHTTP(r, req)
		done <- r.Code
	}()
	for b.Used() == 0 {
		select {
		case code := <-done:
			t.Fatalf("the body was refused before it came: status %d", code)
		default:
		}
	}
	if used := b.Used(); used > 64<<10 {
		t.Errorf("a body takes %d after ten of its bytes have come", used)
	}
	close(wait)
	if code := <-done; code != http.StatusBadRequest {
		t.Errorf("status %d", code)
	}
}

// TestFormerVersionsAreReadWithinTheBudget reads what a record was whose every version, and every change, is nearly
// as large as a body may be. Eight versions together do not fit.
func TestFormerVersionsAreReadWithinTheBudget(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	made := w.now
	const changes, size = 12, 900 << 10
	for i := range changes {
		w.pass(time.Minute)
		w.do(200, "POST", path+":amend", fmt.Sprintf(`{"turn":%d,"more":%s}`, i, list(size>>10)))
	}
	const total = 64 << 20
	b := w.bounded(total)
	middle := asOf(path, made.Add(changes/2*time.Minute))
	end := busy(t, b, "bo", total-9*size)
	if events := w.pages("/x/history" + path); len(events) != changes+1 {
		t.Errorf("%d events, want %d", len(events), changes+1)
	}
	if events, next := w.page("/x/history" + path); len(events) > 3 || next == "" {
		t.Errorf("the first page has %d events, and leads to %q", len(events), next)
	}
	if r := w.do(200, "GET", middle, ""); !strings.Contains(r.Body.String(), fmt.Sprintf(`"turn":%d`, changes/2-1)) {
		t.Errorf("in the middle: %.200s", r.Body)
	}
	end()
	for _, path := range []string{"/x/history" + path, middle} {
		end := busy(t, b, "bo", total-3*size)
		r := w.do(503, "GET", path, "")
		w.wants(r, problem.Overloaded)
		if r.Header().Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", path)
		}
		end()
	}
	if b.Used() != 0 {
		t.Errorf("%d bytes are left in work", b.Used())
	}
}
