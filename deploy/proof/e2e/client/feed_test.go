package client_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// tester returns a client of the exchange that may do everything.
func (s *shell) tester(t *testing.T) *trial.Client {
	t.Helper()
	c, err := s.Client("tester", trial.Admin, trial.Developer)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEventsAreReadOnFromAKeptCursor(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	c := s.tester(t)
	var ids []string
	for range 3 {
		ids = append(ids, c.Create(t, "vehicle", trial.Record{"vin": "WVWZZZ1JZXW000001"}).Text("id"))
	}
	read := func(most int, args ...string) []string {
		t.Helper()
		all := s.run(t, append([]string{"events", "--cursor-file", "cursor"}, args...)...).want(t, 0).lines()
		if len(all) > most {
			t.Fatalf("%d events, and there are %d: %v", len(all), most, all)
		}
		return all
	}
	var all []string
	wait.Until(t, func() error {
		if all = append(all, read(3-len(all))...); len(all) < 3 {
			return fmt.Errorf("only the events %v", all)
		}
		return nil
	})
	for i, id := range ids {
		if !strings.Contains(all[i], `"id":"`+id+`-1"`) {
			t.Errorf("event %d is %s, not of %s", i, all[i], id)
		}
	}
	if again := read(0); len(again) > 0 {
		t.Errorf("again: %v", again)
	}
	s.run(t, "put", "vehicle", ids[0], "--body", `{"vin":"WVWZZZ1JZXW000002"}`).want(t, 0)
	wait.Until(t, func() error {
		if table := read(2, "-o", "table"); len(table) < 2 || !strings.Contains(table[1], "vehicle.replaced") ||
			!strings.Contains(table[1], ids[0]) {
			return fmt.Errorf("the table is %v", table)
		}
		return nil
	})
	s.write(t, "cursor", "altered")
	s.run(t, "events", "--cursor-file", "cursor").want(t, 1, "was altered")
	s.run(t, "events", "one").want(t, 2, "takes no arguments")
	s.run(t, "events", "-o", "xml").want(t, 2, "json or table")
}

// TestEventsAreForwardedSigned has a receiver that fails at first.
func TestEventsAreForwardedSigned(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	c := s.tester(t)
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var taken []string
	attempts := 0
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = verifier.Verify(body, r.Header)
		}
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		if attempts++; attempts == 1 {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		taken = append(taken, r.Header.Get(standardwebhooks.HeaderWebhookID))
	}))
	t.Cleanup(receiver.Close)
	var want []string
	for range 3 {
		want = append(want, c.Create(t, "vehicle", trial.Record{"vin": "WVWZZZ1JZXW000001"}).Text("id")+"-1")
	}
	listen := s.command(t, nil, "listen", "--forward", receiver.URL+"/hook", "--secret", secret, "--after", "")
	if err := listen.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = listen.Process.Kill()
		_ = listen.Wait()
	})
	wait.Until(t, func() error {
		mu.Lock()
		defer mu.Unlock()
		if got := strings.Join(taken, " "); got != strings.Join(want, " ") {
			return fmt.Errorf("taken are %s, not %v", got, want)
		}
		return nil
	})
	for _, wrong := range []string{"http://203.0.113.7/hook", "ftp://127.0.0.1/", "http://u:p@127.0.0.1/", "hook"} {
		s.run(t, "listen", "--forward", wrong).want(t, 2, "--forward")
	}
	s.run(t, "listen", "--forward", receiver.URL, "--secret", "#").want(t, 2, "--secret")
}
