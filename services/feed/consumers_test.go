package feed_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/servicetest/consumercontract"
	"insurance.example/exchange/services/feed"
)

// TestWhatConsumersRelyOn replays what other services rely on at this one.
func TestWhatConsumersRelyOn(t *testing.T) {
	s := servicetest.Start(t, feed.Service().Definition(), servicetest.Options{})
	consumercontract.Replay(t, s, filepath.Join("..", "..", "contracts", "consumers", "feed"),
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
	for _, stub := range stubs {
		stub.WantAllAsked()
	}
}
