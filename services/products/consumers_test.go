package products_test

import (
	"path/filepath"
	"testing"

	"insurance.example/exchange/pkg/servicetest/consumercontract"
)

// TestWhatConsumersRelyOn replays what other services rely on at this one.
func TestWhatConsumersRelyOn(t *testing.T) {
	s := start(t)
	consumercontract.Replay(t, s, nil, filepath.Join("..", "..", "contracts", "consumers", "products"),
		consumercontract.Logged(s, consumercontract.States{
			"a wording that can be created": func(*testing.T) map[string]string { return nil },
			"a wording that is created":     func(*testing.T) map[string]string { return nil },
		}, func(*testing.T) { s.Create("policyWording", `{"name":"Standard"}`) }))
}
