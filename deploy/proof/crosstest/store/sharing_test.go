package store_test

import (
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/organisations"
	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// TestSharingByReplicas shares a policy, takes it back and writes under it by two replicas of each service, which have
// one store. A process is killed at a step of each change. Whatever replica is asked, an organisation from which the
// policy was taken sees nothing of it once that was acknowledged.
func TestSharingByReplicas(t *testing.T) {
	b := emptyBook(t)
	kills, replicas := organisations.NewKills(t), []string{"-1", "-2"}
	e, err := b.commands.RunComposed(t.TempDir(), trial.Composition{
		Store: uri(t), Replicas: replicas, Environ: organisations.Environ(), Via: kills.Via(),
	})
	trial.EndWith(t, e, err)
	organisations.ShareUnderKills(t, e, kills, replicas...)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
