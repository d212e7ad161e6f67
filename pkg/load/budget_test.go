package load_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

const mebibyte = 1 << 20

// enter lets a request of a context, with a body if it is not nil, in through the door of a budget.
func enter(ctx context.Context, b *load.Budget, body io.Reader) (c *gin.Context, end func()) {
	c = asking(ctx, body)
	return c, b.Enter(c, false)
}

// asking returns a request of a context, with a body if it is not nil.
func asking(ctx context.Context, body io.Reader) *gin.Context {
	c := gin.CreateTestContextOnly(httptest.NewRecorder(), gin.New())
	c.Request = httptest.NewRequest(http.MethodPost, "/", body).WithContext(ctx)
	return c
}

// guest is a request that was let in.
type guest struct {
	*gin.Context
	end func()
}

// ask lets a request of a caller in, with a body of some bytes if there are any, and reads it.
func ask(ctx context.Context, b *load.Budget, caller string, bytes int) (guest, error) {
	c, end := enter(ctx, b, strings.NewReader(strings.Repeat("x", bytes)))
	err := request.Charge(c.Request.Context(), caller, load.Page)
	if err == nil && bytes > 0 {
		_, err = io.Copy(io.Discard, c.Request.Body)
	}
	return guest{c, end}, err
}

// wants fails unless an error is a problem of a kind with Retry-After, or nil for no kind.
func wants(t *testing.T, what string, err error, kind problem.Kind) {
	t.Helper()
	var p *problem.Error
	switch {
	case kind == nil && err != nil, kind != nil && (!errors.As(err, &p) || p.Kind != kind):
		t.Errorf("%s: error %v, want %v", what, err, kind)
	case kind != nil && p.Header.Get("Retry-After") == "":
		t.Errorf("%s: no Retry-After", what)
	}
}

// used fails unless a number of bytes is in work.
func used(t *testing.T, b *load.Budget, what string, bytes int64) {
	t.Helper()
	if got := b.Used(); got != bytes {
		t.Errorf("%s: %d bytes are in work, want %d", what, got, bytes)
	}
}

// TestARequestCostsTenTimesItsBodyAndAPage lets requests with bodies of some sizes in.
func TestARequestCostsTenTimesItsBodyAndAPage(t *testing.T) {
	for _, size := range []int{0, 1, 600, mebibyte} {
		b := load.NewBudget(64 * mebibyte)
		one, err := ask(t.Context(), b, "ada", size)
		wants(t, "a body", err, nil)
		used(t, b, "a body", int64(10*size)+load.Page)
		one.end()
		used(t, b, "at the end", 0)
	}
}

func TestACallerHasAShare(t *testing.T) {
	b := load.NewBudget(8 * load.Page)
	var all []guest
	asks := func(what, caller string, bytes int, kind problem.Kind) {
		t.Helper()
		one, err := ask(t.Context(), b, caller, bytes)
		wants(t, what, err, kind)
		if err == nil {
			all = append(all, one)
		} else {
			one.end()
		}
	}
	if most := load.PagesOfOne(8 * load.Page); most != 4 {
		t.Errorf("one caller may have %d pages, want 4", most)
	}
	for range 3 {
		asks("a page of the share", "ada", 0, nil)
	}
	asks("a body beyond the share", "ada", mebibyte/10, problem.ShareUsedUp)
	asks("the last page of the share", "ada", 0, nil)
	asks("a page beyond the share", "ada", 0, problem.ShareUsedUp)
	asks("another caller", "bo", mebibyte/5, nil)
	asks("more than is left", "cy", mebibyte/5, problem.Overloaded)
	asks("what is left", "cy", 0, nil)
	all[0].end()
	all = all[1:]
	asks("what the first gave back", "ada", 0, nil)
	for _, one := range all {
		one.end()
	}
	used(t, b, "at the end", 0)
}

// TestWhoRestsHasNoPage fills a caller's share, and has one request wait for something meanwhile.
func TestWhoRestsHasNoPage(t *testing.T) {
	b := load.NewBudget(4 * mebibyte)
	var guests []guest
	for range 2 {
		g, err := ask(t.Context(), b, "ada", 0)
		if err != nil {
			t.Fatal(err)
		}
		guests = append(guests, g)
	}
	wantRefused(t, b, "ada", true)
	waiting := guests[0].Request.Context()
	request.Rest(waiting)
	if b.Used() != mebibyte {
		t.Errorf("%d bytes are in work while one of two waits", b.Used())
	}
	third, err := ask(t.Context(), b, "ada", 0)
	if err != nil {
		t.Fatalf("while another request waits: %v", err)
	}
	if request.Resume(waiting) == nil {
		t.Error("one more page than the share is taken again")
	}
	third.end()
	if err := request.Resume(waiting); err != nil || b.Used() != 2*mebibyte {
		t.Errorf("with room again: %v, %d bytes are in work", err, b.Used())
	}
	for _, g := range guests {
		g.end()
	}
	if b.Used() != 0 {
		t.Errorf("%d bytes are left", b.Used())
	}
}

// wantRefused asks for one more page.
func wantRefused(t *testing.T, b *load.Budget, caller string, refused bool) {
	t.Helper()
	g, err := ask(t.Context(), b, caller, 0)
	if (err != nil) != refused {
		t.Errorf("one more request of %s: %v", caller, err)
	}
	if err == nil {
		g.end()
	}
}

// TestOneRequestAloneIsNeverRefused checks that a request is served once it is alone, whatever its size.
func TestOneRequestAloneIsNeverRefused(t *testing.T) {
	b := load.NewBudget(mebibyte / 16)
	alone, err := ask(t.Context(), b, "ada", mebibyte)
	wants(t, "more than the budget", err, nil)
	other, err := ask(t.Context(), b, "bo", 0)
	wants(t, "another one meanwhile", err, problem.Overloaded)
	alone.end()
	wants(t, "another one afterwards", request.Charge(other.Request.Context(), "bo", load.Page), nil)
	other.end()
	used(t, b, "at the end", 0)
}

// TestABodyThatDoesNotComeKeepsNothing checks that a request takes no memory of others while its body is awaited, and
// that one that would not fit is refused before it is read.
func TestABodyThatDoesNotComeKeepsNothing(t *testing.T) {
	b := load.NewBudget(8 * load.Page)
	body, send := io.Pipe()
	c, end := enter(t.Context(), b, body)
	defer end()
	wants(t, "a page", request.Charge(c.Request.Context(), "ada", load.Page), nil)
	used(t, b, "before the body is awaited", load.Page)
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, c.Request.Body)
		done <- err
	}()
	if _, err := send.Write(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if got := b.Used(); got > 10*100 {
		t.Errorf("%d bytes are in work for 100 that have come", got)
	}
	if err := send.Close(); err != nil {
		t.Fatal(err)
	}
	wants(t, "the body", <-done, nil)
	used(t, b, "when it has come", 10*100+load.Page)

	large := gin.CreateTestContextOnly(httptest.NewRecorder(), gin.New())
	large.Request = httptest.NewRequest(http.MethodPost, "/", untouched{t})
	large.Request.ContentLength = mebibyte
	defer b.Enter(large, false)()
	wants(t, "a page of another one", request.Charge(large.Request.Context(), "bo", load.Page), nil)
	_, err := io.Copy(io.Discard, large.Request.Body)
	wants(t, "a body that does not fit", err, problem.Overloaded)
}

// untouched is a body that fails the test if it is read.
type untouched struct{ t *testing.T }

func (u untouched) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// TestARequestHasOneAccount checks that services in the process of the gateway take a page once, and do not give back
// memory that the response still holds.
func TestARequestHasOneAccount(t *testing.T) {
	b := load.NewBudget(8 * load.Page)
	c := gin.CreateTestContextOnly(httptest.NewRecorder(), gin.New())
	c.Request = httptest.NewRequest(http.MethodGet, "/", nil)
	end := b.Enter(c, true)
	for range 2 {
		part, endPart := enter(c.Request.Context(), b, nil)
		wants(t, "a service", request.Charge(part.Request.Context(), "ada", load.Page), nil)
		endPart()
		used(t, b, "before the request has ended", load.Page)
	}
	end()
	used(t, b, "after the request has ended", 0)
}

func TestWithoutABudgetNothingIsRefused(t *testing.T) {
	var none *load.Budget
	one, err := ask(t.Context(), none, "ada", mebibyte)
	defer one.end()
	wants(t, "no budget", err, nil)
}

// TestHostileCallersStayWithinTheBudget has many callers send large bodies at once, as fast as they can. What is in
// work never exceeds the budget, nobody has more than half of it, and some of each caller's requests are served.
func TestHostileCallersStayWithinTheBudget(t *testing.T) {
	const total = 64 * mebibyte
	b := load.NewBudget(total)
	var mu sync.Mutex
	served, work := map[string]int{}, map[string]int64{}
	var requests sync.WaitGroup
	for i := range 32 {
		caller := string(rune('a' + i%4))
		requests.Go(func() {
			for range 50 {
				one, err := ask(t.Context(), b, caller, mebibyte)
				if err == nil {
					mu.Lock()
					served[caller]++
					work[caller] += 10*mebibyte + load.Page
					if work[caller] > total/2 {
						t.Errorf("%s has %d bytes in work", caller, work[caller])
					}
					mu.Unlock()
				}
				if used := b.Used(); used > total {
					t.Errorf("%d bytes are in work, more than the budget has", used)
				}
				if err == nil {
					mu.Lock()
					work[caller] -= 10*mebibyte + load.Page
					mu.Unlock()
				}
				one.end()
			}
		})
	}
	requests.Wait()
	for i := range 4 {
		if caller := string(rune('a' + i)); served[caller] == 0 {
			t.Errorf("nothing of %s is served", caller)
		}
	}
	used(t, b, "at the end", 0)
}
