package console

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// uncontracted makes policies that no contract has, each with a receipt, and returns their numbers.
func (d office) uncontracted(t *testing.T, n int) (numbers []string) {
	t.Helper()
	holder := d.clerk.Create(t, "commercial", trial.Record{"name": "Unassigned Ltd"})
	business := d.clerk.Create(t, "business", trial.Record{"businessSector": "printing"})
	for range n {
		made := d.clerk.Create(t, "cyberLiabilityCoverage", trial.Record{"policyholderId": holder.Text("id"),
			"businessId": business.Text("id"), "scope": []string{"Data and software loss"},
			"indemnityLimitPolicy": 1000, "inceptionDate": "2026-01-01T00:00:00Z",
			"expiryDate": "2027-01-01T00:00:00Z"})
		numbers = append(numbers, made.Text("policyNumber"))
		d.clerk.Create(t, "receipt", trial.Record{"policyNumber": made.Text("policyNumber"),
			"receiptType": "new policy", "paymentAmount": 5, "premiumPaymentMethod": "cash"})
	}
	return numbers
}

// other makes a contract that takes no policy by its rule of those that have none.
func (d office) other(t *testing.T) {
	t.Helper()
	d.clerk.Put(t, "/x/contract/OTHER-2026", terms.With("uniqueMarketReference", "B0001OTHER2026").
		With("lines", []string{"petCoverage"}).With("firstPeriod", "2026-12")).Want(t, http.StatusOK)
}

// TestAPolicyWithoutAContract sees from the desk how many policies no bordereau has, and which, as the interface lists
// them. A reader sees no control that writes.
func TestAPolicyWithoutAContract(t *testing.T) {
	t.Parallel()
	d := reported(t, "Unassigned")
	p := open(t, d.Exchange, "/desk", trial.Developer)
	p.sees("[data-part=board]", "MOTOR-2026")
	p.becomes("!document.querySelector('[aria-busy]')")
	p.gone("[data-part=to-unassigned]")
	number := d.uncontracted(t, 1)[0]
	p.turn("/today")
	p.turn("/desk")
	p.sees("[data-part=to-unassigned]", "1 policy without a contract")
	p.click("[data-part=to-unassigned]")
	p.sees("h1", "Policies that no contract reports")
	p.hasRows("[data-part=unassigned]", d.read(t, "/x/bordereau/unassigned", "policies"), "policyNumber", "",
		"inceptionDate", "firstReceiptAt", "firstClaimAt")
	p.accessible("policies without a contract")
	p.do(chromedp.EmulateViewport(320, 740))
	p.fits("policies without a contract")
	if n := p.count("[data-action], main input, main select"); n > 0 {
		t.Errorf("a reader sees %d controls that write", n)
	}
	p.click("#language")
	p.sees("h1", "Policen, die kein Vertrag meldet")
	p.click("[data-part=unassigned] tbody a")
	p.sees("h1", "Police "+number)
	d.uncontracted(t, 20)
	p.turn("/desk")
	p.sees("[data-part=to-unassigned]", "20+ Policen ohne Vertrag")
}

// ticks ticks the box for all rows that are shown.
func (p *tab) ticks() {
	p.Helper()
	p.click("[data-part=unassigned] [data-all] input")
}

// picksContract chooses a contract.
func (p *tab) picksContract(reference string) {
	p.Helper()
	p.becomes("[...document.querySelectorAll('#to-contract option')].some((e) => e.value === " +
		quoted(reference) + ")")
	p.eval("{ const e = document.getElementById('to-contract'); e.value = "+quoted(reference)+
		"; e.dispatchEvent(new Event('change', { bubbles: true })); }", nil)
}

// TestPoliciesAreAssignedTogether assigns three policies at once, of which another person has given one to a contract
// that has reported it: that one is listed with the words of the exchange, and the others have their contract. Nothing
// is sent without a contract and a policy.
func TestPoliciesAreAssignedTogether(t *testing.T) {
	t.Parallel()
	d := reported(t, "Together")
	numbers := d.uncontracted(t, 3)
	d.other(t)
	p := open(t, d.Exchange, "/unassigned", trial.Developer, trial.Admin)
	p.becomes("document.querySelectorAll('[data-part=unassigned] tbody tr').length === 3")
	if got := p.texts("#to-contract option"); !slices.Equal(got, []string{"choose …", "MOTOR-2026", "OTHER-2026"}) {
		t.Errorf("the contracts to choose from are %q", got)
	}
	p.becomes("document.querySelector('[data-action=assign]').disabled")
	p.ticks()
	p.sees("[data-action=assign]", "Assign 3 policies")
	p.becomes("document.querySelector('[data-action=assign]').disabled")
	p.click("[data-part=unassigned] tbody input")
	p.sees("[data-action=assign]", "Assign 2 policies")
	p.click("[data-part=unassigned] tbody input")
	d.clerk.Put(t, "/x/contract/OTHER-2026/policy/"+numbers[1], nil).Want(t, http.StatusOK)
	d.advance(t, "2027-01-02T09:00:00Z")
	d.prepare(t, d.clerk, "/x/bordereau/OTHER-2026/premium/2026-12")
	p.picksContract("MOTOR-2026")
	p.accessible("policies to assign")
	p.do(chromedp.EmulateViewport(320, 740))
	p.fits("policies to assign")
	p.click("[data-action=assign]")
	p.sees("[data-part=assigned]", "2 policies belong to MOTOR-2026 now.", "Not assigned: 1",
		"a bordereau depends on what the request changes",
		"The policy "+numbers[1]+" has lines in a bordereau of the contract OTHER-2026, and stays there.")
	p.sees("[data-refused="+quoted(numbers[1])+"] a", numbers[1])
	p.fits("what was refused")
	p.accessible("what was refused")
	p.sees("[data-part=unassigned] .empty", "Each policy that has receipts or claims has a contract.")
	if left := d.read(t, "/x/bordereau/unassigned", "policies"); len(left) > 0 {
		t.Errorf("no contract has %v", left)
	}
}

// TestAnAssignmentIsStopped stops after the first of three policies, and assigns no more while the exchange does not
// respond.
func TestAnAssignmentIsStopped(t *testing.T) {
	t.Parallel()
	d := reported(t, "Stopped")
	numbers := d.uncontracted(t, 3)
	d.other(t)
	p := open(t, d.Exchange, "/unassigned", trial.Developer, trial.Admin)
	p.picksContract("OTHER-2026")
	p.ticks()
	held := make(chan fetch.RequestID, 3)
	pass := p.intercept("*/x/contract/OTHER-2026/policy/*", fetch.RequestStageRequest,
		func(_ context.Context, id fetch.RequestID) error {
			held <- id
			return nil
		})
	p.click("[data-action=assign]")
	p.sees("[data-part=unassigned]", "0 of 3 are assigned")
	first := <-held
	p.click("[data-action=stop]")
	p.do(chromedp.ActionFunc(func(ctx context.Context) error { return fetch.ContinueRequest(first).Do(ctx) }))
	p.sees("[data-part=assigned]", "1 policy belongs to OTHER-2026 now.", "2 were not tried.")
	pass()
	p.becomes("document.querySelectorAll('[data-part=unassigned] tbody tr').length === 2")
	if left := d.read(t, "/x/bordereau/unassigned", "policies"); len(left) != 2 ||
		left[0].Text("policyNumber") != numbers[1] {
		t.Errorf("no contract has %v", left)
	}
	p.ticks()
	away := p.intercept("*/x/contract/OTHER-2026/policy/*", fetch.RequestStageRequest,
		func(ctx context.Context, id fetch.RequestID) error {
			return fetch.FailRequest(id, network.ErrorReasonConnectionRefused).Do(ctx)
		})
	p.click("[data-action=assign]")
	p.sees("[data-part=assigned]", "0 policies belong to OTHER-2026 now.", "1 was not tried.", "does not respond")
	away()
}

// TestContractsToAssignTo opens the policies without a contract while the exchange lists other contracts: three pages
// of them, one that is not there, none, and more than anybody chooses from.
func TestContractsToAssignTo(t *testing.T) {
	t.Parallel()
	d := reported(t, "Contracts")
	d.uncontracted(t, 1)
	p := open(t, d.Exchange, "/today", trial.Developer, trial.Admin)
	var pages, read atomic.Int64
	pass := p.responds("/x/contract?limit=200*", func() trial.Record {
		n := read.Add(1)
		page := trial.Record{"contracts": []trial.Record{{"reference": fmt.Sprint("NONE-", n)}}}
		if pages.Load() == 0 {
			page["contracts"] = []trial.Record{}
		}
		if n < pages.Load() {
			page["next"] = fmt.Sprint("NONE-", n)
		}
		return page
	})
	opens := func(of int64) {
		pages.Store(of)
		read.Store(0)
		p.turn("/today")
		p.turn("/unassigned")
	}
	opens(3)
	p.sees("#to-contract option:last-child", "NONE-3")
	if n := p.count("#to-contract option"); n != 4 {
		t.Errorf("there are %d options of 3 contracts", n)
	}
	p.picksContract("NONE-2")
	p.ticks()
	p.click("[data-action=assign]")
	p.sees("[data-part=assigned]", "not found", "NONE-2")
	opens(0)
	p.sees("[data-part=unassigned] .empty", "Whoever may write makes a contract at the desk.")
	p.gone("[data-action=assign]")
	opens(1000)
	p.becomes("document.querySelector('#to-contract')?.matches('input')")
	pass()
}
