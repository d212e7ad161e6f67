package store_test

import (
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"insurance.example/exchange/deploy/proof/e2e/organisations"
	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// TestSharingByReplicas shares a policy, takes it back and writes under it by two replicas of each service, which have
// one store. A process is killed at a step of each change. Whatever replica is asked, an organisation from which the
// policy was taken sees nothing of it once that was acknowledged. No fault is left in the databases, and check finds
// what is then changed there by hand.
func TestSharingByReplicas(t *testing.T) {
	b := emptyBook(t)
	kills, replicas := organisations.NewKills(t), []string{"-1", "-2"}
	e, err := b.commands.RunComposed(t.TempDir(), trial.Composition{
		Store: uri(t), Replicas: replicas, Environ: organisations.Environ(), Via: kills.Via(),
	})
	trial.EndWith(t, e, err)
	organisations.ShareUnderKills(t, e, kills, organisations.FewWays(), replicas...)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if findings, examined := b.check(t); len(findings) > 0 || examined["access lists"] == 0 {
		t.Errorf("check finds %v among %v", findings, examined)
	}
	for _, damage := range damages {
		damage.change(t, b.server.Database(damage.service).Collection(damage.in))
	}
	findings, _ := b.check(t)
	for name, damage := range damages {
		if !slices.ContainsFunc(findings, func(f trial.Finding) bool {
			return f.Service == damage.of && f.Collection == damage.collection && f.Invariant == damage.invariant
		}) {
			t.Errorf("%s: check finds %v", name, findings)
		}
	}
}

// damages are changes by hand of who owns a record, and of who sees it. Each is in a collection of its own.
var damages = map[string]breach{
	"a record that no key leads to has another owner": {
		"coverage", "business", set(every, "o", "vega"), "coverage", "business", "a record has the owner that wrote it",
	},
	"a claim has another owner": {
		"claims", "claim", set(every, "o", "vega"), "claims", "claim", "a record is found by its keys",
	},
	"an access list has another owner": {
		"premium", "accessList", set(every, "body.owner", "vega"), "premium", "accessList",
		"an access list is as it was written",
	},
	"an access list names another": {
		"coverage", "accessList",
		set(every, "body.participants", bson.A{bson.D{
			{Key: "organisation", Value: "vega"}, {Key: "rights", Value: bson.A{"read"}},
		}}), "coverage", "accessList", "an access list is as it was written",
	},
}
