package allinone

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestDatabasesKnowTheirFolder mixes up the databases of two exchanges in each way that would serve records as if they
// had never been.
func TestDatabasesKnowTheirFolder(t *testing.T) {
	one, other := t.TempDir(), t.TempDir()
	for _, data := range []string{one, other} {
		run(t, data).stop()
	}
	for what, trial := range map[string]struct {
		mix   func(data string) error
		words []string
	}{
		"one is deleted": {func(data string) error {
			return os.Remove(filepath.Join(data, "claims.db"))
		}, []string{"claims.db", "lacks a database", "backup"}},
		"two are exchanged": {func(data string) error {
			claims, parties := filepath.Join(data, "claims.db"), filepath.Join(data, "parties.db")
			return errors.Join(os.Rename(claims, claims+".new"), os.Rename(parties, claims),
				os.Rename(claims+".new", parties))
		}, []string{"has the records of the service", "parties.db", "back in their places"}},
		"one is of another exchange": {func(data string) error {
			text, err := os.ReadFile(filepath.Join(other, "claims.db"))
			if err == nil {
				err = os.WriteFile(filepath.Join(data, "claims.db"), text, 0o600)
			}
			return err
		}, []string{"another exchange", "backup"}},
	} {
		t.Run(what, func(t *testing.T) {
			data := filepath.Join(t.TempDir(), "data")
			if err := os.CopyFS(data, os.DirFS(one)); err != nil {
				t.Fatal(err)
			}
			if err := trial.mix(data); err != nil {
				t.Fatal(err)
			}
			wantWords(t, refusal(t, "--data", data), append(trial.words, "setting data")...)
		})
	}
	// A folder without the list, as an earlier release or a restore leaves it, is taken as it is.
	if err := os.Remove(siblingsFile(one)); err != nil {
		t.Fatal(err)
	}
	run(t, one).stop()
	if _, err := os.Stat(siblingsFile(one)); errors.Is(err, fs.ErrNotExist) {
		t.Error("the folder has not got its list again")
	}
}
