package feed_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"testing/synctest"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/servicetest/consumercontract"
	"insurance.example/exchange/services/feed"
)

// TestWhatConsumersRelyOn replays what other services rely on at this one.
func TestWhatConsumersRelyOn(t *testing.T) {
	s := servicetest.Start(t, feed.Service().Definition(), servicetest.Options{})
	consumercontract.Replay(t, s, nil, filepath.Join("..", "..", "contracts", "consumers", "feed"),
		consumercontract.States{"its build and settings": consumercontract.Always})
}

// TestEveryLogThatIsReliedOn reads the logs of the contracts with the other services.
func TestEveryLogThatIsReliedOn(t *testing.T) {
	peers := map[string]http.Handler{}
	var stubs []*consumercontract.Stub
	for _, service := range internalapi.Logged() {
		stub := consumercontract.NewStub(t, filepath.Join("..", "..", "contracts", "consumers", service, "feed.json"))
		stubs = append(stubs, stub)
		peers[service] = stub
	}
	s := servicetest.Start(t, feed.Service().Definition(), servicetest.Options{Peers: peers})
	all := s.Must(http.StatusOK, http.MethodGet, fmt.Sprintf("/x/events?limit=%d", len(stubs)), "")
	if events := all.Body["events"].([]any); len(events) != len(stubs) {
		t.Errorf("events %s", all.Text)
	}
	// The place that each log names as its end is the one that it then does not have.
	s.Must(http.StatusGone, http.MethodGet, path("now"), "")
	synctest.Test(t, func(t *testing.T) { readsShared(t, peers["coverage"], peers["desk"]) })
	for _, stub := range stubs {
		stub.WantAllAsked()
	}
}

// readsShared reads changes of acme as zenith, where organisations share the exchange. coverage and the desk say what
// zenith sees of them: M-1 and C, and not M-2 and D.
func readsShared(t *testing.T, coverage, desk http.Handler) {
	t.Helper()
	w := start(t, "--org-claim", "org")
	w.Service = w.As("zenith")
	w.logs["coverage"].keeper, w.logs["desk"].keeper = coverage, desk
	changed := func(at int, policyNumber, contract string) {
		w.logs["coverage"].add(at, "motorCoverage", "created", policyNumber, 1, policyNumber)
		w.logs["desk"].add(at, "bordereau", "prepared", contract, 1, "")
		for _, l := range []*log{w.logs["coverage"], w.logs["desk"]} {
			l.set(func() {
				c := &l.changes[len(l.changes)-1]
				c.Owner, c.Shared = "acme", c.PolicyNumber != ""
				if !c.Shared {
					c.Contract = contract
				}
			})
		}
	}
	changed(10, "M-1", "C")
	seen := w.until("", func(p page) bool { return p.ids() == "M-1-1 C-1" })
	changed(1020, "M-2", "D")
	w.logs["products"].add(1030, "product", "created", "p", 1, "")
	w.logs["products"].set(func() { w.logs["products"].changes[0].Public = true })
	w.watermarks(2000)
	w.until(seen.Next, func(p page) bool { return p.ids() == "p-1" })
}
