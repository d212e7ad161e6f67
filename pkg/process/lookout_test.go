package process

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
)

// TestProbesComeBack sends probes, each of which comes back once. None can be sent before or after the time in which
// they are read, and one that was not read by then counts as having come back, so that nobody takes it for one that
// waits.
func TestProbesComeBack(t *testing.T) {
	var passed atomic.Int64
	l := &lookout{passed: func() { passed.Add(1) }}
	if l.send() {
		t.Fatal("a probe is sent although nobody reads it")
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- l.run(ctx) }()
	await := func(what string, is func() bool) {
		t.Helper()
		for began := time.Now(); !is(); time.Sleep(time.Millisecond) {
			if time.Since(began) > time.Minute {
				t.Fatal(what)
			}
		}
	}
	await("no probe can be sent", l.send)
	for n := int64(1); n <= 3; n++ {
		await("a probe does not come back", func() bool { return passed.Load() == n })
		if n < 3 && !l.send() {
			t.Fatal("no further probe can be sent")
		}
	}
	stop()
	if err := <-ended; err == nil {
		t.Error("it ends without an error")
	}
	if l.send() || passed.Load() != 4 {
		t.Errorf("at the end, %d have come back", passed.Load())
	}
}
