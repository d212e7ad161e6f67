package store_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/docstore/mongostore"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/premium"
)

// TestReceiptsOfAClaimAreShared has an owner and a participant record receipts that name a claim alone. They are under
// the policy of the claim: its participants see them, and they belong to its owner.
func TestReceiptsOfAClaimAreShared(t *testing.T) {
	d := newDatabase(t)
	store, err := mongostore.Options{URI: uri(t)}.Open(t.Context(), d.name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	knows := func(record string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(record))
		})
	}
	s := servicetest.Start(t, premium.Service().Definition(), servicetest.Options{
		Store: store, Flags: []string{"--org-claim", "org"}, Peers: map[string]http.Handler{
			"coverage": knows(`{"policyNumber":"P","resource":"motorCoverage","owner":"acme"}`),
			"claims":   knows(`{"claimNumber":"C","policyNumber":"P","owner":"acme"}`),
		},
	})
	acme, zenith, orion := s.As("acme"), s.As("zenith"), s.As("orion")
	sequence := "0"
	share := func(participants string) {
		t.Helper()
		step := func(more string) servicetest.Response {
			return acme.Must(http.StatusOK, http.MethodPut, internalapi.AccessPath+"P",
				`{"owner":"acme",`+more+`,"participants":[`+participants+`]}`)
		}
		begun := step(`"after":` + sequence)
		sequence = fmt.Sprintf("%.0f", begun.Body["sequence"])
		step(`"grant":true,"sequence":` + sequence)
	}
	record := func(by *servicetest.Service) string {
		t.Helper()
		return by.Create("receipt", `{"claimNumber":"C","receiptType":"claim payment","paymentAmount":7}`)
	}
	sees := func(by *servicetest.Service, id string, want bool) {
		t.Helper()
		for _, path := range []string{
			"/receipt/" + id, "/receipt", "/receipt?claimNumber=C", "/receipt?policyNumber=P",
			"/x/search/receipt?claimNumber=C", "/x/search/receipt?policyNumber=P", "/x/history/receipt/" + id,
			"/x/asof/receipt/" + id + "?at=" + time.Now().UTC().Format(time.RFC3339Nano),
		} {
			got := by.Do(http.MethodGet, path, "")
			if has := got.Status == http.StatusOK && strings.Contains(got.Text, id); has != want {
				t.Errorf("GET %s: %d %s", path, got.Status, got.Text)
			}
		}
	}
	before := record(acme)
	share(`{"organisation":"zenith","rights":["read","premium"]}`)
	after, theirs := record(acme), record(zenith)
	for _, id := range []string{before, after, theirs} {
		sees(acme, id, true)
		sees(zenith, id, true)
		sees(orion, id, false)
	}
	share("")
	for _, id := range []string{before, after, theirs} {
		sees(acme, id, true)
		sees(zenith, id, false)
	}
}
