package releases_test

import (
	"os/exec"
	"testing"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/deploy/proof/crosstest/acceptance"
	"insurance.example/exchange/deploy/proof/crosstest/load"
	"insurance.example/exchange/deploy/proof/crosstest/mongodb"
	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// TestTwoReleasesUnderLoad rolls two replicas of every service back to the last release and forward again, on MongoDB
// and under load, so that replicas of two releases write the same records meanwhile. No request fails, nothing that was
// acknowledged is lost or there twice, and the check finds no fault.
func TestTwoReleasesUnderLoad(t *testing.T) {
	today, err := trial.Build()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := today.Remove(); err != nil {
			t.Error(err)
		}
	})
	last := map[string]*trial.Commands{}
	for _, name := range trial.Processes() {
		last[name] = build(t, name)
	}
	deployment, err := mongodb.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := deployment.Stop(); err != nil {
			t.Error(err)
		}
	})
	e, err := today.RunComposed(t.TempDir(),
		trial.Composition{Store: deployment.URI, Replicas: []string{"-a", "-b"}})
	trial.EndWith(t, e, err)
	l := load.StartChanging(t, e.Base, acceptance.Token(t, e.Signer, trial.Admin, trial.Developer), 4)
	for _, step := range []struct {
		replica string
		to      func(name string) *trial.Commands
	}{
		{"-b", func(name string) *trial.Commands { return last[name] }},
		{"-a", func(name string) *trial.Commands { return last[name] }},
		{"-b", func(string) *trial.Commands { return today }},
		{"-a", func(string) *trial.Commands { return today }},
	} {
		l.Strict.Store(true)
		rollReplicas(t, e, internalapi.Services(), step.replica, step.to)
		l.GoOn(t, 300)
		// The callers know one gateway alone. It is away while it is rolled.
		l.Strict.Store(false)
		l.Entrance.Store(true)
		rollReplicas(t, e, []string{internalapi.Gateway}, step.replica, step.to)
		l.Recovered(t)
		l.Entrance.Store(false)
	}
	l.Stop()
	l.Check(t)
	l.Compare(t)
	if output, err := exec.CommandContext(t.Context(), today.Plain().Path("exchange"), "check", "--store",
		deployment.URI).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
	t.Logf("%d writes were acknowledged, and %d requests sent while no gateway was rolled",
		l.Counts.Acknowledged.Load(), l.Counts.StrictRequests.Load())
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// rollReplicas ends a replica of each process at the same time, and starts them from other commands.
func rollReplicas(t *testing.T, e *trial.Exchange, names []string, replica string,
	to func(name string) *trial.Commands) {
	t.Helper()
	ended := make(chan error, len(names))
	for _, name := range names {
		go func() { ended <- e.Stop(name + replica) }()
	}
	for range names {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	for _, name := range names {
		if err := e.RestartFrom(name+replica, to(name)); err != nil {
			t.Fatal(err)
		}
	}
	e.AwaitReplicas(t)
}
