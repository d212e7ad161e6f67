package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/secret/certificatetest"
)

// rolled are the services and the gateway.
var rolled = trial.Processes()

// written are the resources that the load creates, by service.
var written = map[string]string{
	"parties": "personal", "products": "policyWording", "coverage": "vehicle", "claims": "claim", "premium": "receipt",
}

// TestRollLosesNoRequest restarts each of two replicas of every service and of the gateway under load.
func TestRollLosesNoRequest(t *testing.T) {
	t.Parallel()
	roll(t, nil)
}

// TestRollWithTLSLosesNoRequest is TestRollLosesNoRequest with mutual TLS, for clients that speak HTTP/1.1 and HTTP/2.
func TestRollWithTLSLosesNoRequest(t *testing.T) {
	t.Parallel()
	authority := certificatetest.NewAuthority(t)
	volumes := trial.NewVolumes(t, t.TempDir(), authority)
	for _, service := range rolled {
		for _, replica := range replicas {
			volumes.Issue(service+replica, authority)
		}
	}
	roll(t, volumes)
}

// replicas are appended to the names of services and of the gateway.
var replicas = []string{"-a", "-b"}

// roll restarts the first replicas of all services and of the gateway at the same time, and then the second ones.
// Clients reach the gateways through a balancer. Some send one request after the other; some leave their connections,
// and those of the processes, without requests for a while.
func roll(t *testing.T, volumes *trial.Volumes) {
	data := t.TempDir()
	policyNumber := prepare(t, data)
	e, err := commands.RunComposed(data, trial.Composition{Replicas: replicas, Volumes: volumes})
	trial.EndWith(t, e, err)
	if e.Base, err = e.Balance("gateway-a", "gateway-b"); err != nil {
		t.Fatal(err)
	}
	e.AwaitReplicas(t)
	clients := []*trial.Client{client(t, e, "tester", trial.Developer, trial.Admin)}
	if volumes != nil {
		clients = append(clients, clients[0].Through(twoProtocols(volumes)))
	} else {
		clients = append(clients, clients[0].Through(trial.Connections()))
	}
	l := startLoad(t, policyNumber, clients...)
	l.await()
	for _, replica := range replicas {
		restart(t, e, replica)
		e.AwaitReplicas(t)
		l.await()
	}
	l.end()
	t.Logf("%d requests", l.sent.Load())
	for service, resource := range written {
		wantStored(t, e, volumes, service, resource, l.made[resource].Load())
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// restart stops a replica of every service and of the gateway, and starts it again when it has ended.
func restart(t *testing.T, e *trial.Exchange, replica string) {
	t.Helper()
	ended := make(chan error, len(rolled))
	for _, service := range rolled {
		go func() { ended <- e.Stop(service + replica) }()
	}
	for range rolled {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	for _, service := range rolled {
		if err := e.Restart(service + replica); err != nil {
			t.Fatal(err)
		}
	}
}

// prepare creates the same policy in all replicas, with all that it needs, and returns its number.
func prepare(t *testing.T, data string) (policyNumber string) {
	t.Helper()
	before := t.TempDir()
	e, err := commands.RunApart(before, nil)
	trial.EndWith(t, e, err)
	policyNumber = policy(t, client(t, e, "tester", trial.Developer, trial.Admin)).Text("policyNumber")
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(before, "*.db*"))
	if err != nil || len(files) < 5 {
		t.Fatalf("files %q, error %v", files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		service, suffix, _ := strings.Cut(filepath.Base(file), ".")
		for _, replica := range replicas {
			if err := os.WriteFile(filepath.Join(data, service+replica+"."+suffix), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return policyNumber
}

// wantStored fails the test unless the replicas of a service hold the records that the load created, and those of
// prepare.
func wantStored(t *testing.T, e *trial.Exchange, volumes *trial.Volumes, service, resource string, made int64) {
	t.Helper()
	var stored int64
	for _, replica := range replicas {
		direct := client(t, e, "tester", trial.Developer).At(e.URL(service + replica))
		if volumes != nil {
			direct = direct.Through(volumes.Transport(volumes.Pair("gateway-a")))
		}
		stored += countRecords(t, direct, resource)
		if resource == "personal" || resource == "vehicle" {
			stored-- // that of prepare
		}
	}
	if stored != made {
		t.Errorf("%s: %d records were acknowledged, and %d are stored", resource, made, stored)
	}
}

// countRecords counts the records of one replica, page by page.
func countRecords(t *testing.T, direct *trial.Client, resource string) (all int64) {
	t.Helper()
	for range trial.List(t, direct, "/"+resource+"?limit=200", "X-Exchange-Credential", trial.Credential) {
		all++
	}
	return all
}
