package allinone

import (
	"slices"
	"strings"
	"testing"
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
