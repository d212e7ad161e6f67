package number

import (
	"strings"
	"testing"

	"github.com/google/uuid"
)

func TestCheckCharacter(t *testing.T) {
	// The example of ISO 7064 for MOD 37,36 as used by GRid and ISAN: A12425GABC1234002 -> M.
	if got := check("A12425GABC1234002"); got != 'M' {
		t.Errorf("got %c", got)
	}
}

func TestANumberIsValidAndAMistypedOneIsNot(t *testing.T) {
	for range 200 {
		id, err := uuid.NewV7()
		if err != nil {
			t.Fatal(err)
		}
		n := Of("POL", id)
		if !Valid("POL", n) || Valid("CLM", n) {
			t.Fatalf("%s", n)
		}
		for i := 4; i < len(n); i++ {
			for _, c := range alphabet {
				wrong := n[:i] + string(c) + n[i+1:]
				if wrong != n && Valid("POL", wrong) {
					t.Fatalf("%s passes for %s", wrong, n)
				}
			}
		}
	}
	for _, wrong := range []string{"", "POL-", "POL-00000-00000", strings.Repeat("POL-", 9), "POL-IIIII-IIIII-0"} {
		if Valid("POL", wrong) {
			t.Errorf("%q is valid", wrong)
		}
	}
}
