package whole_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"insurance.example/exchange/pkg/whole"
)

// TestAFileIsWholeOrAsItWas writes a file, creates it a second time, and fails half way. Nothing is left beside it.
func TestAFileIsWholeOrAsItWas(t *testing.T) {
	path, failure := filepath.Join(t.TempDir(), "name"), errors.New("half way")
	half := func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, failure)
	}
	for _, step := range []struct {
		name string
		do   func() error
		fail error
		want string
	}{
		{"create", func() error { return whole.Create(path, []byte("first")) }, nil, "first"},
		{"create again", func() error { return whole.Create(path, []byte("second")) }, fs.ErrExist, "first"},
		{"fail", func() error { return whole.Stream(path, half) }, failure, "first"},
		{"write", func() error { return whole.Write(path, []byte("third")) }, nil, "third"},
	} {
		if err := step.do(); !errors.Is(err, step.fail) {
			t.Errorf("%s: %v, want %v", step.name, err, step.fail)
		}
		text, err := os.ReadFile(path)
		entries, unread := os.ReadDir(filepath.Dir(path))
		about, missing := os.Stat(path)
		if err := errors.Join(err, unread, missing); err != nil {
			t.Fatal(err)
		}
		if string(text) != step.want || len(entries) != 1 || about.Mode().Perm() != 0o600 {
			t.Errorf("%s: %q of mode %v, among %d files", step.name, text, about.Mode(), len(entries))
		}
	}
}
