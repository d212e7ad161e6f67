package process

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Lock opens a file and locks it until it is closed. It calls waits once if another process has the lock.
func Lock(ctx context.Context, path string, waits func()) (*os.File, error) {
	for first := true; ; first = false {
		file, err := TryLock(path)
		if file != nil || err != nil {
			return file, err
		}
		if first {
			waits()
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for %s: %w", path, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}
