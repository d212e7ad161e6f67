package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"insurance.example/exchange/deploy/e2e/trial"
)

// TestDiskTakesNoMore keeps the files of a running exchange from growing, as a quota or a full file system does. Writes are
// refused with 503 and Retry-After, reads still work, the log says what to do, and a retry succeeds once there is space. The
// exchange does not raise the limit itself, and the test needs no rights to set it. The exchange is not ready while it cannot write,
// also if nobody has tried to, and again as soon as it can.
func TestDiskTakesNoMore(t *testing.T) {
	t.Parallel()
	e, err := commands.RunInOne(t.TempDir())
	trial.EndWith(t, e, err)
	c := client(t, e, "tester", trial.Developer, trial.Admin)
	party := c.Create(t, "personal", personal())
	path := "/personal/" + party.Text("id")

	wantReadiness(t, e, http.StatusOK, `"parties store":"ok"`)
	raise := limitFiles(t, e.PID("exchange"), 4<<10)
	wantReadiness(t, e, http.StatusServiceUnavailable, "parties.db cannot be written; free space on the disk")
	body, key := personal(), fresh("key")
	for range 2 {
		refused := c.Post(t, "/personal", body, "Idempotency-Key", key).Want(t, http.StatusServiceUnavailable)
		if refused.Header.Get("Retry-After") == "" {
			t.Errorf("503 has no Retry-After: %v", refused.Header)
		}
	}
	c.Put(t, path, party.With("firstName", "Augusta")).Want(t, http.StatusServiceUnavailable)
	wantMembers(t, c.Read(t, path), map[string]string{"firstName": "Ada"})
	for _, words := range []string{filepath.Join(e.Data, "parties.db"), "cannot be written", "free space on the disk, or raise the quota or limit"} {
		if log := e.Logs(); !strings.Contains(log, words) {
			t.Errorf("the log does not say %q:\n%s", words, log)
		}
	}
	wantReadiness(t, e, http.StatusServiceUnavailable, "parties.db cannot be written; free space on the disk")
	raise()
	wantReadiness(t, e, http.StatusOK, `"parties store":"ok"`)

	made := c.Post(t, "/personal", body, "Idempotency-Key", key).Want(t, http.StatusCreated).Record(t)
	wantMembers(t, c.Read(t, "/personal/"+made.Text("id")), map[string]string{"idNumber": body.Text("idNumber")})
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// limitFiles sets how far, in bytes, a process may write into a file (RLIMIT_FSIZE).
func limitFiles(t *testing.T, pid int, size uint64) (raise func()) {
	t.Helper()
	var before unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &before); err != nil {
		t.Fatal(err)
	}
	// A soft limit that was lowered can be raised again without rights, as long as the hard limit is unchanged.
	if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: before.Max}, nil); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &before, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// wantReadiness waits until /readyz has a status and says some words.
func wantReadiness(t *testing.T, e *trial.Exchange, status int, words string) {
	t.Helper()
	address, err := e.AdminAddress("exchange")
	if err != nil {
		t.Fatal(err)
	}
	trial.Eventually(t, func() error {
		response, err := http.Get("http://" + address + "/readyz")
		if err != nil {
			return err
		}
		defer response.Body.Close()
		report, err := io.ReadAll(response.Body)
		if err == nil && (response.StatusCode != status || !strings.Contains(string(report), words)) {
			err = fmt.Errorf("%d %s, want %d with %s", response.StatusCode, report, status, words)
		}
		return err
	})
}
