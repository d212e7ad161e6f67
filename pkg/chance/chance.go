// Package chance lets what a test chose at random be chosen again.
package chance

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// variable is the environment variable that holds the seed of a test whose choices are to be repeated.
const variable = "SEED"

// Seed returns the number that the choices of a test follow from: the one that the environment variable SEED holds,
// else another one each time. The log of a test that fails says which it was. Goroutines that choose have a source
// each, of the seed and their number: no order of theirs changes what one of them chooses.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if given := os.Getenv(variable); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatalf("the environment variable %s: %v", variable, err)
		}
	}
	t.Logf("%s=%d repeats what was chosen at random here", variable, seed)
	return seed
}
