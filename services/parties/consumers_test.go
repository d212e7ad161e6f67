package parties_test

import (
	"path/filepath"
	"testing"

	"insurance.example/exchange/pkg/servicetest/consumercontract"
)

// TestWhatConsumersRelyOn replays what other services rely on at this one.
func TestWhatConsumersRelyOn(t *testing.T) {
	s := start(t)
	id := func(id string) map[string]string { return map[string]string{"id": id} }
	consumercontract.Replay(t, s, filepath.Join("..", "..", "contracts", "consumers", "parties"),
		consumercontract.States{
			"an individual": func(*testing.T) map[string]string {
				return id(s.Create("personal", person("X1", "")))
			},
			"a company": func(*testing.T) map[string]string {
				return id(s.Create("commercial", `{"name":"A"}`))
			},
			"no party with the id": func(*testing.T) map[string]string {
				return id("00000000-0000-7000-8000-000000000000")
			},
		})
}
