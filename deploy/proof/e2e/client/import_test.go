package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"insurance.example/exchange/pkg/wait"
)

// fleet returns NDJSON of n vehicles. One in every refused vehicles has a plate that is no string; none if refused is
// 0.
func fleet(n, refused int) string {
	var text strings.Builder
	for i := 1; i <= n; i++ {
		if refused > 0 && i%refused == 0 {
			fmt.Fprintf(&text, "{\"plateNumber\":%d}\n", i)
		} else {
			fmt.Fprintf(&text, "{\"plateNumber\":\"EX %d\",\"vin\":\"V%d\"}\n", i, i)
		}
	}
	return text.String()
}

// plates returns the plates of all vehicles, sorted.
func (s *shell) plates(t *testing.T) []string {
	t.Helper()
	var plates []string
	for _, line := range s.run(t, "list", "vehicle", "--all").want(t, 0).lines() {
		var vehicle struct{ PlateNumber string }
		if err := json.Unmarshal([]byte(line), &vehicle); err != nil {
			t.Fatal(err)
		}
		plates = append(plates, vehicle.PlateNumber)
	}
	slices.Sort(plates)
	return plates
}

// wantFleet ends the test if the vehicles are not exactly those of fleet(n, 0), each once.
func (s *shell) wantFleet(t *testing.T, n int) {
	t.Helper()
	plates := s.plates(t)
	if len(plates) != n || len(slices.Compact(plates)) != n {
		t.Fatalf("there are %d vehicles, want %d different ones", len(plates), n)
	}
}

func TestImport(t *testing.T) {
	t.Parallel()
	s := newRacedShell(t)
	s.write(t, "fleet.ndjson", fleet(500, 25))
	s.run(t, "import", "vehicle", "fleet.ndjson").want(t, 1, "500 records: 480 created, 0 already there, 20 refused",
		"fleet.rejected.ndjson")
	s.wantFleet(t, 480)
	rejected := lines(s.read(t, "fleet.rejected.ndjson"))
	if len(rejected) != 20 {
		t.Fatalf("%d records are in the file of rejected ones, want 20", len(rejected))
	}
	for _, line := range rejected {
		var r struct {
			RejectedBecause string
			PlateNumber     int
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.PlateNumber%25 != 0 || r.RejectedBecause != "invalid field: /plateNumber must be a string" {
			t.Errorf("rejected: %s", line)
		}
	}

	// The file is corrected, formatted in another way, and begins with an additional row. Only new records are created.
	var corrected []string
	for i := 500; i > 0; i-- {
		corrected = append(corrected, fmt.Sprintf(`{"vin": "V%d", "plateNumber": "EX %d"} `, i, i))
	}
	s.write(t, "fleet.ndjson", "{\"vin\":\"V0\", \"plateNumber\":\"EX 0\"}\n\n"+strings.Join(corrected, "\n"))
	s.run(t, "import", "vehicle", "fleet.ndjson").want(t, 0, "501 records: 21 created, 480 already there, 0 refused")
	s.wantFleet(t, 501)
	if _, err := os.Stat(s.path("fleet.rejected.ndjson")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file of rejected records outlives an import without any: %v", err)
	}
}

func TestEqualRecords(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.write(t, "one.ndjson", strings.Repeat("{\"plateNumber\":\"EX 1\"}\n", 3))
	s.run(t, "import", "vehicle", "one.ndjson").want(t, 0, "3 created, 0 already there")
	s.run(t, "import", "vehicle", "one.ndjson").want(t, 0, "0 created, 3 already there", "--batch")
	s.run(t, "import", "vehicle", "one.ndjson", "--batch", "june").want(t, 0, "3 created, 0 already there")
	if plates := s.plates(t); len(plates) != 6 {
		t.Errorf("there are %d vehicles, want 6", len(plates))
	}
}

// underway is an import that has received a part of its file.
type underway struct {
	*exec.Cmd
	file   io.WriteCloser
	stderr io.Reader
}

// midway starts an import of the first 200 vehicles of fleet(400, 0), which then waits for more of its file.
func (s *shell) midway(t *testing.T, flags ...string) underway {
	t.Helper()
	u := underway{Cmd: s.command(t, nil, append([]string{"import", "vehicle", "-", "--format", "ndjson"}, flags...)...)}
	var err error
	if u.file, err = u.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if u.stderr, err = u.StderrPipe(); err != nil {
		t.Fatal(err)
	}
	if err := u.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(u.file, fleet(200, 0)); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, func() error {
		if n := len(s.plates(t)); n < 150 {
			return fmt.Errorf("%d vehicles were created", n)
		}
		return nil
	})
	return u
}

func TestKilledImport(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	u := s.midway(t)
	if err := u.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := u.Wait(); err == nil {
		t.Fatal("the import ended before it was killed")
	}
	s.write(t, "fleet.ndjson", fleet(400, 0))
	r := s.run(t, "import", "vehicle", "fleet.ndjson").want(t, 0, "400 records")
	if strings.Contains(r.stdout, " 0 already there") {
		t.Errorf("nothing was there of the import that was killed: %s", r.stdout)
	}
	s.wantFleet(t, 400)
}

func TestInterruptedImport(t *testing.T) {
	t.Parallel()
	s := newRacedShell(t)
	u := s.midway(t)
	if err := u.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(u.stderr)
	if err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := u.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Fatalf("after Ctrl-C: %v, want exit status 130", err)
	}
	for _, word := range []string{"stopped", "records: ", "The same command goes on from here"} {
		if !strings.Contains(string(said), word) {
			t.Errorf("stderr lacks %q: %s", word, said)
		}
	}
}

// TestImportThroughAnOutage kills the exchange during an import and starts it again. Every record is created exactly
// once.
func TestImportThroughAnOutage(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	u := s.midway(t, "--verbose")
	if err := s.Kill("exchange"); err != nil {
		t.Fatal(err)
	}
	rest := strings.TrimPrefix(fleet(400, 0), fleet(200, 0))
	if _, err := io.WriteString(u.file, rest); err != nil {
		t.Fatal(err)
	}
	if err := u.file.Close(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, u.stderr, "trying again")
	if err := s.Restart("exchange"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, u.stderr); err != nil {
		t.Fatal(err)
	}
	if err := u.Wait(); err != nil {
		t.Fatal(err)
	}
	s.wantFleet(t, 400)
}

// waitFor reads until a word has been read.
func waitFor(t *testing.T, r io.Reader, word string) {
	t.Helper()
	var read strings.Builder
	b := make([]byte, 4096)
	for !strings.Contains(read.String(), word) {
		n, err := r.Read(b)
		if err != nil {
			t.Fatalf("%v before %q in %s", err, word, &read)
		}
		read.Write(b[:n])
	}
}
