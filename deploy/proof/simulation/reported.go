package simulation

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"time"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/rest/inspect"
	service "insurance.example/exchange/services/desk"
)

// finishDesk has everything reported, and then checks what always holds.
func (c *caller) finishDesk(ctx context.Context) {
	c.persists = true
	for i, made := range c.book.desk.made {
		if !made { // others had changed the contract beside it before, which took its policies
			c.putContract(ctx, i, []int{1, deskPolicies + 1}[i])
		}
	}
	if !c.book.desk.steady && c.random.IntN(2) == 0 {
		// Each policy belongs to a contract in the end. One that gives policies away is set before the one that takes
		// them.
		bound := 1 + c.random.IntN(deskPolicies+1)
		for _, i := range []int{0, 1, 0} {
			c.putContract(ctx, i, bound)
		}
	}
	c.pass(ctx, time.Minute) // so that no clock is in a later month
	now := c.now()
	last := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	c.pass(ctx, last.AddDate(0, 1, 0).Add(2*time.Minute).Sub(now))
	for _, contract := range deskContracts {
		for month := firstMonth; !month.After(last); month = month.AddDate(0, 1, 0) {
			c.reportMonth(ctx, c.monthPath(contract, month))
		}
	}
	c.checkDesk(ctx)
}

// reportMonth has a month reported: the version that is pending, the first one, and what can be added to it.
func (c *caller) reportMonth(ctx context.Context, month string) {
	if pending := c.pendingOf(ctx, month); pending != "" && !c.decide(ctx, pending, true) {
		c.decide(ctx, pending, false) // a policy of it has gone to another contract since
	}
	for _, of := range []string{desk.Original, desk.Nil, desk.Additional} {
		version, status := c.prepare(ctx, month, of)
		if status == http.StatusConflict {
			// It may have completed an assignment that was begun before, and is refused then.
			version, status = c.prepare(ctx, month, of)
		}
		if version != "" {
			if !c.decide(ctx, version, true) {
				c.complain("%s is prepared and cannot be approved", version)
			}
		} else if status != http.StatusConflict {
			c.complain("%s:prepare %s: %d", month, of, status)
		}
	}
}

// standingLine is a line of a version that stands.
type standingLine struct {
	version string
	desk.BordereauLine
	claim desk.ClaimLine
}

// checkDesk reads all versions, and notes which guarantees are broken.
func (c *caller) checkDesk(ctx context.Context) {
	stands, paths := map[string][]standingLine{}, map[string]bool{}
	for _, contract := range deskContracts {
		for _, p := range c.periodsOf(ctx, contract) {
			var of []string
			for i, v := range p.Versions {
				version := fmt.Sprintf("/x/bordereau/%s/%s/%s/versions/%d", contract, p.Kind, p.Period, v.Number)
				paths[version] = true
				c.checkVersion(ctx, version, i+1, v)
				switch {
				case v.State == desk.Pending:
					c.complain("%s is still pending", version)
				case v.State == desk.Approved && v.Type == desk.Correction:
					of = []string{version}
				case v.State == desk.Approved && (v.Type == desk.Additional) != (len(of) > 0):
					c.complain("%s is of the type %s beside %v", version, v.Type, of)
				case v.State == desk.Approved:
					of = append(of, version)
				}
			}
			if len(of) == 0 && p.State != desk.Open && p.State != desk.Scheduled {
				c.complain("%s of %s is %s, and was not reported", p.Period, contract, p.State)
			}
			for _, version := range of {
				page := c.linesOf(ctx, version)
				for _, line := range page.Lines {
					stands[line.LineID] = append(stands[line.LineID],
						standingLine{version: version, BordereauLine: line})
				}
				for _, line := range page.Claims {
					c.goesOn(stands[line.LineID], version, line)
					stands[line.LineID] = append(stands[line.LineID], standingLine{version: version, claim: line})
				}
			}
		}
	}
	for version := range c.book.desk.digests {
		if !paths[version] {
			c.complain("%s was prepared and is lost", version)
		}
	}
	c.book.desk.stands = stands
	if err := c.examineDesk(ctx); err != nil {
		c.complain("the desk cannot be examined: %v", err)
	}
}

// checkVersion compares a version with what was heard of it, and its totals with its lines.
func (c *caller) checkVersion(ctx context.Context, version string, number int, v desk.BordereauStatus) {
	c.once(c.book.desk.digests, version, v.Digest)
	c.once(c.book.desk.decided, version, v.State)
	c.readVersion(ctx, version)
	period, page := strings.Split(version, "/")[5], c.linesOf(ctx, version)
	if listed := len(page.Lines) + len(page.Claims); v.Number != number || v.Lines != listed {
		c.complain("%s is number %d and has %d lines, and %d are listed", version, number, v.Lines, listed)
	}
	sums := map[string]*big.Rat{}
	for _, t := range v.Totals {
		sums[t.Section] = rat(string(t.Gross))
	}
	for _, line := range page.Lines {
		recorded := line.RecordedAt.Time().UTC().Format("2006-01")
		if late := recorded != period; recorded > period || late != (line.Late != nil) ||
			late && line.Late.RecordedPeriod != recorded {
			c.complain("%s of %s was recorded in %s, and is late: %v", line.LineID, version, recorded, line.Late)
		}
		if sums[line.Section] == nil {
			sums[line.Section] = new(big.Rat)
		}
		sums[line.Section].Sub(sums[line.Section], rat(string(line.Gross)))
	}
	for _, section := range []string{desk.PremiumSection, desk.PaymentSection, desk.OtherSection} {
		if left := sums[section]; left != nil && left.Sign() != 0 {
			c.complain("the total %s of %s is %s more than its lines", section, version, left.FloatString(2))
		}
	}
}

func rat(text string) *big.Rat {
	r, is := new(big.Rat).SetString(text)
	if !is {
		return big.NewRat(-1, 7) // which no amount is
	}
	return r
}

// goesOn compares the line of a claim with the one before of the same claim.
func (c *caller) goesOn(lines []standingLine, version string, line desk.ClaimLine) {
	previously, was := new(big.Rat), "nothing"
	if len(lines) > 0 {
		before := lines[len(lines)-1]
		previously, was = paidBy(before.claim), before.version
	}
	if rat(string(line.Indemnity.PreviouslyPaid)).Cmp(previously) != 0 {
		c.complain("%s was paid %s before, says %s, after %s of %s", line.LineID, line.Indemnity.PreviouslyPaid,
			version, previously.FloatString(2), was)
	}
}

// paidBy returns what was paid for a claim up to the end of the period of its line.
func paidBy(line desk.ClaimLine) *big.Rat {
	return new(big.Rat).Add(rat(string(line.Indemnity.PreviouslyPaid)), rat(string(line.Indemnity.Paid)))
}

func (c *caller) linesOf(ctx context.Context, version string) (page desk.BordereauLines) {
	c.get(ctx, version+"/lines?limit=200", &page)
	return page
}

// examineDesk looks for faults in what the desk has stored, as the command check does.
func (c *caller) examineDesk(ctx context.Context) error {
	inspected, err := service.Service().Inspected()
	if err != nil {
		return err
	}
	return inspected.Further(ctx, inspect.Examination{
		Store: c.storeOf("desk"),
		Report: func(f docstore.Finding) error {
			c.complain("check finds that not %s: %s, and not %s", f.Invariant, f.Found, f.Expected)
			return nil
		},
		Note:  func(docstore.Finding) error { return nil },
		Count: func(string, int) {},
		Peer: func(name string) (*peer.Client, error) {
			handler := deskStubs()[name]
			if name == c.book.desk.kind { // the service that has the records is called as the bordereaux are
				handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					p := c.reach(name, c.random)
					got := p.serve(as(p.ctx, c.name), r.Method, r.URL.RequestURI(), "", p.headerOf(ctx))
					w.Header().Set("Content-Type", got.Header().Get("Content-Type"))
					w.WriteHeader(got.Code)
					_, _ = w.Write(got.Body.Bytes())
				})
			}
			return peer.New(peer.Config{Name: name, Address: "http://" + name, Handler: handler})
		},
	})
}

// checkReceipts compares the receipts with the lines that stand: each receipt of a policy that belongs to a contract is
// in one, whichever contract reports it, and no receipt is in two.
func (x *exchange) checkReceipts(complain func(string, ...any)) {
	belongs := x.policiesOfContracts(complain)
	stands := x.book.desk.stands
	for _, doc := range x.store.Documents("receipt") {
		var r struct {
			ID, PolicyNumber, Reverses string
			PaymentAmount              int64
		}
		if err := json.Unmarshal(doc.Body, &r); err != nil {
			complain("receipt %s cannot be read: %v", doc.ID, err)
		}
		lines := stands[r.ID]
		delete(stands, r.ID)
		if n := len(lines); n > 1 || n == 0 && belongs[r.PolicyNumber] != "" {
			complain("receipt %s of %s, which belongs to %s, is in %d lines: %+v", r.ID, r.PolicyNumber,
				cmp.Or(belongs[r.PolicyNumber], "no contract"), n, lines)
		}
		for _, line := range lines {
			amount := new(big.Rat).SetInt64(r.PaymentAmount)
			if r.Reverses != "" {
				amount.Neg(amount)
			}
			if rat(string(line.Gross)).Cmp(amount) != 0 || line.PolicyNumber != r.PolicyNumber {
				complain("%s of %s is %s of %s, and its receipt %s of %s", r.ID, line.version, line.Gross,
					line.PolicyNumber, amount.FloatString(0), r.PolicyNumber)
			}
		}
	}
	for id, lines := range stands {
		complain("%s of %s is a line of no receipt", id, lines[0].version)
	}
}

// checkReported compares the claims with the lines that stand: the last month has one of each, with all that was paid.
func (x *exchange) checkReported(complain func(string, ...any)) {
	stands := x.book.desk.stands
	for _, doc := range x.store.Documents("claim") {
		var is storedClaim
		if err := json.Unmarshal(doc.Body, &is); err != nil {
			complain("claim %s cannot be read: %v", doc.ID, err)
		}
		paid, lines := new(big.Rat), stands[is.ID]
		for _, p := range is.Payments {
			paid.Add(paid, rat(p.PaymentAmount.String()))
		}
		if len(lines) == 0 || paidBy(lines[len(lines)-1].claim).Cmp(paid) != 0 {
			complain("%s was paid for claim %s, and it is reported as %+v", paid.FloatString(0), is.ID, lines)
		}
	}
}

// policiesOfContracts returns the contract that each policy belongs to, as it is stored.
func (x *exchange) policiesOfContracts(complain func(string, ...any)) map[string]string {
	belongs := map[string]string{}
	for _, doc := range x.store.Documents("contract") {
		var terms struct{ RisksFrom, RisksBefore string }
		var state struct{ Reference string }
		if json.Unmarshal(doc.Body, &terms) != nil || json.Unmarshal(doc.State, &state) != nil {
			complain("contract %s cannot be read", doc.ID)
		}
		for i := range deskPolicies {
			policy := fmt.Sprintf("P%d", i+1)
			if day := incepts(policy); day >= terms.RisksFrom && day < terms.RisksBefore {
				belongs[policy] = state.Reference
			}
		}
	}
	for _, doc := range x.store.Documents("assignment") {
		var a struct{ Contract, PolicyNumber string }
		if err := json.Unmarshal(doc.Body, &a); err != nil {
			complain("assignment %s cannot be read: %v", doc.ID, err)
		}
		belongs[a.PolicyNumber] = a.Contract
	}
	return belongs
}
