package coverage_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/servicetest"
)

// changesOf returns the whole log of changes of a service, as the contract describes it.
func changesOf(t *testing.T, s *servicetest.Service) (all []internalapi.Change) {
	t.Helper()
	for after := "oldest"; ; {
		decoder := json.NewDecoder(strings.NewReader(
			s.Must(200, "GET", internalapi.ChangesPath+after+"?limit=7", "").Text))
		decoder.DisallowUnknownFields()
		var page internalapi.Changes
		if err := decoder.Decode(&page); err != nil {
			t.Fatal(err)
		}
		if len(page.Changes) == 0 {
			return all
		}
		all, after = append(all, page.Changes...), page.Next
	}
}

// TestChangesOfPoliciesAreLogged takes every line through its actions.
func TestChangesOfPoliciesAreLogged(t *testing.T) {
	clock := servicetest.At(t, "2026-06-01T00:00:00Z")
	s := start(t, clock)
	for i := range lines {
		for action, want := range map[string]string{
			":endorse": "endorsed extended", ":cancel": "cancelled cancelled",
		} {
			path, number := policy(t, s, i)
			clock.Pass(time.Hour)
			corrected(s, path, 0)
			body := ""
			if action == ":endorse" {
				body = extension
			}
			s.Must(200, "POST", path+action, body)
			wantChanges(t, s, path, number, "created in force", "replaced in force", want)
			clock.Pass(-time.Hour)
		}
	}
}

// TestARenewalBeginsAsOne renews a policy, and endorses the renewal.
func TestARenewalBeginsAsOne(t *testing.T) {
	s := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"))
	path, number := policy(t, s, 0)
	renewed := s.Must(201, "POST", path+":renew", "")
	renewal := path[:strings.LastIndex(path, "/")+1] + renewed.Member("id")
	s.Must(200, "POST", renewal+":endorse", strings.Replace(extension, "2028", "2029", 1))
	wantChanges(t, s, path, number, "created in force")
	wantChanges(t, s, renewal, renewed.Member("policyNumber"), "renewed in force", "endorsed extended")
	for _, change := range changesOf(t, s) {
		want := ""
		if strings.HasSuffix(renewal, string(change.ID)) {
			want = path[strings.LastIndex(path, "/")+1:]
		}
		if string(change.MadeOf) != want {
			t.Errorf("%s %s, version %d, was made of %q, want %q", change.Resource, change.ID, change.Version,
				change.MadeOf, want)
		}
	}
}

// wantChanges fails unless the log has a policy with these changes.
func wantChanges(t *testing.T, s *servicetest.Service, path, number string, want ...string) {
	t.Helper()
	var types []string
	for _, change := range changesOf(t, s) {
		if !strings.HasSuffix(path, string(change.ID)) {
			continue
		}
		if change.PolicyNumber != number || !strings.HasPrefix(path, "/"+change.Resource+"/") ||
			change.Time.IsZero() || change.Logged.IsZero() {
			t.Errorf("%s: %+v", path, change)
		}
		types = append(types, change.Type+" "+change.Status)
	}
	if !slices.Equal(types, want) {
		t.Errorf("%s: %q, want %q", path, types, want)
	}
}
