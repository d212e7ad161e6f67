package process_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"insurance.example/exchange/pkg/process"
)

// TestHealthCommand asks a running program, as the check of a container does, and one that is not there.
func TestHealthCommand(t *testing.T) {
	var broken atomic.Bool
	p, journal := open(t, nil)
	p.Ready("store", func(context.Context) error {
		if broken.Load() {
			return errors.New("no primary")
		}
		return nil
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); p.Await(ctx) }()
	admin := strings.TrimPrefix(journal.adminURL(t), "http://")
	_, port, _ := strings.Cut(admin, ":")
	program := process.Program{Name: "claims", Run: func(context.Context, *process.Process) error {
		return errors.New("it ran")
	}}
	health := func(environ []string, args ...string) (status int, out, stderr string) {
		var o, e strings.Builder
		status = program.Execute(t.Context(), append([]string{"health"}, args...), environ, &o, &e)
		return status, o.String(), e.String()
	}
	eventually(t, func() bool { status, _, _ := health(nil, "--admin-addr", admin); return status == 0 })
	// An address for every interface is asked at this machine.
	if status, out, stderr := health([]string{"EXCHANGE_ADMIN_ADDR=:" + port}); status != 0 ||
		!strings.Contains(out, `"store":"ok"`) {
		t.Errorf("status %d, %s %s", status, out, stderr)
	}
	broken.Store(true)
	if status, out, stderr := health(nil, "--admin-addr", admin); status != 1 || !strings.Contains(out, "no primary") ||
		!strings.Contains(stderr, "not ready") {
		t.Errorf("a program that is not ready: status %d, %s %s", status, out, stderr)
	}
	stop()
	<-ended
	for want, args := range map[string][]string{
		"not running": {"--admin-addr", admin}, "port 0": {"--admin-addr", "127.0.0.1:0"},
		"give --admin-addr": {"--admin-addr", ""}, "adrr": {"--adrr", "x"},
	} {
		if status, _, stderr := health(nil, args...); status != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%q: status %d, %s", args, status, stderr)
		}
	}
}
