package book_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/wait"
	"insurance.example/exchange/services/book"
)

// between is an exchange of two organisations, acme and zenith, with invented policies.
type between struct {
	logs
	mu sync.Mutex
	// shared are the policies of acme that it shares with zenith.
	shared []internalapi.SeenPolicy
	// reported are the contracts whose counterparty zenith is, and outage says that the desk does not say it.
	reported []internalapi.SeenContract
	outage   bool
}

func numberOf(i int) string { return fmt.Sprintf("POL-%05d", i) }

// ofAcme reports whether acme owns a policy.
func ofAcme(i int) bool { return i/10%2 == 0 }

// newBetween has the policies that are included. single says that zenith owns all, and has what it would see of acme's.
func newBetween(seed uint64, single bool, includes func(int) bool) *between {
	b := &between{logs: logs{}}
	b.add("parties", "commercial", "holder", `{"name":"Ann Lee","registeredAddress":{"country":"GB"}}`)
	id := func(i int) string { return fmt.Sprintf("01930000-0000-7000-8000-%012d", i) }
	b.add("parties", "insuranceEntity", id(999), `{"name":"Brokers"}`)
	for i := range 80 {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		if !includes(i) {
			continue
		}
		own := func(member string) string {
			if ofAcme(i) && single {
				return ""
			}
			return member
		}
		add := func(service, resource, id, record string, made string) {
			b.add(service, resource, id, record)
			last := &b.logs[service][len(b.logs[service])-1]
			if last.Owner, last.MadeOf = "zenith", scalar.ID(made); ofAcme(i) && !single {
				last.Owner = "acme"
			}
		}
		made := ""
		if i%5 == 3 {
			made = id(i - 1)
		}
		begins := present.AddDate(0, 0, -random.IntN(500))
		day := begins.Format(time.RFC3339)
		add("coverage", []string{"motorCoverage", "petCoverage"}[random.IntN(2)], id(i), fmt.Sprintf(
			`{"policyNumber":%q,"policyholderId":"holder",%s"inceptionDate":%q,"expiryDate":%q,"status":"in force",`+
				`"brokerId":%q,"grossWrittenPremium":%d}`, numberOf(i), own(`"externalReference":"R",`), day,
			begins.AddDate(1, 0, 0).Format(time.RFC3339), id(999), random.IntN(9)*100), made)
		for n := range random.IntN(3) {
			add("claims", "claim", id(1000+10*i+n), fmt.Sprintf(`{"policyNumber":%q,"claimNumber":"CLM-%05d-%d",%s`+
				`"lossDate":%q,"fnol":%q,"reserve":%d,"lossCause":"theft","payments":[{"paymentAmount":%d,`+
				`"paidAt":%q,"recordedAt":%q}]}`, numberOf(i), i, n, own(`"externalReference":"R",`), day,
				begins.AddDate(0, 0, random.IntN(90)).Format(time.RFC3339), random.IntN(5)*50, 1+random.IntN(40), day,
				present.AddDate(0, 0, -random.IntN(200)).Format(time.RFC3339)), "")
		}
		for n := range random.IntN(4) {
			add("premium", "receipt", id(3000+10*i+n), fmt.Sprintf(`{"policyNumber":%q,"receiptType":"new policy",`+
				`"paymentAmount":%d,"receiptDate":%q,"recordedAt":%q}`, numberOf(i), 1+random.IntN(30),
				begins.Format(time.DateOnly), present.AddDate(0, 0, -random.IntN(200)).Format(time.RFC3339)), "")
		}
	}
	return b
}

// acmesContract is a contract of acme that takes its policies of one line.
const acmesContract = `{"contracts":[{"reference":"C","currency":"EUR","amountUnit":"major","frequency":"month",` +
	`"timeZone":"Europe/Paris","commissionPercentage":10,"inception":"2020-01-01",` +
	`"lines":["motorCoverage"],"from":"2020-01-01T00:00:00Z","before":"2030-01-01T00:00:00Z"}]}`

// start starts a book of the exchange, and returns it as zenith and acme ask it.
func (b *between) start(t *testing.T) (zenith, acme *servicetest.Service) {
	t.Helper()
	peers := b.peers()
	logged := peers["coverage"]
	peers["coverage"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		place, is := strings.CutPrefix(r.URL.Path, internalapi.SharedPath)
		if !is {
			logged.ServeHTTP(w, r)
			return
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		var page internalapi.SharedPolicies
		if request.OrganisationFrom(r.Context()).Name() == "zenith" {
			from, _ := strconv.Atoi(place)
			to := min(from+max(7, len(b.shared)/5), len(b.shared))
			if page.Policies = b.shared[from:to]; to < len(b.shared) {
				page.Next = strconv.Itoa(to)
			}
		}
		_ = json.NewEncoder(w).Encode(page)
	})
	peers["desk"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := "{}"
		if r.URL.Path == internalapi.CounterpartyPath {
			b.answer(w, r)
			return
		}
		if request.OrganisationFrom(r.Context()).Name() == "acme" && r.URL.Path == internalapi.BookedContractsPath {
			body = acmesContract
		}
		_, _ = w.Write([]byte(body))
	})
	s := servicetest.Start(t, book.Service().Definition(), servicetest.Options{Peers: peers,
		Clock: servicetest.At(t, present.Format(time.RFC3339)),
		Flags: []string{"--org-claim", "org", "--amount-unit", "major", "--currency", "EUR", "--time-zone",
			"Europe/Paris"}})
	zenith, acme = s.As("zenith"), s.As("acme")
	wait.Until(t, func() error {
		if got := zenith.Do(http.MethodGet, "/x/book/policies", ""); got.Status != http.StatusOK {
			return fmt.Errorf("%d %s", got.Status, got.Text)
		}
		return nil
	})
	return zenith, acme
}

// share shares those of acme's policies that are selected, and no others.
func (b *between) share(selects func(int) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shared = nil
	for i := range 80 {
		if ofAcme(i) && selects(i) {
			b.shared = append(b.shared, internalapi.SeenPolicy{PolicyNumber: numberOf(i), Owner: "acme"})
		}
	}
}

// sorted are the columns of lists by which they are sorted here.
var sorted = map[string]string{
	"policies":  "inceptionDate expiryDate insured contract written received open lastReceipt incurred lossRatio",
	"claims":    "policyNumber insured contract lossDate fnol lastMovement reserve paid outstanding incurred",
	"movements": "policyNumber amount date recordedAt late",
	"late":      "amount late",
}

// whole returns all that a book shows: lists in every order and by conditions, and sums.
func whole(t *testing.T, s *servicetest.Service, more url.Values) map[string]string {
	t.Helper()
	all := map[string]string{}
	read := func(list, query string) {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(values, more)
		var rows []string
		for _, row := range inPages(t, s, "/x/book/"+list, values) {
			if row["owner"] != nil && row["broker"] != nil {
				t.Errorf("%s?%s shows the broker of another organisation: %v", list, query, row)
			}
			delete(row, "owner")
			delete(row, "broker")
			text, err := json.Marshal(row)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, string(text))
		}
		all[list+"?"+query] = strings.Join(rows, "\n")
	}
	for list, columns := range sorted {
		for _, column := range strings.Fields(columns) {
			read(list, "sort="+column)
			read(list, "sort=-"+column)
		}
		read(list, "")
		read(list, "policyNumberBegins=POL-0001")
		read(list, "contract=C")
		read(list, "line=petCoverage&contractEmpty=true")
	}
	read("policies", "from=2026-02&to=2026-07&sort=-written")
	read("policies", "externalReference=R&sort=open")
	read("policies", "renewedFromEmpty=false")
	read("claims", "from=2026-02&to=2026-07&outstandingFrom=50")
	for _, sums := range []string{"summary?by=line,year", "summary?by=contract,month", "summary?by=country,cause",
		"summary?by=line&from=2026-03&to=2026-06",
		"triangle?measure=paid", "triangle?development=month&cumulative=false", "aging", "aging?of=claims",
		"aging?contract=C"} {
		at, query, _ := strings.Cut(sums, "?")
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(values, more)
		all[sums] = s.Must(http.StatusOK, http.MethodGet, "/x/book/"+at+"?"+values.Encode(), "").Text
	}
	return all
}

// inPages returns all rows of a list, by pages of 7.
func inPages(t *testing.T, s *servicetest.Service, list string, values url.Values) (rows []map[string]any) {
	t.Helper()
	values.Set("limit", "7")
	for {
		var page struct {
			Rows []map[string]any
			Next string
		}
		got := s.Must(http.StatusOK, http.MethodGet, list+"?"+values.Encode(), "")
		if err := json.Unmarshal([]byte(got.Text), &page); err != nil {
			t.Fatal(err)
		}
		if rows = append(rows, page.Rows...); page.Next == "" {
			return rows
		}
		values.Set("cursor", page.Next)
	}
}

func compareBooks(t *testing.T, when string, is, want map[string]string) {
	t.Helper()
	for _, at := range slices.Sorted(maps.Keys(want)) {
		if is[at] != want[at] {
			t.Errorf("%s, %s:\n%s\nwant\n%s", when, at, is[at], want[at])
		}
	}
}

// TestWhatIsSharedIsAddedUpWhenItIsRead compares what an organisation sees, while others share with it, with the book
// of an exchange in which all of that is its own, of no contract and without the references of others.
func TestWhatIsSharedIsAddedUpWhenItIsRead(t *testing.T) {
	const seed = 5
	t.Logf("seed %d", seed)
	everything := func(int) bool { return true }
	b := newBetween(seed, false, everything)
	zenith, acme := b.start(t)
	owners := whole(t, acme, nil)
	for when, shared := range map[string]func(int) bool{
		"all is shared": everything, "some is shared": func(i int) bool { return i%3 != 0 },
		"no policy is shared": func(int) bool { return false },
	} {
		b.share(shared)
		single, _ := newBetween(seed, true, func(i int) bool { return !ofAcme(i) || shared(i) }).start(t)
		want := whole(t, single, nil)
		compareBooks(t, when, whole(t, zenith, nil), want)
		compareBooks(t, when+", its owner", whole(t, acme, nil), owners)
		for _, accept := range []string{"text/csv", "application/json"} {
			rows := strings.Count(zenith.Must(http.StatusOK, http.MethodGet, "/x/book/policies?limit=200",
				"", "Accept", "application/json").Text, `"policyNumber"`)
			if accept == "text/csv" {
				rows = strings.Count(zenith.Must(http.StatusOK, http.MethodGet, "/x/book/policies", "", "Accept",
					accept).Text, "\nPOL-")
			}
			if of := strings.Count(want["policies?"], `"policyNumber"`); rows != of {
				t.Errorf("%s: %d policies as %s, want %d", when, rows, accept, of)
			}
		}
		if when == "no policy is shared" {
			b.share(everything)
			own := whole(t, zenith, url.Values{"whose": {"own"}})
			for at, text := range own {
				if at, _, _ := strings.Cut(at, "?"); sorted[at] == "" && strings.Contains(text, "/x/book/") &&
					!strings.Contains(text, "whose=own") {
					t.Errorf("%s opens to more than is the organisation's own: %s", at, text)
				}
				own[at] = strings.NewReplacer("whose=own&", "", "&whose=own", "").Replace(text)
			}
			compareBooks(t, "only its own is asked for", own, want)
		}
	}
}

// TestNotTooMuchIsAddedUp shares as many policies as are added up, and one more.
func TestNotTooMuchIsAddedUp(t *testing.T) {
	b := newBetween(1, false, func(i int) bool { return i < 20 })
	zenith, acme := b.start(t)
	for i := range 10_000 {
		b.shared = append(b.shared, internalapi.SeenPolicy{PolicyNumber: numberOf(i), Owner: "acme"})
	}
	lists := []string{"policies", "claims", "movements", "late", "summary", "triangle", "aging"}
	for _, list := range lists {
		zenith.Must(http.StatusOK, http.MethodGet, "/x/book/"+list, "")
	}
	b.shared = append(b.shared, internalapi.SeenPolicy{PolicyNumber: "ONE-MORE", Owner: "acme"})
	for _, list := range lists {
		at := "/x/book/" + list
		got := zenith.Must(http.StatusBadRequest, http.MethodGet, at, "")
		if got.Member("type") != "/problems/bad-parameter" || !strings.Contains(got.Text, `"parameter":"whose"`) ||
			!strings.Contains(got.Text, "whose=own") {
			t.Errorf("%s: %s", path.Base(at), got.Text)
		}
		zenith.Must(http.StatusOK, http.MethodGet, at+"?whose=own", "")
		acme.Must(http.StatusOK, http.MethodGet, at, "")
	}
}
