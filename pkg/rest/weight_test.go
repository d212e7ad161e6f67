package rest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
)

// bounded puts the server behind the door of a budget, and each request has an account in the name of w.caller. A panic
// ends a request as in a process: after what it has taken was given back.
func (w *world) bounded(bytes int64) *load.Budget {
	b := load.NewBudget(bytes)
	engine, inner := gin.New(), w.handler
	engine.NoRoute(func(c *gin.Context) {
		defer func() { _ = recover() }()
		defer b.Enter(c, false)()
		if err := request.Charge(c.Request.Context(), w.caller.Account(), load.Page); err != nil {
			process.Refuse(c, problem.From(err))
			return
		}
		c.Status(http.StatusOK) // the router has set 404
		inner.ServeHTTP(c.Writer, c.Request)
	})
	w.handler = engine
	return b
}

// busy takes pages in the name of a caller until it is called.
func busy(t *testing.T, b *load.Budget, caller string, pages int) (end func()) {
	t.Helper()
	var ends []func()
	for range pages {
		c := gin.CreateTestContextOnly(httptest.NewRecorder(), gin.New())
		c.Request = httptest.NewRequest(http.MethodGet, "/", nil)
		ends = append(ends, b.Enter(c, false))
		if err := request.Charge(c.Request.Context(), caller, load.Page); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}

func TestWhatDoesNotFitTheBudgetIsRefused(t *testing.T) {
	w := start(t, nil)
	large := w.body(`"more":` + list(200))
	path := "/parcel/" + w.do(201, "POST", "/parcel", large).text("id")
	w.do(200, "PUT", path, large)
	small := w.body("")
	b := w.bounded(8*load.Page + 64<<10) // of which a small body needs little
	endBo, endCy := busy(t, b, "bo", 4), busy(t, b, "cy", 3)
	for method, path := range map[string]string{"POST": "/parcel", "PUT": path} {
		r := w.do(503, method, path, large)
		w.wants(r, problem.Overloaded)
		if r.Header().Get("Retry-After") == "" {
			t.Errorf("%s %s: no Retry-After", method, path)
		}
	}
	// Reading takes a page, whatever is read, and changing a page and what is sent.
	w.do(200, "GET", path, "")
	w.do(200, "POST", path+":amend", `{"weight":1}`)
	w.do(201, "POST", "/parcel", small)
	endBo()
	endCy()
	end := busy(t, b, w.caller.Account(), 3)
	w.wants(w.do(429, "POST", "/parcel", large), problem.ShareUsedUp)
	end()
	if r := w.do(200, "GET", path, ""); r.Header().Get("ETag") != `"3"` {
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
	b := w.bounded(3 * load.Page)
	defer busy(t, b, "bo", 1)()
	req := httptest.NewRequest(http.MethodPost, "/parcel", untouched{t})
	req.ContentLength = 200 << 10
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
	// It has its page until it is read.
	for used := b.Used(); used == 0 || used >= load.Page; used = b.Used() {
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

// TestLargeFormerVersionsComeInPages reads what a record was whose every version, and every change, is nearly as large
// as a body may be: no page has more than it may.
func TestLargeFormerVersionsComeInPages(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	made := w.now
	const changes, size = 12, 900 << 10
	for i := range changes {
		w.pass(time.Minute)
		w.do(200, "POST", path+":amend", fmt.Sprintf(`{"turn":%d,"more":%s}`, i, list(size>>10)))
	}
	if events := w.pages("/x/history" + path); len(events) != changes+1 {
		t.Errorf("%d events, want %d", len(events), changes+1)
	}
	if events, next := w.page("/x/history" + path); len(events) > 3 || next == "" {
		t.Errorf("the first page has %d events, and leads to %q", len(events), next)
	}
	middle := w.do(200, "GET", asOf(path, made.Add(changes/2*time.Minute)), "").Body.String()
	if !strings.Contains(middle, fmt.Sprintf(`"turn":%d`, changes/2-1)) {
		t.Errorf("in the middle: %.200s", middle)
	}
}
