package book_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/servicetest"
)

// answer says, as the desk does, of which contracts the caller is the counterparty.
func (b *between) answer(w http.ResponseWriter, r *http.Request) {
	var asked internalapi.AskedContracts
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || b.outage {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	page := internalapi.SeenContracts{Contracts: []internalapi.SeenContract{}}
	for _, one := range b.reported {
		zenith := request.OrganisationFrom(r.Context()).Name() == "zenith"
		if zenith && slices.Contains(asked.References, one.Reference) {
			page.Contracts = append(page.Contracts, one)
		}
	}
	_ = json.NewEncoder(w).Encode(page)
}

// says has the desk name the contracts whose counterparty zenith is.
func (b *between) says(contracts ...internalapi.SeenContract) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reported = contracts
}

// concealed are the members of rows that the counterparty of a contract does not see.
var concealed = []string{"policyholderId", "brokerId", "broker", "externalReference", "object", "renewedFrom",
	"renewedTo"}

var allOfTheBook = []string{"policies", "claims", "movements", "late", "summary", "triangle", "aging"}

// TestWhatIsReportedUnderAContract compares what its counterparty sees with what its owner has under the contract.
func TestWhatIsReportedUnderAContract(t *testing.T) {
	const seed = 7
	t.Logf("seed %d", seed)
	b := newBetween(seed, false, func(int) bool { return true })
	zenith, acme := b.start(t)
	b.share(func(i int) bool { return i%3 == 0 }) // what is shared adds nothing to it
	b.says(internalapi.SeenContract{Reference: "C", Owner: "acme", Drafts: true})
	const reported = "whose=reported&contract=C"
	for list, columns := range sorted {
		for _, more := range append(strings.Fields(strings.ReplaceAll(" "+columns, " ", " sort=")), "",
			"policyNumberBegins=POL-0004", "line=petCoverage", "sort=-"+strings.Fields(columns)[0]) {
			want := listed(t, acme, list, "contract=C&"+more, "")
			if is := listed(t, zenith, list, reported+"&"+more, "acme"); !slices.Equal(is, want) {
				t.Errorf("%s?%s: %v\nwant %v", list, more, is, want)
			}
		}
	}
	if rows := listed(t, acme, "policies", "", ""); len(rows) == len(listed(t, zenith, "policies", reported, "acme")) {
		t.Error("all policies of the owner are of the contract")
	}
	for _, sums := range []string{"summary?by=line,year", "summary?by=contract,month", "triangle?measure=paid",
		"aging?", "aging?of=claims"} {
		want := acme.Must(http.StatusOK, http.MethodGet, "/x/book/"+sums+"&contract=C", "").Text
		is := zenith.Must(http.StatusOK, http.MethodGet, "/x/book/"+sums+"&"+reported, "").Text
		if n := strings.Count(is, "whose=reported"); n != strings.Count(want, "/x/book/") || n == 0 {
			t.Errorf("%s opens to other rows: %s", sums, is)
		}
		if is = strings.NewReplacer("\\u0026whose=reported", "", "&whose=reported", "").Replace(is); is != want {
			t.Errorf("%s: %s\nwant %s", sums, is, want)
		}
	}
	for text, finds := range map[string]bool{"annlee": true, "brokers": false} {
		if rows := listed(t, zenith, "policies", reported+"&find="+text, "acme"); (len(rows) > 0) != finds {
			t.Errorf("by %s are found %v", text, rows)
		}
	}
	for _, list := range allOfTheBook {
		none := zenith.Must(http.StatusOK, http.MethodGet, "/x/book/"+list+"?whose=reported&contract=c", "").Text
		if strings.Contains(none, "POL-") || strings.Contains(none, "acme") {
			t.Errorf("%s of a contract that is not there: %s", list, none)
		}
		for _, to := range []*servicetest.Service{acme, zenith.As("orion")} {
			if got := to.Must(http.StatusOK, http.MethodGet, "/x/book/"+list+"?"+reported, "").Text; got != none {
				t.Errorf("%s is shown to another one: %s, and of a contract that is not there %s", list, got, none)
			}
		}
	}
}

// listed returns the rows of a list without what a counterparty does not see, which rows of an owner do not have.
func listed(t *testing.T, s *servicetest.Service, list, query, owner string) (rows []string) {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range inPages(t, s, "/x/book/"+list, values) {
		if owner != "" && (row["owner"] != owner || row["contract"] != "C") {
			t.Errorf("%s?%s has %v", list, query, row)
		}
		maps.DeleteFunc(row, func(member string, value any) bool {
			hidden := slices.Contains(concealed, member)
			if hidden && owner != "" {
				t.Errorf("%s?%s shows %s %v", list, query, member, value)
			}
			return hidden || member == "owner"
		})
		text, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, string(text))
	}
	return rows
}

// TestWhatIsNotReported asks for it in ways that are refused.
func TestWhatIsNotReported(t *testing.T) {
	b := newBetween(1, false, func(i int) bool { return i < 20 })
	zenith, _ := b.start(t)
	refused := func(status int, query, kind, says string) {
		t.Helper()
		for _, list := range allOfTheBook {
			got := zenith.Must(status, http.MethodGet, "/x/book/"+list+"?"+query, "")
			if got.Member("type") != "/problems/"+kind || !strings.Contains(got.Text, says) {
				t.Errorf("%s?%s: %s", list, query, got.Text)
			}
		}
	}
	const reported = "whose=reported&contract=C"
	for _, query := range []string{"", "&contract=", "&contract=" + strings.Repeat("C", 201)} {
		refused(http.StatusBadRequest, "whose=reported"+query, "bad-parameter", `"parameter":"contract"`)
	}
	for _, path := range []string{"policies?" + reported + "&contract=D", "summary?whose=reported&contract=%FF"} {
		if got := zenith.Must(http.StatusBadRequest, http.MethodGet, "/x/book/"+path, ""); !strings.Contains(got.Text,
			`"parameter":"contract"`) {
			t.Errorf("%s: %s", path, got.Text)
		}
	}
	b.says(internalapi.SeenContract{Reference: "C", Owner: "acme"})
	refused(http.StatusForbidden, reported, "right-missing", `"right":"owner"`)
	refused(http.StatusForbidden, reported+"&owner=acme", "right-missing", "/x/bordereau?contract=C")
	zenith.Must(http.StatusForbidden, http.MethodGet, "/x/book/policies?"+reported, "", "Accept", "text/csv")
	b.says(internalapi.SeenContract{Reference: "C", Owner: "vega", Drafts: true},
		internalapi.SeenContract{Reference: "C", Owner: "acme"})
	refused(http.StatusConflict, reported, "ambiguous", `"owners":["acme","vega"]`)
	refused(http.StatusForbidden, reported+"&owner=acme", "right-missing", "preview")
	for _, owner := range []string{"vega", "nobody"} {
		for _, list := range allOfTheBook {
			got := zenith.Must(http.StatusOK, http.MethodGet, "/x/book/"+list+"?"+reported+"&owner="+owner, "")
			if strings.Contains(got.Text, "POL-") {
				t.Errorf("%s of %s: %s", list, owner, got.Text)
			}
		}
	}
	b.says(internalapi.SeenContract{Reference: "C", Owner: "acme", Drafts: true})
	csv := zenith.Must(http.StatusOK, http.MethodGet, "/x/book/policies?"+reported, "", "Accept", "text/csv").Text
	sums := zenith.Must(http.StatusOK, http.MethodGet, "/x/book/summary?"+reported+"&owner=acme", "").Text
	if !strings.Contains(sums, "owner=acme") || !strings.Contains(csv, "\nPOL-") {
		t.Errorf("%s, and as a file %s", sums, csv)
	}
	b.mu.Lock()
	b.outage = true
	b.mu.Unlock()
	refused(http.StatusServiceUnavailable, reported, "unavailable", "")
}
