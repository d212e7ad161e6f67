package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// TestDiskTakesNoMore keeps the files of a running exchange from growing, as a quota or a full file system does.
// Writes are refused with 503 and Retry-After, reads still work, the log says what to do, and a retry succeeds once
// there is space. The exchange does not raise the limit itself, and the test needs no rights to set it. The exchange
// is not ready while it cannot write, also if nobody has tried to, and again as soon as it can.
func TestDiskTakesNoMore(t *testing.T) {
	t.Parallel()
	e, err := commands.RunInOne(t.TempDir())
	trial.EndWith(t, e, err)
	c := client(t, e, "tester", trial.Developer, trial.Admin)
	party := c.Create(t, "personal", personal())
	path := "/personal/" + party.Text("id")

	admin, err := e.AdminAddress("exchange")
	if err != nil {
		t.Fatal(err)
	}
	wantReadiness(t, admin, http.StatusOK, `"parties store":"ok"`)
	raise := limitFiles(t, e.PID("exchange"), 4<<10)
	wantReadiness(t, admin, http.StatusServiceUnavailable, "exchange.db cannot be written; free space on the disk")
	body, key := personal(), fresh("key")
	for range 2 {
		refused := c.Post(t, "/personal", body, "Idempotency-Key", key).Want(t, http.StatusServiceUnavailable)
		if refused.Header.Get("Retry-After") == "" {
			t.Errorf("503 has no Retry-After: %v", refused.Header)
		}
	}
	c.Put(t, path, party.With("firstName", "Augusta")).Want(t, http.StatusServiceUnavailable)
	wantMembers(t, c.Read(t, path), map[string]string{"firstName": "Ada"})
	for _, words := range []string{filepath.Join(e.Data, "exchange.db"), "cannot be written",
		"free space on the disk, or raise the quota or limit"} {
		if log := e.Logs(); !strings.Contains(log, words) {
			t.Errorf("the log does not say %q:\n%s", words, log)
		}
	}
	wantReadiness(t, admin, http.StatusServiceUnavailable, "exchange.db cannot be written; free space on the disk")
	raise()
	wantReadiness(t, admin, http.StatusOK, `"parties store":"ok"`)

	made := c.Post(t, "/personal", body, "Idempotency-Key", key).Want(t, http.StatusCreated).Record(t)
	wantMembers(t, c.Read(t, "/personal/"+made.Text("id")), map[string]string{"idNumber": body.Text("idNumber")})
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// TestFullDiskStillReads starts an exchange that may not write into its files, as on a disk that was full before:
// after a good stop, where SQLite makes further files, and after a crash. What is stored can be read; once there is
// space, it can be written.
func TestFullDiskStillReads(t *testing.T) {
	t.Parallel()
	e, err := commands.RunInOne(t.TempDir())
	trial.EndWith(t, e, err)
	c := client(t, e, "tester", trial.Developer, trial.Admin)
	party := c.Create(t, "personal", personal())
	for name, end := range map[string]func(string) error{"after a good stop": e.Stop, "after a crash": e.Kill} {
		t.Run(name, func(t *testing.T) {
			if err := end("exchange"); err != nil {
				t.Fatal(err)
			}
			// The unit of ulimit is 512 bytes or twice that, by the shell; either is less than a page of the log with
			// its header.
			full, err := trial.Start("/bin/sh", []string{"EXCHANGE_REQUEST_TIMEOUT=5m"}, "-c",
				`ulimit -S -f 4 && exec "$0" "$@"`,
				commands.Path("exchange"), "run", "--data", e.Data, "--addr", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := full.Stop(); err != nil {
					t.Error(err)
				}
				if err := e.Restart("exchange"); err != nil {
					t.Error(err)
				}
			}()
			base, err := full.Find(full.Stdout, regexp.MustCompile(`listens on (http://[0-9.:]+)`))
			if err != nil {
				t.Fatal(err)
			}
			admin, err := full.Find(full.Stderr, regexp.MustCompile(`"msg":"metrics and health","address":"([^"]+)"`))
			if err != nil {
				t.Fatal(err)
			}
			wantReadiness(t, admin, http.StatusServiceUnavailable, "exchange.db cannot be written")
			c := c.At(base)
			wantMembers(t, c.Read(t, "/personal/"+party.Text("id")), map[string]string{"firstName": "Ada"})
			c.Post(t, "/personal", personal()).Want(t, http.StatusServiceUnavailable)
			limitFiles(t, full.PID(), unix.RLIM_INFINITY)
			wantReadiness(t, admin, http.StatusOK, `"parties store":"ok"`)
			c.Create(t, "personal", personal())
		})
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

// wantReadiness waits until /readyz at an address has a status and says some words.
func wantReadiness(t *testing.T, admin string, status int, words string) {
	t.Helper()
	wait.Until(t, func() error {
		response, err := http.Get("http://" + admin + "/readyz")
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
