package trial

import (
	"sync"
	"testing"
	"time"
)

// Eventually asks until done returns nil, and ends the test with its last error after Patience.
func Eventually(t testing.TB, done func() error) {
	t.Helper()
	deadline := time.Now().Add(Patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := done()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %v", Patience, err)
		}
		<-tick.C
	}
}

// AtOnce sends n requests at the same moment and returns what they got. The test ends if one got nothing.
func AtOnce(t testing.TB, n int, send func(i int) (Answer, error)) []Answer {
	t.Helper()
	answers, errs := make([]Answer, n), make([]error, n)
	var senders sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		senders.Go(func() {
			<-begin
			answers[i], errs[i] = send(i)
		})
	}
	close(begin)
	senders.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	return answers
}

// Count returns how many returns have each status.
func Count(answers []Answer) map[int]int {
	counts := map[int]int{}
	for _, a := range answers {
		counts[a.Status]++
	}
	return counts
}
