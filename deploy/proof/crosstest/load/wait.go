package load

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// Patience is how long a test waits for what must come. It only ends a test that would never end: a replica on a busy
// machine took longer than four minutes to be ready.
const Patience = 15 * time.Minute

// Eventually asks until done returns nil, and ends the test with its last error after Patience.
func Eventually(t *testing.T, done func() error) {
	t.Helper()
	deadline := time.Now().Add(Patience)
	for {
		err := done()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(errors.Join(fmt.Errorf("not within %s", Patience), err))
		}
		<-time.After(100 * time.Millisecond)
	}
}
