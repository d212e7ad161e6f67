package trial

import (
	"sync"
	"testing"
)

// AtOnce sends n requests at the same moment and returns the responses. The test ends if a request gets none.
func AtOnce(t testing.TB, n int, send func(i int) (Response, error)) []Response {
	t.Helper()
	responses, errs := make([]Response, n), make([]error, n)
	var senders sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		senders.Go(func() {
			<-begin
			responses[i], errs[i] = send(i)
		})
	}
	close(begin)
	senders.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	return responses
}

// Count returns how many of the responses have each status.
func Count(responses []Response) map[int]int {
	counts := map[int]int{}
	for _, a := range responses {
		counts[a.Status]++
	}
	return counts
}
