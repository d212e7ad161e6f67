package e2e_test

import (
	"math/rand/v2"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/searches"
	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// TestSearchesOfRealResources compares random searches of all resources with a filter over all records.
func TestSearchesOfRealResources(t *testing.T) {
	t.Parallel()
	e, err := commands.RunInOne(t.TempDir())
	trial.EndWith(t, e, err)
	c := client(t, e, "tester", trial.Developer, trial.Admin)
	searches.Compare(t, c, rand.New(rand.NewPCG(20, 7)), 120, 60)
}
