package audit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"insurance.example/exchange/pkg/audit"
)

// held is an output whose first write waits until it is let go.
type held struct {
	mu    sync.Mutex
	text  bytes.Buffer
	fails error
	let   chan struct{}
}

func (h *held) Write(lines []byte) (int, error) {
	<-h.let
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fails != nil {
		return 0, h.fails
	}
	return h.text.Write(lines)
}

func open(out *held, log *bytes.Buffer) (*audit.Log, *prometheus.Registry) {
	registry := prometheus.NewRegistry()
	return audit.Open(out, slog.New(slog.NewJSONHandler(log, nil)), registry), registry
}

func TestLinesAreWholeAndBounded(t *testing.T) {
	out := &held{let: make(chan struct{})}
	log, _ := open(out, &bytes.Buffer{})
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			log.Add(&audit.Entry{
				Time: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), Request: fmt.Sprint("order-", i),
				Route: "/claim/:id/document/:name", Subject: "a \"broker\"\n\xff", Path: strings.Repeat("x", 5000),
				Status: 201,
			})
		})
	}
	group.Wait() // nobody waits for the write that is held
	close(out.let)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	seen := map[any]bool{}
	for text := range strings.Lines(out.text.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		seen[line["request"]] = true
		if line["stream"] != "audit" || line["time"] != "2026-01-02T03:04:05.000006Z" || line["status"] != 201. ||
			line["subject"] != "a \"broker\"\n\ufffd" || len(line["path"].(string)) != 1024 || line["query"] != nil ||
			line["route"] != "/claim/{id}/document/{name}" {
			t.Fatal(text)
		}
	}
	if len(seen) != 50 {
		t.Errorf("%d lines, want 50", len(seen))
	}
}

// TestFailuresAreCounted has a log without room: requests go on, and who runs the exchange can see it.
func TestFailuresAreCounted(t *testing.T) {
	out := &held{let: make(chan struct{}), fails: errors.New("no space left")}
	close(out.let)
	var said bytes.Buffer
	log, registry := open(out, &said)
	log.Add(&audit.Entry{Status: 200})
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	log.Add(&audit.Entry{Status: 200}) // after the end nothing waits
	const want = `# HELP exchange_audit_writes_failed_total Writes to the audit log that failed.
# TYPE exchange_audit_writes_failed_total counter
exchange_audit_writes_failed_total 1
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
	if !strings.Contains(said.String(), "no space left") {
		t.Errorf("the log says %q", said.String())
	}
}

// TestFilesAreRotatedAndBounded writes more than a file may have.
func TestFilesAreRotatedAndBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	file, err := audit.File(path, 2)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	lines := bytes.Repeat([]byte("x"), 60<<20)
	for range 2 {
		if _, err := file.Write(lines); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); err != nil || len(files) != 2 {
		t.Errorf("%v %v", files, err)
	}
	if _, err := audit.File(filepath.Join(path, "none"), 2); err == nil {
		t.Error("a file below a file is opened")
	}
}
