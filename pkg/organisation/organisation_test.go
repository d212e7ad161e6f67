package organisation_test

import (
	"testing"

	"insurance.example/exchange/pkg/organisation"
)

// TestWhoSeesWhat: an organisation sees what has its name whole and in its case, the only one sees what has none, the
// exchange and an operator see everything, and nobody sees nothing.
func TestWhoSeesWhat(t *testing.T) {
	acme, err := organisation.Owner("acme")
	if err != nil {
		t.Fatal(err)
	}
	sole, err := organisation.Owner("")
	if err != nil || sole != organisation.Sole() {
		t.Fatalf("the owner without a name is %s (%v)", sole, err)
	}
	if _, err := organisation.Owner("no name"); err == nil {
		t.Error("an owner has a name that no organisation can have")
	}
	owners := []string{"", "acme", "ACME", "acm", "acme2"}
	for who, sees := range map[organisation.ID][]bool{
		acme: {false, true, false, false, false}, sole: {true, false, false, false, false},
		organisation.Exchange(): {true, true, true, true, true},
		organisation.Operator(): {true, true, true, true, true}, {}: make([]bool, len(owners)),
	} {
		for i, owner := range owners {
			if who.Sees(owner) != sees[i] {
				t.Errorf("%s sees what %q owns: %v", who, owner, who.Sees(owner))
			}
		}
	}
}
