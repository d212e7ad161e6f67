package process_test

import (
	"context"
	"io"
	"testing"
	"time"

	"insurance.example/exchange/pkg/patience"
	"insurance.example/exchange/pkg/process"
)

// TestPatience gives a program the setting in each of the two ways, and none.
func TestPatience(t *testing.T) {
	defer patience.Set(1)
	var got time.Duration
	program := process.Program{Name: "program", Run: func(context.Context, *process.Process) error {
		got = patience.Times(time.Second)
		return nil
	}}
	for _, c := range []struct {
		args, environ []string
		want          time.Duration
	}{
		{nil, nil, time.Second}, {[]string{"--patience", "7"}, nil, 7 * time.Second},
		{nil, []string{"EXCHANGE_PATIENCE=9"}, 9 * time.Second}, {nil, nil, time.Second},
	} {
		status := program.Execute(t.Context(), c.args, c.environ, io.Discard, io.Discard)
		if status != 0 || got != c.want {
			t.Errorf("%v %v: status %d, a patience of %v, want %v", c.args, c.environ, status, got, c.want)
		}
	}
	if status := program.Execute(t.Context(), []string{"--patience", "0"}, nil, io.Discard, io.Discard); status != 1 {
		t.Errorf("no patience at all: status %d", status)
	}
}
