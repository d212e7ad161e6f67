package store_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// TestBenchOnMongoDB runs the bench on MongoDB, in one process and as separate processes, and the same operations with
// the driver alone. None may fail.
func TestBenchOnMongoDB(t *testing.T) {
	command := filepath.Join(t.TempDir(), "bench")
	if text, err := exec.CommandContext(t.Context(), "go", "build", "-o", command,
		"insurance.example/exchange/deploy/proof/bench").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for began, args := range map[string][]string{
		"exchange: 1 process,": nil,
		fmt.Sprintf("exchange: %d processes,", len(trial.Processes())): {"-processes"},
	} {
		t.Run(began, func(t *testing.T) {
			b := emptyBook(t)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			bench := exec.CommandContext(ctx, command,
				append(args, "-commands", filepath.Dir(b.exchange), "-mongo", "-mongo-url", uri(t),
					"-policies", "60", "-duration", "500ms", "-connections", "2")...)
			printed, err := bench.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, printed)
			}
			if !strings.HasPrefix(string(printed), began) {
				t.Errorf("want %q first in\n%s", began, printed)
			}
			for _, row := range []string{`GET /vehicle/\{id\}`, `GET /claim\?policyNumber=`, `GET /vehicle\?limit=50`,
				"POST /vehicle", "POST /claim"} {
				// A rate, two latencies, no error and the rate of the driver.
				if !regexp.MustCompile(`(?m)^` + row + ` +[1-9]\d* +[\d.]+ +[\d.]+ +0 +[1-9]\d* `).Match(printed) {
					t.Errorf("want %s with two rates and no error in\n%s", row, printed)
				}
			}
		})
	}
}
