package sides

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPocketBaseIsBuiltApart holds that the bench says how PocketBase is built, which no other command needs.
func TestPocketBaseIsBuiltApart(t *testing.T) {
	command := filepath.Join(t.TempDir(), "bench-pocketbase")
	_, err := StartPocketBase(t.Context(), command, t.TempDir(), 1)
	if err == nil || !strings.Contains(err.Error(), "go build -C deploy/proof/bench/pocketbase -o "+command) {
		t.Errorf("error %v, want one that says how %s is built", err, command)
	}
}

// TestDurabilityIsThatOfThePragmas holds that what is not on the disk is not said to be.
func TestDurabilityIsThatOfThePragmas(t *testing.T) {
	for _, c := range []struct {
		journal     string
		synchronous int
		want        string
	}{
		{"wal", 2, "^is on the disk$"}, {"wal", 1, "may be lost with the machine$"}, {"wal", 0, "damaged$"}, {"delete", 1, "damaged$"},
	} {
		p := PocketBase{Journal: c.journal, Synchronous: c.synchronous}
		if said := p.Durability(); !regexp.MustCompile(c.want).MatchString(said) {
			t.Errorf("journal %s, synchronous %d: %q, want %q", c.journal, c.synchronous, said, c.want)
		}
	}
}
