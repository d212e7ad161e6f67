package allinone

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/wait"
)

// shownInBook returns what the book shows of a policy to a member: how many rows of each list are under it, and the
// sums of all that the member sees.
func (m *member) shownInBook(policyNumber string) (counts [3]int, sums []bookCell) {
	m.t.Helper()
	for i, list := range []string{"policies", "claims", "movements"} {
		rows, _ := m.listed("/x/book/" + list + "?policyNumber=" + policyNumber)
		counts[i] = len(rows)
	}
	for _, path := range []string{"triangle", "aging", "aging?of=claims", "late"} {
		m.want(200, "GET", "/x/book/"+path, "")
	}
	return counts, m.summary("by=line")
}

// TestTheBookShowsWhatIsShared shares a policy with another organisation, and takes it back. The book shows it by the
// access list as it is when it is asked, and the owner the same throughout.
func TestTheBookShowsWhatIsShared(t *testing.T) {
	s := runShared(t, "--amount-unit", "major", "--currency", "EUR")
	b := newHolding(t, s, "acme")
	zenith := s.as("zenith")
	zenith.caughtUp()
	_, owners := b.owner.shownInBook(b.policyNumber)
	rows, _ := b.owner.listed("/x/book/policies?from=0000-01&to=9999-12&policyNumber=" + b.policyNumber)
	want, _ := b.owner.shownInBook(b.policyNumber)
	if want[0] != 1 || want[1] != 1 || want[2] == 0 || len(rows) != 1 {
		t.Fatalf("the owner sees %v rows, and %v", want, rows)
	}
	for _, step := range []struct {
		shared []string
		sees   bool
	}{{nil, false}, {[]string{"zenith:read"}, true}, {[]string{"orion:read"}, false}, {[]string{"zenith:read"}, true},
		{nil, false}} {
		b.share(step.shared...)
		counts, sums := zenith.shownInBook(b.policyNumber)
		if step.sees != (counts == want) || !step.sees && counts != [3]int{} || step.sees != (len(sums) == 1) {
			t.Errorf("shared with %v, zenith sees %v rows and %d sums, the owner %v", step.shared, counts, len(sums),
				want)
		}
		if step.sees {
			shown, premium := zenith.listed("/x/book/policies?from=0000-01&to=9999-12")
			_, losses := zenith.listed("/x/book/claims?from=0000-01&to=9999-12")
			premium.add(losses)
			if sum := sums[0].Figures.sums(t); sum != premium || len(shown) != 1 ||
				!strings.Contains(shown[0], `"owner":"acme"`) {
				t.Errorf("the sums are %+v, those of the rows %+v, of %v", sum, premium, shown)
			}
			if cells := zenith.summary("by=line&whose=own"); len(cells) > 0 {
				t.Errorf("its own is %+v", cells)
			}
		}
		if _, is := b.owner.shownInBook(b.policyNumber); !slices.EqualFunc(is, owners, func(x, y bookCell) bool {
			return x.Figures.sums(t) == y.Figures.sums(t)
		}) {
			t.Errorf("shared with %v, the owner's sums are %+v, %+v before", step.shared, is, owners)
		}
	}
	if counts, sums := s.as("orion").shownInBook(b.policyNumber); counts != [3]int{} || len(sums) > 0 {
		t.Errorf("another organisation sees %v rows and %v", counts, sums)
	}
}

// TestTheBookShowsWhatIsReported has an organisation report the motor policies of a contract to another one, and
// compares what that sees of them with what the owner has.
func TestTheBookShowsWhatIsReported(t *testing.T) {
	s := runShared(t, "--amount-unit", "major", "--currency", "EUR")
	b := newHolding(t, s, "acme")
	acme, zenith, orion := b.owner, s.as("zenith"), s.as("orion")
	const under, reported = "contract=DEAL-26", "whose=reported&contract=DEAL-26"
	preview := `zenith","preview":true,"section":"1`
	acme.putsDeal(preview)
	acme.caughtUp()
	wait.Until(t, func() error {
		if rows, _ := acme.listed("/x/book/claims?" + under); len(rows) == 0 {
			return errors.New("the book has not read the contract")
		}
		return nil
	})
	paths := func(query string) (all []string) {
		for _, list := range []string{"policies", "claims", "movements", "late", "summary", "triangle", "aging"} {
			all = append(all, "/x/book/"+list+"?"+query)
		}
		return append(all, "/x/book/aging?of=claims&"+query, "/x/book/summary?by=contract,month&"+query)
	}
	plain := regexp.MustCompile(`(&whose=reported|\\u0026whose=reported|,?"(owner|policyholderId|object|` +
		`externalReference|renewedFrom|renewedTo|asOf)":"[^"]*")`)
	shows := func(m *member, path string) string {
		return plain.ReplaceAllString(m.want(200, "GET", path, "").body, "")
	}
	owners := paths(under)
	for i, path := range paths(reported) {
		if is, want := shows(zenith, path), shows(acme, owners[i]); is != want || !strings.Contains(is, ":[{") &&
			!strings.Contains(path, "late") {
			t.Errorf("%s: %s\nits owner has %s", path, is, want)
		}
		for _, of := range []*member{orion, acme} {
			if is, none := shows(of, path), shows(of, strings.ReplaceAll(path, "DEAL-26", "NO-DEAL")); is != none {
				t.Errorf("%s as %s: %s\nof a contract that is not there %s", path, of.organisation, is, none)
			}
		}
	}
	for _, cell := range zenith.summary("by=line,year&" + reported) {
		rows, sum := zenith.listed(cell.Policies)
		more, losses := zenith.listed(cell.Claims)
		if sum.add(losses); len(rows) == 0 || sum != cell.Figures.sums(t) {
			t.Errorf("the rows of %+v come to %+v", cell, sum)
		}
		for _, row := range append(rows, more...) {
			if !strings.Contains(row, `"owner":"acme"`) || !strings.Contains(row, `"contract":"DEAL-26"`) ||
				strings.Contains(row, `"brokerId`) || strings.Contains(row, `"policyholderId`) {
				t.Errorf("shown is %s", row)
			}
		}
	}
	if all, _ := acme.listed("/x/book/policies?contractEmpty=true"); len(all) == 0 {
		t.Error("all policies are under the contract")
	}
	if counts, sums := zenith.shownInBook(b.policyNumber); counts != [3]int{} || len(sums) > 0 {
		t.Errorf("without whose=reported, it sees %v rows and %v", counts, sums)
	}
	acme.putsDeal("zenith")
	for _, path := range paths(reported) {
		if got := zenith.want(403, "GET", path, ""); got.named("type") != "/problems/right-missing" ||
			got.named("right") != "owner" {
			t.Errorf("%s: %s", path, got.body)
		}
		orion.want(200, "GET", path, "")
	}
	acme.putsDeal("")
	for _, path := range paths(reported) {
		if is, none := shows(zenith, path), shows(zenith, strings.ReplaceAll(path, "DEAL-26", "NO-DEAL")); is != none {
			t.Errorf("%s, whose counterparty it no longer is: %s, want %s", path, is, none)
		}
	}
}
