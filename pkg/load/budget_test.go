package load_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/problem"
)

const kilobyte = 1 << 10

// request opens an account in the name of a caller.
func request(t *testing.T, b *load.Budget, caller string) (ctx context.Context, end func()) {
	ctx, end = b.Begin(t.Context())
	load.Charge(ctx, caller)
	return ctx, end
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
	first, endFirst := request(t, b, "ada")
	wants(t, "three quarters of the share", load.Take(first, 96*kilobyte), nil)
	second, endSecond := request(t, b, "ada")
	wants(t, "what fits the share is asked for", load.Fits(second, 32*kilobyte), nil)
	wants(t, "more than the share, asked for", load.Fits(second, 48*kilobyte), problem.ShareUsedUp)
	wants(t, "more than the share", load.Take(second, 48*kilobyte), problem.ShareUsedUp)
	other, endOther := request(t, b, "bo")
	wants(t, "another caller", load.Take(other, 128*kilobyte), nil)
	third, endThird := request(t, b, "cy")
	wants(t, "more than is left", load.Take(third, 48*kilobyte), problem.Overloaded)
	wants(t, "what is left", load.Take(third, 32*kilobyte), nil)
	endFirst()
	wants(t, "what the first gave back", load.Take(second, 48*kilobyte), nil)
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
	alone, end := request(t, b, "ada")
	wants(t, "more than the share", load.Take(alone, 48*kilobyte), nil)
	wants(t, "more than the budget", load.Take(alone, 480*kilobyte), nil)
	other, endOther := request(t, b, "bo")
	wants(t, "another one meanwhile", load.Take(other, 1), problem.Overloaded)
	end()
	wants(t, "another one afterwards", load.Take(other, 1), nil)
	endOther()
}

func TestWhatIsReturnedCanBeTakenAgain(t *testing.T) {
	b := load.NewBudget(256*kilobyte, nil)
	ctx, end := request(t, b, "ada")
	other, endOther := request(t, b, "ada")
	defer endOther()
	wants(t, "the other request", load.Take(other, 64*kilobyte), nil)
	wants(t, "what stays", load.Take(ctx, 20*kilobyte), nil)
	held := load.Held(ctx)
	for range 10 {
		wants(t, "a piece", load.Take(ctx, 40*kilobyte), nil)
		load.Return(ctx, held)
	}
	wants(t, "two pieces", errors.Join(load.Take(ctx, 40*kilobyte), load.Take(ctx, 40*kilobyte)), problem.ShareUsedUp)
	end()
	if b.Used() != 64*kilobyte {
		t.Errorf("%d bytes are in work, want those of the other request", b.Used())
	}
}

// TestARequestHasOneAccount checks that a service in the process of the gateway does not give back memory that the
// response still holds.
func TestARequestHasOneAccount(t *testing.T) {
	b := load.NewBudget(64*kilobyte, nil)
	ctx, end := request(t, b, "ada")
	inner, endInner := b.Begin(ctx)
	wants(t, "inner", load.Take(inner, 16*kilobyte), nil)
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
	ctx, end := none.Begin(t.Context())
	defer end()
	wants(t, "no budget", errors.Join(load.Take(ctx, 1<<40), load.Fits(ctx, 1<<40)), nil)
}

func TestManyTakeAtOnce(t *testing.T) {
	b := load.NewBudget(1024*kilobyte, nil)
	var requests sync.WaitGroup
	for i := range 32 {
		requests.Go(func() {
			for range 200 {
				ctx, end := request(t, b, string(rune('a'+i%3)))
				if load.Take(ctx, 30*kilobyte) == nil && b.Used() > 1024*kilobyte {
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
	ctx, end := request(t, b, "ada")
	defer end()
	wants(t, "a read", docstore.Take(ctx, 96*kilobyte), nil)
	second, endSecond := request(t, b, "ada")
	defer endSecond()
	wants(t, "a read beyond the share", docstore.Take(second, 48*kilobyte), problem.ShareUsedUp)
	wants(t, "a large read beyond the share", docstore.Await(second, 48*kilobyte), problem.ShareUsedUp)
	other, endOther := request(t, b, "bo")
	defer endOther()
	wants(t, "a large read", docstore.Await(other, load.Large), nil)
	third, endThird := request(t, b, "cy")
	defer endThird()
	wants(t, "a large read without a turn", docstore.Await(third, load.Large), problem.Overloaded)
	if b.Used() != 96*kilobyte {
		t.Errorf("%d bytes are in work, want those of the first read", b.Used())
	}
}
