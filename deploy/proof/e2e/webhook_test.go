package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// arrived is what a receiver of a webhook has accepted: the greatest version of each record. An event may come again.
type arrived struct {
	mu   sync.Mutex
	seen map[string]int64
	// wrong is the first event that came before an earlier version of its record.
	wrong string
}

func (a *arrived) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var event struct {
		ID   string
		Data struct {
			ID      string
			Version int64
		}
	}
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &event)
	}
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if event.Data.ID == "" {
		return // a test
	}
	has := a.seen[event.Data.ID]
	if event.Data.Version > has+1 && a.wrong == "" {
		a.wrong = fmt.Sprintf("%s comes after version %d", event.ID, has)
	}
	a.seen[event.Data.ID] = max(has, event.Data.Version)
}

// TestAWebhookLosesNothingByKills kills an exchange three times while callers write and a webhook delivers.
func TestAWebhookLosesNothingByKills(t *testing.T) {
	t.Parallel()
	e, err := commands.RunInOne(t.TempDir(), "EXCHANGE_WEBHOOK_PRIVATE_ADDRESSES=true")
	trial.EndWith(t, e, err)
	c := client(t, e, "tester", trial.Developer, trial.Admin)
	got := &arrived{seen: map[string]int64{}}
	receiver := httptest.NewServer(got)
	defer receiver.Close()
	c.Do(t, http.MethodPut, "/x/webhook/all", trial.Record{"url": receiver.URL}).Want(t, http.StatusOK)
	const kills, turnsEach = 3, 100
	turns := make(chan struct{}, turnsEach)
	changing := keepChanging(t, c, 8, turns)
	for range kills {
		for range turnsEach {
			turns <- struct{}{}
		}
		if err := errors.Join(e.Kill("exchange"), e.Restart("exchange")); err != nil {
			t.Fatal(err)
		}
	}
	close(turns)
	changing.Wait()
	wait.Until(t, func() error {
		records := stored(t, c)
		got.mu.Lock()
		defer got.mu.Unlock()
		for id, version := range records {
			if got.seen[id] != version {
				return fmt.Errorf("%s has the version %d, and the receiver %d", id, version, got.seen[id])
			}
		}
		return nil
	})
	if got.wrong != "" {
		t.Error(got.wrong)
	}
}

// refusing returns the URL of a receiver that responds with 404.
func refusing(t *testing.T) string {
	t.Helper()
	receiver := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(receiver.Close)
	return receiver.URL
}

// tooManyWebhooks returns a request for one webhook more than there may be.
func tooManyWebhooks(t *testing.T, c *trial.Client) func() trial.Response {
	return func() trial.Response {
		receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		defer receiver.Close()
		for i := range 100 {
			path := fmt.Sprintf("/x/webhook/many-%d", i)
			a := c.Do(t, http.MethodPut, path, trial.Record{"url": receiver.URL})
			if a.Status != http.StatusOK {
				return a
			}
			defer c.Do(t, http.MethodDelete, path, nil)
		}
		t.Fatal("there is no bound")
		return trial.Response{}
	}
}
