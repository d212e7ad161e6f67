package rows_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/book"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/services/book/rows"
)

// plain returns the letters and digits of a text, as the names and plates of these tests are found by them.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == ',' || r == '.' || r == '%' {
			return -1
		}
		return r
	}, strings.NewReplacer("ü", "u").Replace(strings.ToLower(text)))
}

// insured returns an entry about a policy with a vehicle and a broker.
func insured(number, version, holder, vehicle int) internalapi.Change {
	return change("motorCoverage", fmt.Sprint("policy", number), int64(version), fmt.Sprintf(
		`{"policyNumber":"POL-%04d/x","policyholderId":"holder%d","vehicleId":"vehicle%d",`+
			`"brokerId":"01930000-0000-7000-8000-00000000000%d","inceptionDate":"2026-01-01T00:00:00Z"}`,
		number, holder, vehicle, number%3))
}

// TestRowsAreFoundByWhatTheyHave finds policies and claims by parts of their texts, after they were read for the first
// time and after names, plates and what policies name have changed, and compares them with those that a loop finds.
func TestRowsAreFoundByWhatTheyHave(t *testing.T) {
	const seed = 11
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	b := open(t, filepath.Join(t.TempDir(), "book.db"))
	names := []string{"Ümlaut AG", "Amber & Sons", "Zed Ltd.", "Berg, Anna"}
	version := 0
	several := func() (all []internalapi.Change) {
		version++
		for i := range 20 {
			all = append(all, change("vehicle", fmt.Sprint("vehicle", i), int64(version), fmt.Sprintf(
				`{"plateNumber":"EX %d-%d","make":"Golf"}`, random.IntN(90), 100+random.IntN(900))))
		}
		for i := range 6 {
			all = append(all, change("commercial", fmt.Sprint("holder", i), int64(version), fmt.Sprintf(
				`{"name":"%s %d"}`, names[random.IntN(4)], i)))
		}
		for i := range 3 {
			all = append(all, change("insuranceEntity", fmt.Sprintf("01930000-0000-7000-8000-00000000000%d", i),
				int64(version), fmt.Sprintf(`{"name":"Broker-House %d%d"}`, i, random.IntN(9))))
		}
		for i := range 60 {
			if random.IntN(3) > 0 {
				all = append(all, insured(i, version, random.IntN(6), random.IntN(20)))
			}
			if random.IntN(4) == 0 {
				all = append(all, change("claim", fmt.Sprint("claim", i), int64(version), fmt.Sprintf(
					`{"claimNumber":"CLM %03d-A","policyNumber":"POL-%04d/x","fnol":"2026-02-01T00:00:00Z"}`, i, i)))
			}
		}
		return all
	}
	count := 0
	for round := range 4 {
		fill(t, b, several())
		q := rows.Query{Sight: acme, Limit: 1000, Now: now}
		policies := list[book.PolicyRow](t, b, rows.Policies, q)
		claims := list[book.ClaimRow](t, b, rows.Claims, q)
		for range 150 {
			p := policies[random.IntN(len(policies))]
			from := []rune([]string{p.PolicyNumber, p.Insured, p.Broker, p.Object}[random.IntN(4)])
			at := random.IntN(len(from))
			text := string(from[at:min(len(from), at+3+random.IntN(8))])
			if random.IntN(3) == 0 {
				text = strings.ToUpper(strings.ReplaceAll(text, " ", "-"))
			}
			q := rows.Query{Sight: acme, Limit: 7, Now: now, Find: rows.Compared(text)}
			if len(q.Find) < rows.LeastText {
				continue
			}
			if random.IntN(2) == 0 {
				q.Sort, q.Descending = column(t, rows.Policies, "insured"), random.IntN(2) == 0
			}
			has := func(texts ...string) bool {
				return slices.ContainsFunc(texts, func(of string) bool {
					return strings.Contains(plain(strings.NewReplacer("/", "", "&", "").Replace(of)), q.Find)
				})
			}
			objects := map[string]string{}
			var want, is []string
			for _, p := range policies {
				if objects[p.PolicyNumber] = p.Object; has(p.PolicyNumber, p.Insured, p.Broker, p.Object) {
					want = append(want, p.PolicyNumber)
				}
			}
			for _, c := range claims {
				if has(c.ClaimNumber, c.PolicyNumber, c.Insured, c.Broker, objects[c.PolicyNumber]) {
					want = append(want, c.ClaimNumber)
				}
			}
			for _, p := range list[book.PolicyRow](t, b, rows.Policies, q) {
				is = append(is, p.PolicyNumber)
			}
			for _, c := range list[book.ClaimRow](t, b, rows.Claims, q) {
				is = append(is, c.ClaimNumber)
			}
			count += len(is)
			if slices.Sort(is); !slices.Equal(is, slices.Sorted(slices.Values(want))) {
				t.Fatalf("round %d: %q finds %q, want %q", round, text, is, want)
			}
		}
	}
	if count < 1000 {
		t.Errorf("%d rows were found", count)
	}
}

// TestWhatIsConcealedIsNotFound finds rows of another organisation, which shares them, by what they show and by what
// they do not.
func TestWhatIsConcealedIsNotFound(t *testing.T) {
	b := open(t, filepath.Join(t.TempDir(), "book.db"))
	pet := change("petCoverage", "p2", 1, `{"policyNumber":"POL-PET","policyholderId":"holder1","petId":"rex"}`)
	fill(t, b, []internalapi.Change{insured(1, 1, 1, 1), pet,
		change("vehicle", "vehicle1", 1, `{"plateNumber":"EX 20 26"}`), change("pet", "rex", 1, `{"petName":"Rexy"}`),
		change("commercial", "holder1", 1, `{"name":"Ann Lee"}`),
		change("insuranceEntity", "01930000-0000-7000-8000-000000000001", 1, `{"name":"Brokers"}`),
		change("claim", "c", 1, `{"claimNumber":"CLM-1","policyNumber":"POL-0001/x"}`)})
	zenith := rows.Sight{Owner: "zenith", Shared: []rows.SharedPolicy{{Number: "POL-0001/x", Owner: "acme"},
		{Number: "POL-PET", Owner: "acme"}}}
	for text, want := range map[string][2]int{"ex2026": {1, 0}, "brokers": {1, 0}, "annlee": {2, 2}, "0001x": {1, 1},
		"rexy": {1, 1}, "annleebrokers": {0, 0}} {
		for i, sight := range []rows.Sight{acme, zenith} {
			q := rows.Query{Sight: sight, Limit: 10, Now: now, Find: text}
			if is := len(list[book.PolicyRow](t, b, rows.Policies, q)); is != want[i] {
				t.Errorf("%q finds %d policies of %s, want %d", text, is, sight.Owner, want[i])
			}
			claims := want[i]
			if text == "annlee" || text == "rexy" {
				claims = want[i] - 1
			}
			if is := len(list[book.ClaimRow](t, b, rows.Claims, q)); is != claims {
				t.Errorf("%q finds %d claims of %s, want %d", text, is, sight.Owner, claims)
			}
		}
	}
}

// TestAFewRowsAreFoundAmongMany finds what few of many rows have, by the first page, and what all have, in order.
func TestAFewRowsAreFoundAmongMany(t *testing.T) {
	b := open(t, filepath.Join(t.TempDir(), "book.db"))
	var all []internalapi.Change
	for i := range 10_050 {
		all = append(all, change("travelCoverage", fmt.Sprint(i), 1, fmt.Sprintf(
			`{"policyNumber":"P-1%06d","grossWrittenPremium":%d}`, i, 10_050-i)))
	}
	all = append(all, change("travelCoverage", "last", 1, `{"policyNumber":"P-1099999","status":"lapsed"}`))
	fill(t, b, all)
	q := rows.Query{Sight: acme, Limit: 3, Now: now, Find: "p10", Conditions: []rows.Condition{
		{Column: column(t, rows.Policies, "status"), OneOf: []string{"lapsed"}}}}
	if is := len(list[book.PolicyRow](t, b, rows.Policies, q)); is != 1 {
		t.Errorf("what all have finds %d that are lapsed, want the last one", is)
	}
	number := column(t, rows.Policies, "policyNumber")
	for name, q := range map[string]rows.Query{
		"a part of a number":      {Find: "1010040"},
		"the beginning of it":     {Conditions: []rows.Condition{{Column: number, Begins: "p-1010040"}}},
		"a part of it, and order": {Find: "1010040", Sort: column(t, rows.Policies, "written")},
	} {
		q.Sight, q.Limit, q.Now = acme, 10, now
		page, err := b.Page(t.Context(), rows.Policies, q)
		if err != nil || len(page.Rows) != 1 || page.Next != nil {
			t.Errorf("%s: %d rows, next %v (%v)", name, len(page.Rows), page.Next, err)
		}
	}
	for name, q := range map[string]rows.Query{
		"what all have":         {Find: "p10"},
		"what they begin with":  {Conditions: []rows.Condition{{Column: number, Begins: "p-10"}}},
		"what all have, sorted": {Find: "p10", Sort: column(t, rows.Policies, "written"), Descending: true},
	} {
		q.Sight, q.Limit, q.Now = acme, 3, now
		page, err := b.Page(t.Context(), rows.Policies, q)
		if err != nil || len(page.Rows) != 3 || page.Next == nil || page.Next.Key != "P-1000002" {
			t.Errorf("%s: %d rows, next %+v (%v)", name, len(page.Rows), page.Next, err)
		}
	}
}
