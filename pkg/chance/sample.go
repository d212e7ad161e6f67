package chance

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// sampleSeed is what every sample follows from, so that `make test` tries the same each time.
const sampleSeed = 35

// Sample returns all values of a test that tries many, which `make test-long` does, or one in so many with -short, which
// `make test` does: at least one, in the order in which they were, the same ones at each run.
func Sample[S ~[]E, E any](all S, oneIn int) S {
	if !testing.Short() || len(all) == 0 {
		return all
	}
	count := (len(all) + oneIn - 1) / oneIn
	chosen := rand.New(rand.NewPCG(sampleSeed, uint64(len(all)))).Perm(len(all))[:count]
	slices.Sort(chosen)
	sample := make(S, count)
	for i, at := range chosen {
		sample[i] = all[at]
	}
	return sample
}

// Fewer returns a number of things that a test tries or, with -short, one in so many of them, rounded up.
func Fewer(all, oneIn int) int {
	if !testing.Short() {
		return all
	}
	return (all + oneIn - 1) / oneIn
}
