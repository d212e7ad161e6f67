package client_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// whatItHas is what check says of the exchange in testdata: the release that made it, at commit 945ebddf, said so too.
var whatItHas = []string{"10 claims, 30 coverage, 11 parties, 29 premium, 2 products", "16 receipts in rows",
	"110 versions with a digest", "Faults: 0."}

// unpacked returns a folder with the data folder and the backup of the exchange in testdata, which has a file for each
// service.
func unpacked(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if said, err := exec.CommandContext(t.Context(), "tar", "-xzf", "testdata/945ebddf.tar.gz", "-C", folder,
		"--no-same-owner").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return folder
}

// filesOf returns the names of what is in a folder, but for what does not hold records.
func filesOf(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if strings.Contains(entry.Name(), ".db") {
			names = append(names, entry.Name())
		}
	}
	return names
}

// TestAnOldFolderIsJoined starts an exchange on the data folder of an earlier release: as that left it, after a start
// that was killed before the one file had its name, and after one that was killed before the old files were moved.
func TestAnOldFolderIsJoined(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	for name, change := range map[string]func(t *testing.T, data string){
		"as it was left": func(*testing.T, string) {},
		"killed while it is joined": func(t *testing.T, data string) {
			if err := os.WriteFile(filepath.Join(data, "exchange.db-joining"), []byte("half of"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"killed while old files are moved": func(t *testing.T, data string) {
			mark, err := os.ReadFile(filepath.Join(data, "exchange.json"))
			if err != nil {
				t.Fatal(err)
			}
			e := s.on(t, data)
			e.stops(t)
			// The mark is written last.
			moved := filepath.Join(data, "before-one-file", "claims.db")
			if err := errors.Join(os.WriteFile(filepath.Join(data, "exchange.json"), mark, 0o600),
				os.Rename(moved, filepath.Join(data, "claims.db"))); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			data := filepath.Join(unpacked(t), "data")
			old := filesOf(t, data)
			change(t, data)
			if name != "killed while old files are moved" {
				const once = "start the exchange with it once"
				s.run(t, "check", "--data", data).want(t, 1, once)
				s.run(t, "backup", filepath.Join(data, "b"), "--data", data).want(t, 1, once)
			}
			e := s.on(t, data)
			if claims := e.records(t, "claim"); len(claims) != 5 {
				t.Errorf("there are %d claims", len(claims))
			}
			e.stops(t)
			if has := filesOf(t, data); len(has) != 1 || has[0] != "exchange.db" {
				t.Errorf("after a clean stop there are %v", has)
			}
			kept := filesOf(t, filepath.Join(data, "before-one-file"))
			for _, file := range old {
				if !strings.Contains(strings.Join(kept, " "), file) {
					t.Errorf("%s is not kept", file)
				}
			}
			s.run(t, "check", "--data", data).want(t, 0, whatItHas...)
			// A release before looks for the database of each service that this file names.
			said, err := os.ReadFile(filepath.Join(data, "exchange.json"))
			if err != nil || !strings.Contains(string(said), "the records are in exchange.db") {
				t.Errorf("an older release is told %q, %v", said, err)
			}
			// What another program has put there since is not mistaken for an old file.
			if err := os.WriteFile(filepath.Join(data, "claims.db"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			s.run(t, "run", "--data", data).want(t, 1, filepath.Join(data, "claims.db"), "move that away")
		})
	}
}

// TestAnOldBackupIsRestored restores a backup with a file for each service, and starts an exchange on it.
func TestAnOldBackupIsRestored(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	folder := unpacked(t)
	data := filepath.Join(folder, "restored")
	s.run(t, "restore", filepath.Join(folder, "backup"), "--data", data).want(t, 0, "exchange run --data")
	e := s.on(t, data)
	e.stops(t)
	s.run(t, "check", "--data", data).want(t, 0, whatItHas...)
	file := filepath.Join(folder, "backup", "claims.db")
	if err := os.Truncate(file, 8192); err != nil {
		t.Fatal(err)
	}
	s.run(t, "restore", filepath.Join(folder, "backup"), "--data", data+"-2").want(t, 1, file, "another backup")
}

// stops stops the exchange of a shell.
func (s *shell) stops(t *testing.T) {
	t.Helper()
	if err := s.Stop("exchange"); err != nil {
		t.Fatal(err)
	}
}
