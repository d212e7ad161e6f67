package releases_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"testing"
	"time"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/auth"
)

func grant(scopes ...string) auth.Grant {
	return auth.Grant{
		Subject: "tester", Scopes: scopes, Issuer: trial.Issuer, Audience: []string{trial.Audience},
		Lifetime: time.Hour,
	}
}

// fill writes a book that the exchange does not have yet: records of every resource, with claims in every state,
// policies that were endorsed, renewed and cancelled, receipts and rows of the bordereaux.
func (x *exchange) fill(t *testing.T) {
	t.Helper()
	token, err := x.Signer.Issue(grant(trial.Admin, trial.Developer))
	if err != nil {
		t.Fatal(err)
	}
	x.books++
	command := exec.Command(x.commands.Plain().Path("exchange"), "seed", "--url", x.Base, "--size", "7", "--seed",
		fmt.Sprint(x.books))
	command.Env = append(command.Environ(), "EXCHANGE_TOKEN="+token)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
}

// resources returns the routes to the records that a process serves and that can be replaced; those of all services
// for the gateway.
func resources(t *testing.T, name string) []routes.Route {
	t.Helper()
	table, err := routes.Load()
	if err != nil {
		t.Fatal(err)
	}
	var served []routes.Route
	for _, r := range table.Resources {
		if slices.Contains(r.Item, http.MethodGet) && (name == "gateway" || r.Service == name) {
			served = append(served, r)
		}
	}
	if len(served) == 0 && (name == internalapi.Gateway || slices.Contains(internalapi.Recorded(), name)) {
		t.Fatalf("%s serves no records", name)
	}
	return served
}

// kept are records as they were read, by their paths.
type kept map[string]trial.Record

var nextPage = regexp.MustCompile(`<([^>]*)>; rel="next"`)

// mostOf is how many records of a resource are looked at.
const mostOf = 25

// records reads the newest records that a process serves.
func (x *exchange) records(t *testing.T, name string) kept {
	t.Helper()
	all := kept{}
	for _, r := range resources(t, name) {
		var found []trial.Record
		for page := "/" + r.Resource + "?limit=200"; page != ""; {
			a := x.Get(t, page).Want(t, http.StatusOK)
			found, page = append(found, a.Records(t)...), ""
			if next := nextPage.FindStringSubmatch(a.Header.Get("Link")); next != nil {
				page = next[1]
			}
		}
		if len(found) == 0 {
			t.Fatalf("the book has no %s", r.Resource)
		}
		for _, record := range found[max(0, len(found)-mostOf):] {
			all["/"+r.Resource+"/"+record.Text("id")] = record
		}
	}
	return all
}
