package contract

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/servicetest"
)

// as returns the context of a caller of an organisation.
func as(t *testing.T, name string) context.Context {
	owner, err := request.ForOwner(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	caller := request.CallerFrom(owner)
	caller.Subject, caller.Issuer = "s", "i"
	return request.WithCaller(owner, caller)
}

// TestTheContractDecides ends a change of the counterparty between the contract and the mark, as a process does that is
// killed there.
func TestTheContractDecides(t *testing.T) {
	c := New([]string{"motorCoverage"}, time.Now, time.UTC, slog.New(slog.DiscardHandler))
	if err := c.Open(request.ForExchange(t.Context()), servicetest.OpenStore(t)); err != nil {
		t.Fatal(err)
	}
	owner := as(t, "acme")
	put := func(counterparty string) *Kept {
		var sent desk.ContractTerms
		if err := json.Unmarshal([]byte(`{"uniqueMarketReference":"B1","coverholderName":"A","inception":"2026-01-01",
			"expiry":"2027-01-01","lines":["motorCoverage"],"currency":"EUR","amountUnit":"major","frequency":"month",
			"firstPeriod":"2026-01","counterparty":"`+counterparty+`"}`), &sent); err != nil {
			t.Fatal(err)
		}
		k, err := c.Put(owner, "C", sent, func(string) error { return nil }, nothingTaken)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	sees := func(name string) bool {
		_, foreign, err := c.InSight(as(t, name), "C", "")
		if err != nil {
			t.Fatal(err)
		}
		all, err := c.InSightAll(as(t, name))
		if err != nil || (len(all) == 1) != foreign {
			t.Errorf("%s: %d contracts in a list, error %v; found by its reference: %v", name, len(all), err, foreign)
		}
		return foreign
	}
	was := put("zenith")
	if !sees("zenith") || sees("orion") {
		t.Error("the counterparty alone sees the contract")
	}
	terms := *was.Terms
	terms.Counterparty = "orion"
	halfWay := *was
	halfWay.Terms = &terms
	if err := c.write(owner, &halfWay, was); err != nil {
		t.Fatal(err)
	}
	if sees("zenith") {
		t.Error("it sees the contract that no longer names it")
	}
	if put("orion"); sees("zenith") || !sees("orion") {
		t.Error("the change is not completed by repeating it")
	}
}

func nothingTaken(context.Context, *Kept) (Taken, error) { return Taken{}, nil }
