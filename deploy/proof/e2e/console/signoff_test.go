package console

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// nameless has the policy of the desk belong to a company without a name, which is an error that somebody must waive
// for each line.
func (d office) nameless(t *testing.T) {
	t.Helper()
	company := d.clerk.Create(t, "commercial", trial.Record{"registeredAddress": trial.Record{"country": "GB"}})
	body := trial.Record{"policyholderId": company.Text("id")}
	for _, member := range []string{"vehicleId", "driverId", "perils", "inceptionDate", "expiryDate"} {
		body[member] = d.policy[member]
	}
	d.clerk.Put(t, "/motorCoverage/"+d.policy.Text("id"), body).Want(t, http.StatusOK)
}

// rowsAreThere waits until the receipts are in the rows, of which a version is made.
func (d office) rowsAreThere(t *testing.T) {
	t.Helper()
	wait.Until(t, func() error {
		path := "/premiumBordereau?policyNumber=" + d.policy.Text("policyNumber")
		if rows := d.clerk.Get(t, path).Records(t); len(rows) != 3 {
			return fmt.Errorf("the rows are %v", rows)
		}
		return nil
	})
}

// nothing signs off that the months before had no claims.
func (d office) nothing(t *testing.T) {
	t.Helper()
	for _, month := range []string{"2026-10", "2026-11"} {
		period := "/x/bordereau/MOTOR-2026/claims/" + month
		made := d.clerk.Post(t, period+":prepare", trial.Record{"type": "nil"}).Want(t, http.StatusCreated)
		d.sign(t, period, made.Record(t))
	}
}

// rowTo presses j until the focus is where a selector finds it.
func (p *tab) rowTo(selector string) {
	p.Helper()
	p.sees(selector)
	p.becomes("!document.querySelector('[aria-busy]')")
	const most = 40
	for range most {
		p.press("j")
		var is bool
		if p.eval("document.activeElement.matches("+quoted(selector)+")", &is); is {
			return
		}
	}
	p.Fatalf("%d times j do not lead to %s", most, selector)
}

// opens presses Tab until the focus is on a control, and then Enter, which opens a form. The focus goes into it.
func (p *tab) opens(action string) {
	p.Helper()
	p.sees("[data-action=" + action + "]")
	p.becomes("!document.querySelector('[aria-busy]')")
	p.tabTo("[data-action=" + action + "]")
	p.keys("\r")
	p.becomes("Boolean(document.activeElement.closest('form[data-form=" + action + "]'))")
}

// TestAMonthIsSignedOffByKeys prepares November, looks at its findings, waives them and has a second person approve it,
// with keys alone. After each of these the focus is at the top of what is shown.
func TestAMonthIsSignedOffByKeys(t *testing.T) {
	t.Parallel()
	d := reported(t, "Keys")
	d.nameless(t)
	d.rowsAreThere(t)
	p := open(t, d.Exchange, "/today", trial.Developer, trial.Admin)
	p.rowTo("[data-part=due] a[href='#/desk/MOTOR-2026/premium/2026-11']")
	p.keys("\r")
	p.sees("h1", "Premium 2026-11")
	p.opens("prepare")
	p.tabTo("form[data-form=prepare] [name='/note']")
	p.keys("by keys")
	p.keys("\r")
	p.sees("[data-part=record]", "by keys")
	p.sees("[data-part=findings]", "names no policyholder with a name", "missing-insured")
	for left := 2; left > 0; left-- {
		p.becomes(fmt.Sprintf("document.querySelectorAll('[data-action=waive]').length === %d", left))
		p.becomes("document.activeElement.matches('main')")
		p.opens("waive")
		p.keys("\r")
		p.sees("form[data-form=waive] .outcome", "Required: Reason")
		p.becomes("document.activeElement.matches('[name=\"/reason\"][aria-invalid=true]')")
		p.keys("the name follows")
		p.keys("\r")
	}
	p.gone("[data-action=waive]")
	p.sees("[data-part=findings]", "clerk: the name follows")

	second := openAs(t, d.Exchange, d.anna, "/today")
	second.rowTo("[data-part=prepared] a[href='#/desk/MOTOR-2026/premium/2026-11']")
	second.tabTo("[data-part=prepared] a[href='#/desk/MOTOR-2026/premium/2026-11/1']")
	second.keys("\r")
	second.sees("[data-part=findings]", "clerk: the name follows")
	second.opens("approve")
	second.keys("\r")
	second.sees(".lead", "approved")
	second.becomes("document.activeElement.matches('main')")
	if now := d.clerk.Read(t, november); now.Text("state") != "approved" {
		t.Errorf("November is %s", now.Text("state"))
	}
}

// TestClaimsAreSignedOff reports the claims of a month: an error is waived after it has kept the version from being
// approved, the figures are those of the exchange, and each opens the claim.
func TestClaimsAreSignedOff(t *testing.T) {
	t.Parallel()
	d := reported(t, "Claimant")
	claim := loss(t, d.clerk, d.policy)
	d.clerk.Post(t, "/claim/"+claim.Text("id")+":settle",
		trial.Record{"paymentAmount": 1500, "paymentMethod": "cash"}).Want(t, http.StatusOK)
	d.nameless(t)
	d.nothing(t)
	d.advance(t, "2027-01-05T09:00:00Z")
	const december = "/x/bordereau/MOTOR-2026/claims/2026-12"
	p := openAs(t, d.Exchange, d.anna, "/desk")
	p.click("[data-part=board] a[href='#/desk/MOTOR-2026/claims/2026-12']")
	p.sees("h1", "Claims 2026-12")
	p.sees("[data-part=why]", "2026-12 has no version that waits or is approved; it is compared as it is now.",
		claim.Text("claimNumber"))
	p.click("[data-part=live] td.right a")
	p.sees("[data-part=lines]", claim.Text("claimNumber"))
	p.sees("[data-part=lines] td.right a[href='#/record/claim/" + claim.Text("id") + "']")
	p.click("[data-action=prepare]")
	p.fill("prepare", "/type", "original")
	p.send("prepare")
	p.sees("h1", "Claims 2026-12, Version 1")
	p.sees("[data-part=lines]", claim.Text("claimNumber"))
	lines := d.clerk.Read(t, december+"/versions/1/lines")
	figures := lines["claims"].([]any)[0].(map[string]any)["indemnity"].(map[string]any)
	want := []string{}
	for _, name := range []string{"paid", "previouslyPaid", "outstanding", "incurred", "changeOfIncurred"} {
		want = append(want, strings.TrimSuffix(fmt.Sprint(figures[name]), ".00"))
	}
	if got := p.amounts("[data-part=lines]"); !slices.Equal(got, want) || want[0] != "1500" {
		t.Errorf("amounts of the line: %v, want %v", got, want)
	}
	p.sees("[data-part=sign-off]", "1 line, incurred EUR 1,500.00, prepared by anna", "1 error must be waived first.")
	third, err := d.Client("berta", trial.Developer, trial.Admin)
	if err != nil {
		t.Fatal(err)
	}
	second := openAs(t, d.Exchange, third, "/desk/MOTOR-2026/claims/2026-12/1")
	second.click("[data-action=approve]")
	second.send("approve")
	second.sees("form[data-form=approve] .outcome", "finding")
	p.click("[data-action=waive]")
	p.fill("waive", "/reason", "the company is being founded")
	p.send("waive")
	p.sees("[data-part=findings]", "anna: the company is being founded")
	second.send("approve")
	second.sees(".lead", "approved")
	second.click("[data-part=lines] td.right a[href='#/desk/MOTOR-2026/claims/2026-12/1/" + claim.Text("id") + "']")
	second.sees("[data-part=claim]", "hail", claim.Text("claimNumber"))
	second.turn(d.comparedClaims(t, claim))
	second.click("[data-part=items] a[href='#/record/claim/" + claim.Text("id") + "']")
	second.sees("[data-part=record]", claim.Text("claimNumber"))
}
