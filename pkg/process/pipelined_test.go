package process_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestPipelinedRequestsTakeTurns has connections send many requests at once, without waiting for the responses. They
// are served in turns: a connection does not have one after the other served until the scheduler stops its goroutine,
// while all others wait.
func TestPipelinedRequestsTakeTurns(t *testing.T) {
	const connections, requests = 32, 500 // of each connection
	var mu sync.Mutex
	var served []string // the connections of the requests
	sent := make(chan struct{})
	p, _ := open(t, nil)
	serving(t, p, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-sent // by all, so that none is done before another one begins
		mu.Lock()
		served = append(served, r.URL.Path)
		mu.Unlock()
		for began := time.Now(); time.Since(began) < 20*time.Microsecond; {
			continue // as work does
		}
	}))
	for i := range connections {
		d := dialled(t, p)
		if _, err := io.WriteString(d, strings.Repeat(fmt.Sprintf("GET /%d HTTP/1.1\r\nHost: a\r\n\r\n", i), requests)); err != nil {
			t.Fatal(err)
		}
	}
	close(sent)
	eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(served) == connections*requests
	})
	// From the first quarter to the third, all have begun and none has ended, if they take turns.
	different, windows := 0, 0
	for at := len(served) / 4; at < 3*len(served)/4; at += connections {
		of := map[string]bool{}
		for _, connection := range served[at : at+connections] {
			of[connection] = true
		}
		different, windows = different+len(of), windows+1
	}
	if mean := float64(different) / float64(windows); mean < connections/2 {
		t.Errorf("%d successive requests are of %.1f different connections, want about %d", connections, mean, connections)
	} else {
		t.Logf("%d successive requests are of %.1f different connections", connections, mean)
	}
}
