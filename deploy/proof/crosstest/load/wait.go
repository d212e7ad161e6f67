package load

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// Patience is how long a test waits for what must come.
const Patience = 4 * time.Minute

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
