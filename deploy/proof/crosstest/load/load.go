// Package load has callers write through the gateway of an exchange while it is broken, rolled or moved. They
// remember what was acknowledged, and compare it in the end with what is stored.
package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"insurance.example/exchange/pkg/chance"
	"insurance.example/exchange/pkg/wait"
)

// record is a JSON object.
type record map[string]any

// Load is callers who write through the gateway, remember what was acknowledged, and read it again. Each repeats a
// write under its key until it is acknowledged.
type Load struct {
	Counts Counts
	// Strict has everything but a success be a fault: nothing is broken.
	Strict atomic.Bool
	// Entrance says that the gateway itself is broken, so that connections may be.
	Entrance atomic.Bool

	base, token string
	callers     []*caller
	end         func()

	mu     sync.Mutex
	faults []string
}

// Counts are what the callers have seen so far.
type Counts struct {
	Requests, Acknowledged, Unavailable, LostConnections atomic.Int64
	// StrictRequests are those that were sent while nothing was broken, and StrictFailures those of them that failed.
	StrictRequests, StrictFailures atomic.Int64
}

// write is one record that a caller wants, or one change of a record.
type write struct {
	method, path string
	// resource is the name of the resource whose records are made or changed.
	resource, key string
	body          record
	// changes is the record that is changed; nil if one is made.
	changes *write
	// amount is what the write adds to the row of the policy.
	amount int
	id     string // of the record, once it is acknowledged
}

// fault notes what the exchange did wrong.
func (l *Load) fault(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.faults) < 50 {
		l.faults = append(l.faults, fmt.Sprintf(format, args...))
	}
}

// Check fails the test with the faults noted so far.
func (l *Load) Check(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.faults {
		t.Error(f)
	}
	l.faults = nil
}

// Start starts callers of a working gateway, each with a policy of its own, who make records. They run until Stop, or
// until the end of the test. All use the token.
func Start(t *testing.T, base, token string, callers int) *Load {
	t.Helper()
	return start(t, base, token, callers, kindsOfRecords)
}

// StartChanging is Start for callers who also replace, settle, refund and endorse what they have made.
func StartChanging(t *testing.T, base, token string, callers int) *Load {
	t.Helper()
	return start(t, base, token, callers, kinds)
}

func start(t *testing.T, base, token string, callers, kinds int) *Load {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	l := &Load{base: base, token: token}
	l.end = sync.OnceFunc(func() {
		cancel()
		group.Wait()
	})
	t.Cleanup(cancel)
	mark := fmt.Sprintf("%X", time.Now().UnixMilli()%0xFFFFFF)
	seed := chance.Seed(t)
	for i := range callers {
		c := &caller{
			load: l, name: fmt.Sprintf("%s-%d", mark, i), kinds: kinds,
			random: rand.New(rand.NewPCG(seed, uint64(i))),
			client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}, Timeout: time.Minute},
			// Some keep their connections busy, and some leave them, and those behind the gateway, for a while.
			pause: []time.Duration{20 * time.Millisecond, 20 * time.Millisecond, 200 * time.Millisecond,
				2900 * time.Millisecond}[i%4],
		}
		l.callers = append(l.callers, c)
		if err := c.begin(ctx); err != nil {
			t.Fatal(err)
		}
		group.Go(func() { c.run(ctx) })
	}
	return l
}

// Stop ends the callers. It returns when what they have begun is acknowledged.
func (l *Load) Stop() { l.end() }

// GoOn waits until so many more requests were sent.
func (l *Load) GoOn(t *testing.T, requests int64) {
	t.Helper()
	until := l.Counts.Requests.Load() + requests
	wait.Until(t, func() error {
		if now := l.Counts.Requests.Load(); now < until {
			return fmt.Errorf("%d of %d requests were sent", now, until)
		}
		return nil
	})
}

// Recovered waits until writes of every service are acknowledged, and fails the test with the faults noted so far.
func (l *Load) Recovered(t *testing.T) {
	t.Helper()
	for _, c := range l.callers[:2] {
		until := c.acknowledged.Load() + int64(c.kinds)
		wait.Until(t, func() error {
			if now := c.acknowledged.Load(); now < until {
				return fmt.Errorf("caller %s has %d of %d writes acknowledged", c.name, now, until)
			}
			return nil
		})
	}
	l.Check(t)
}

// response is a response with its body.
type response struct {
	status int
	header http.Header
	body   []byte
}

// decode reads the body, whose numbers keep their digits.
func (r *response) decode(into any) error {
	decoder := json.NewDecoder(bytes.NewReader(r.body))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// send sends a request to the gateway, without a body if it is nil, and without a key if that is empty.
func (l *Load) send(
	ctx context.Context, client *http.Client, method, path string, body record, key string,
) (*response, error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, l.base+path, content)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+l.token)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
		// The caller repeats what fails itself, so that each failure is counted.
		request.GetBody = nil
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	got, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	return &response{got.StatusCode, got.Header, text}, err
}
