package e2e_test

import (
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/organisations"
	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// TestSharingUnderKills changes an access list 18 times, and kills a process at a step of each change.
func TestSharingUnderKills(t *testing.T) {
	t.Parallel()
	kills := organisations.NewKills(t)
	e, err := commands.RunComposed(t.TempDir(), trial.Composition{Environ: organisations.Environ(), Via: kills.Via()})
	trial.EndWith(t, e, err)
	organisations.ShareUnderKills(t, e, kills, organisations.Ways())
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
