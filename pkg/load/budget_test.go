package load_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"

	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/problem"
)

const kilobyte = 1 << 10

// enter lets a request of a context in through the door of a budget.
func enter(ctx context.Context, b *load.Budget) (c *gin.Context, end func()) {
	c = gin.CreateTestContextOnly(httptest.NewRecorder(), gin.New())
	c.Request = httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx)
	return c, load.Door{Budget: b}.Enter(c)
}

// begin lets a request of a caller in, and returns its context.
func begin(t *testing.T, b *load.Budget, caller string) (ctx context.Context, end func()) {
	c, end := enter(t.Context(), b)
	if err := request.Charge(c.Request.Context(), caller); err != nil {
		t.Error(err)
	}
	return c.Request.Context(), end
}

// fits returns the error that a read of a size would have.
func fits(ctx context.Context, bytes int) error {
	_, err := docstore.Await(ctx, bytes)
	return err
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

func TestACallerHasAShare(t *testing.T) {
	b := load.NewBudget(256*kilobyte, nil)
	first, endFirst := begin(t, b, "ada")
	wants(t, "three quarters of the share", docstore.Take(first, 96*kilobyte), nil)
	second, endSecond := begin(t, b, "ada")
	wants(t, "what fits the share is asked for", fits(second, 32*kilobyte), nil)
	wants(t, "more than the share, asked for", fits(second, 48*kilobyte), problem.ShareUsedUp)
	wants(t, "more than the share", docstore.Take(second, 48*kilobyte), problem.ShareUsedUp)
	other, endOther := begin(t, b, "bo")
	wants(t, "another caller", docstore.Take(other, 128*kilobyte), nil)
	third, endThird := begin(t, b, "cy")
	wants(t, "more than is left", docstore.Take(third, 48*kilobyte), problem.Overloaded)
	wants(t, "what is left", docstore.Take(third, 32*kilobyte), nil)
	endFirst()
	wants(t, "what the first gave back", docstore.Take(second, 48*kilobyte), nil)
	for _, end := range []func(){endSecond, endOther, endThird} {
		end()
	}
	if b.Used() != 0 {
		t.Errorf("%d bytes are left in work", b.Used())
	}
}

// TestOneRequestAloneIsNeverRefused checks that a request is served once it is alone, whatever its size.
func TestOneRequestAloneIsNeverRefused(t *testing.T) {
	b := load.NewBudget(64*kilobyte, nil)
	alone, end := begin(t, b, "ada")
	wants(t, "more than the share", docstore.Take(alone, 48*kilobyte), nil)
	wants(t, "more than the budget", docstore.Take(alone, 480*kilobyte), nil)
	other, endOther := begin(t, b, "bo")
	wants(t, "another one meanwhile", docstore.Take(other, 1), problem.Overloaded)
	end()
	wants(t, "another one afterwards", docstore.Take(other, 1), nil)
	endOther()
}

func TestWhatIsReturnedCanBeTakenAgain(t *testing.T) {
	b := load.NewBudget(256*kilobyte, nil)
	ctx, end := begin(t, b, "ada")
	other, endOther := begin(t, b, "ada")
	defer endOther()
	wants(t, "the other request", docstore.Take(other, 64*kilobyte), nil)
	wants(t, "what stays", docstore.Take(ctx, 20*kilobyte), nil)
	held := docstore.Held(ctx)
	for range 10 {
		wants(t, "a piece", docstore.Take(ctx, 40*kilobyte), nil)
		docstore.Release(ctx, held)
	}
	wants(t, "two pieces", errors.Join(docstore.Take(ctx, 40*kilobyte), docstore.Take(ctx, 40*kilobyte)),
		problem.ShareUsedUp)
	end()
	if b.Used() != 64*kilobyte {
		t.Errorf("%d bytes are in work, want those of the other request", b.Used())
	}
}

// TestARequestHasOneAccount checks that a service in the process of the gateway does not give back memory that the
// response still holds.
func TestARequestHasOneAccount(t *testing.T) {
	b := load.NewBudget(64*kilobyte, nil)
	ctx, end := begin(t, b, "ada")
	part, endInner := enter(ctx, b)
	inner := part.Request.Context()
	wants(t, "inner", docstore.Take(inner, 16*kilobyte), nil)
	endInner()
	if b.Used() != 16*kilobyte {
		t.Errorf("%d bytes are in work before the request has ended", b.Used())
	}
	end()
	if b.Used() != 0 {
		t.Errorf("%d bytes are in work after the request has ended", b.Used())
	}
}

func TestWithoutABudgetNothingIsRefused(t *testing.T) {
	var none *load.Budget
	c, end := enter(t.Context(), none)
	defer end()
	ctx := c.Request.Context()
	wants(t, "no budget", errors.Join(docstore.Take(ctx, 1<<40), fits(ctx, 1<<40)), nil)
}

func TestManyTakeAtOnce(t *testing.T) {
	b := load.NewBudget(1024*kilobyte, nil)
	var requests sync.WaitGroup
	for i := range 32 {
		requests.Go(func() {
			for range 200 {
				ctx, end := begin(t, b, string(rune('a'+i%3)))
				if docstore.Take(ctx, 30*kilobyte) == nil && b.Used() > 1024*kilobyte {
					t.Error("more is in work than the budget has")
				}
				end()
			}
		})
	}
	requests.Wait()
	if b.Used() != 0 {
		t.Errorf("%d bytes are left in work", b.Used())
	}
}

// TestAStoreTakesFromTheAccount reads through the gate that Begin gives to the stores.
func TestAStoreTakesFromTheAccount(t *testing.T) {
	b := load.NewBudget(256*kilobyte, load.NewTurns(1, 0))
	ctx, end := begin(t, b, "ada")
	defer end()
	wants(t, "a read", docstore.Take(ctx, 96*kilobyte), nil)
	second, endSecond := begin(t, b, "ada")
	defer endSecond()
	wants(t, "a read beyond the share", docstore.Take(second, 48*kilobyte), problem.ShareUsedUp)
	wants(t, "a large read beyond the share", fits(second, 48*kilobyte), problem.ShareUsedUp)
	other, endOther := begin(t, b, "bo")
	defer endOther()
	wants(t, "a large read", fits(other, load.Large), nil)
	third, endThird := begin(t, b, "cy")
	defer endThird()
	wants(t, "a large read without a turn", fits(third, load.Large), problem.Overloaded)
	if b.Used() != 96*kilobyte {
		t.Errorf("%d bytes are in work, want those of the first read", b.Used())
	}
}
