package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// load sends requests to all services while a test changes an exchange. Not one may fail.
type load struct {
	t *testing.T
	// policyNumber is the policy of all claims and receipts.
	policyNumber string
	stop         context.CancelFunc
	senders      sync.WaitGroup
	// sent counts requests. made holds the records of each resource whose creation was acknowledged.
	sent atomic.Int64
	made map[string]*atomic.Int64
}

// pauses are how long senders wait after a response. Some leave their connections idle for about as long as servers
// keep them.
var pauses = []time.Duration{0, 30 * time.Millisecond, 700 * time.Millisecond, 2900 * time.Millisecond}

// startLoad begins to send requests, from one sender for each pause and client.
func startLoad(t *testing.T, policyNumber string, clients ...*trial.Client) *load {
	ctx, stop := context.WithCancel(t.Context())
	l := &load{t: t, policyNumber: policyNumber, stop: stop, made: map[string]*atomic.Int64{}}
	for resource := range l.bodies() {
		l.made[resource] = &atomic.Int64{}
	}
	for _, c := range clients {
		for _, pause := range pauses {
			l.senders.Go(func() { l.send(ctx, c, pause) })
		}
	}
	t.Cleanup(l.end)
	return l
}

// bodies returns one new record of each service. Those of claims and premium need other services.
func (l *load) bodies() map[string]trial.Record {
	return map[string]trial.Record{
		"personal": personal(), "policyWording": wording(), "vehicle": vehicle(),
		"claim": loss(l.policyNumber, -1), "receipt": receipt(l.policyNumber, 1),
	}
}

// send sends requests until ctx ends.
func (l *load) send(ctx context.Context, c *trial.Client, pause time.Duration) {
	for {
		for resource, body := range l.bodies() {
			if err := l.create(c, resource, body); err != nil {
				l.t.Errorf("pause %s: %v", pause, err)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
		}
	}
}

// create creates a record and reads one.
func (l *load) create(c *trial.Client, resource string, body trial.Record) error {
	l.sent.Add(1)
	if err := wantStatus(l.t.Context(), c, http.StatusCreated, http.MethodPost, "/"+resource, body); err != nil {
		return err
	}
	l.made[resource].Add(1)
	l.sent.Add(1)
	return wantStatus(l.t.Context(), c, http.StatusOK, http.MethodGet, "/"+resource+"?limit=1", nil)
}

// createOrRead creates a record, or reads the catalogue.
func createOrRead(ctx context.Context, c *trial.Client, create bool) error {
	if create {
		return wantStatus(ctx, c, http.StatusCreated, http.MethodPost, "/policyWording", wording())
	}
	return wantStatus(ctx, c, http.StatusOK, http.MethodGet, "/productCatalog", nil)
}

// wantStatus sends a request and returns an error unless the response has the status.
func wantStatus(ctx context.Context, c *trial.Client, want int, method, path string, body any) error {
	a, err := c.Send(ctx, method, path, body)
	if err == nil && a.Status != want {
		err = fmt.Errorf("status %d: %s", a.Status, a.Body)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// await waits until every resource was created a few times more.
func (l *load) await() {
	l.t.Helper()
	before := map[string]int64{}
	for resource, made := range l.made {
		before[resource] = made.Load()
	}
	wait.Until(l.t, func() error {
		for resource, made := range l.made {
			if made.Load() < before[resource]+3 && !l.t.Failed() {
				return errors.New("no more requests for " + resource)
			}
		}
		return nil
	})
}

// end waits until the last response is there. It may be called more than once.
func (l *load) end() {
	l.stop()
	l.senders.Wait()
}
