package desk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/services/desk/folder"
)

// TestNoRoomForFiles has the folder for temporary files go, as on a disk that fails.
func TestNoRoomForFiles(t *testing.T) {
	at := filepath.Join(t.TempDir(), "tmp")
	if err := os.Mkdir(at, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", at)
	_, s := atNovember(t)
	s.Must(200, "PUT", profiles+"p", `{`+plain+`,"currency":"EUR","columns":[{"column":"Policy","means":"policyNumber"},
		{"column":"Gross","means":"gross"}]}`)
	if err := os.RemoveAll(at); err != nil {
		t.Fatal(err)
	}
	a := s.Must(503, "POST", statements+"?profile=p", "Policy,Gross\nP,1\n", "Content-Type", "text/csv")
	if a.Member("type") != "/problems/unavailable" || a.Header.Get("Retry-After") == "" ||
		strings.Contains(a.Text, at) {
		t.Error(a.Text)
	}
	// A desk does not start there.
	err := folder.New(nil).Open(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "TMPDIR names another folder") {
		t.Error(err)
	}
}
