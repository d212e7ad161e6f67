package store_test

import (
	"math/rand/v2"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/searches"
)

// TestSearchesOfRealResources compares random searches of all resources with a filter over all records in MongoDB.
func TestSearchesOfRealResources(t *testing.T) {
	b := emptyBook(t)
	e := b.runInOne(t, t.TempDir(), uri(t))
	searches.Compare(t, caller(t, e), rand.New(rand.NewPCG(20, 8)), 60, 50)
}
