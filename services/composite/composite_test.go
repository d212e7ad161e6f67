package composite_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/patience"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/servicetest/consumercontract"
	"insurance.example/exchange/services/composite"
)

var providers = []string{"parties", "products", "coverage", "claims", "premium"}

// stubs returns what the service relies on at each of the others.
func stubs(t *testing.T) map[string]http.Handler {
	all := map[string]http.Handler{}
	for _, name := range append([]string{"feed", "desk"}, providers...) {
		all[name] = consumercontract.NewStub(t,
			filepath.Join("..", "..", "contracts", "consumers", name, "composite.json"))
	}
	return all
}

func start(t *testing.T, peers map[string]http.Handler) *servicetest.Service {
	t.Helper()
	return servicetest.Start(t, composite.Service().Definition(), servicetest.Options{Peers: peers})
}

// independent is a batch with an operation of each service, none of which refers to another.
const independent = `{"operations":[
	{"method":"POST","path":"/policyWording","body":{"name":"Standard"}},
	{"method":"POST","path":"/personal","body":{"firstName":"A","lastName":"B","dob":"1990-01-01","idType":"passport",
		"idNumber":"COMPOSITE-1","address":{"city":"London"}}},
	{"method":"POST","path":"/vehicle","body":{"vin":"V"}},
	{"method":"POST","path":"/claim",
		"body":{"policyNumber":"P1","lossDate":"2026-04-01T00:00:00Z","claimType":"other"}},
	{"ref":"r","method":"POST","path":"/receipt","body":{"policyNumber":"P1","receiptType":"new policy","paymentAmount":5}}]}`

// TestEverythingThatIsReliedOn uses all of what the service relies on at the others.
func TestEverythingThatIsReliedOn(t *testing.T) {
	peers := stubs(t)
	s := start(t, peers)
	a := s.Must(200, "POST", "/x/batch", independent, "Idempotency-Key", "K")
	if strings.Count(a.Text, `"status":201`) != 5 || !strings.Contains(a.Text, `"claimNumber":"C1"`) ||
		!strings.Contains(a.Text, `{"operation":4,"ref":"r"`) {
		t.Error(a.Text)
	}
	a = s.Must(200, "GET", "/x/policy/P1", "")
	for _, part := range []string{
		`"coverage":{"link":"/motorCoverage/0193`, `"policyholder":{"link":"/personal/0193`,
		`"insured":{"records":[{"link":"/vehicle/0193`, `"renewalsBefore":{"records":[]}`,
		`"renewalsAfter":{"records":[]}`, `"claims":{"records":[{"link":"/claim/0193`,
		`"receipts":"/receipt?claimNumber=C1"`, `"claimRows":{"records":[{"link":"/claimsBordereau/0193`,
		`"receipts":{"records":[{"link":"/receipt/0193`, `"left":5`, `"rows":{"records":[]}`,
	} {
		if !strings.Contains(a.Text, part) {
			t.Errorf("the view has no %s: %s", part, a.Text)
		}
	}
	if a.Body["unavailable"] != nil {
		t.Error(a.Text)
	}
	if a := s.Must(404, "GET", "/x/policy/P2?part=insured", ""); a.Member("type") != "/problems/policy-not-found" {
		t.Error(a.Text)
	}
	for _, name := range []string{"claims", "claimRows"} {
		a := s.Must(200, "GET", "/x/policy/P1?skip=0&part="+name, "")
		if a.Body["coverage"] != nil || !strings.Contains(a.Text, `"`+name+`":{`) || len(a.Body) != 2 {
			t.Error(a.Text)
		}
	}
	a = s.Must(200, "GET", "/x/about", "")
	if len(a.Body["services"].([]any)) != 7 || a.Body["unavailable"] != nil || a.Member("version") == "" ||
		a.Body["organisations"] != false {
		t.Error(a.Text)
	}
	for _, stub := range peers {
		stub.(*consumercontract.Stub).WantAllAsked()
	}
}

// without returns peers of which some are replaced.
func without(t *testing.T, instead http.Handler, names ...string) map[string]http.Handler {
	peers := stubs(t)
	for _, name := range names {
		peers[name] = instead
	}
	return peers
}

// older is a service of a release that knows none of the internal operations.
var older = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
	problem.Write(w, problem.New(problem.NotFound, ""))
})

// broken is a service that fails.
var broken = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "{}", http.StatusInternalServerError)
})

// TestAViewLeavesOutWhatIsNotAvailable takes one service after the other away. One that does not respond is waited for
// as long as a part of the view may take, by the clock of a bubble.
func TestAViewLeavesOutWhatIsNotAvailable(t *testing.T) {
	lacks := map[string]string{
		"coverage": `["coverage","policyholder","insured","renewalsBefore","renewalsAfter"]`,
		"parties":  `["policyholder"]`, "claims": `["claims","claimRows"]`, "premium": `["receipts","rows"]`,
	}
	hanging := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for name, missing := range lacks {
		for is, instead := range map[string]http.Handler{"older": older, "broken": broken, "hanging": hanging} {
			s := start(t, without(t, instead, name))
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				a := s.Must(200, "GET", "/x/policy/P1", "")
				if !strings.Contains(a.Text, `"unavailable":`+missing) {
					t.Errorf("%s is %s: %s", name, is, a.Text)
				}
				want := patience.Times(3 * time.Second)
				if took := time.Since(began); is == "hanging" && took != want {
					t.Errorf("%s is %s: the view took %v, want %v", name, is, took, want)
				}
			})
		}
	}
	s := start(t, without(t, broken, providers...))
	s.Must(503, "GET", "/x/policy/P1", "")
	s.Must(503, "GET", "/x/policy/P1?part=rows", "")
}

// TestAboutLeavesOutWhatIsNotAvailable takes one service after the other away.
func TestAboutLeavesOutWhatIsNotAvailable(t *testing.T) {
	for _, name := range append([]string{"feed", "desk"}, providers...) {
		for is, instead := range map[string]http.Handler{"older": older, "broken": broken} {
			a := start(t, without(t, instead, name)).Must(200, "GET", "/x/about", "")
			if len(a.Body["services"].([]any)) != 6 || !strings.Contains(a.Text, `"unavailable":["`+name+`"]`) {
				t.Errorf("%s is %s: %s", name, is, a.Text)
			}
		}
	}
	start(t, stubs(t)).Must(400, "GET", "/x/about?part=settings", "")
}

// TestAboutHasTheZoneOfTheExchange: it is that of a service that says it, for which one of an older release does not
// stand in.
func TestAboutHasTheZoneOfTheExchange(t *testing.T) {
	zoned := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"version":"v1.2.3","commit":"unknown",`+
			`"settings":[{"name":"currency"},{"name":"time-zone","value":"Europe/London"}]}`)
	})
	for zone, peers := range map[string]map[string]http.Handler{
		"Europe/London": without(t, zoned, "claims"), "": stubs(t),
	} {
		a := start(t, peers).Must(200, "GET", "/x/about", "")
		if a.Member("timeZone") != zone || strings.Contains(a.Text, "time-zone") {
			t.Errorf("the zone is not %q: %s", zone, a.Text)
		}
	}
}

// TestNothingIsWrittenWhereAnOlderReleaseCannotTry counts what the other services are asked for.
func TestNothingIsWrittenWhereAnOlderReleaseCannotTry(t *testing.T) {
	for _, name := range providers {
		var written atomic.Int64
		peers := stubs(t)
		for of, stub := range peers {
			if of == name {
				stub = older
			}
			peers[of] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasPrefix(r.URL.Path, "/internal/") {
					written.Add(1)
				}
				stub.ServeHTTP(w, r)
			})
		}
		a := start(t, peers).Must(503, "POST", "/x/batch", independent, "Idempotency-Key", "K")
		if written.Load() != 0 || a.Header.Get("Retry-After") == "" ||
			!strings.Contains(a.Text, "Nothing was written") {
			t.Errorf("%s is older: %d writes, %s", name, written.Load(), a.Text)
		}
	}
}

// TestBadBatches sends batches that are wrong in themselves. No service is asked.
func TestBadBatches(t *testing.T) {
	s := start(t, map[string]http.Handler{})
	vehicle := `{"ref":"%s","method":"POST","path":"/vehicle","body":{"vin":"%s"}}`
	many := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(vehicle, fmt.Sprint("v", i), "V"))
		}
		return `{"operations":[` + strings.Join(all, ",") + `]}`
	}
	one := func(operation string) string { return `{"operations":[` + operation + `]}` }
	for body, want := range map[string]string{
		many(51):                                                                 `400 "pointer":"/operations","reason":"has 51 operations, and a batch has at most 50`,
		`{}`:                                                                     `400 "pointer":"/operations","reason":"is required"`,
		`{"operations":[null]}`:                                                  `400 "pointer":"/operations/0","reason":"must not be null"`,
		`{"operations":{}}`:                                                      `400 "pointer":"/operations"`,
		one(`{"metod":"POST"}`):                                                  `400 "pointer":"/operations/0/metod","reason":"is not known here`,
		`{"operations":[],"atomic":true}`:                                        `400 "pointer":"/atomic","reason":"is not known here`,
		one(fmt.Sprintf(vehicle, "v", "@v.id")):                                  `422 "pointer":"/operations/0/body/vin","reason":"refers to the operation itself"`,
		one(fmt.Sprintf(vehicle, "v", "@w.id")):                                  `422 "pointer":"/operations/0/body/vin","reason":"refers to w, which is no operation before`,
		one(fmt.Sprintf(vehicle, "a b", "V")):                                    `422 "pointer":"/operations/0/ref","reason":"must be 1 to 64 letters`,
		one(`{"path":"/vehicle","body":{}}`):                                     `422 "pointer":"/operations/0/method","reason":"must be POST"`,
		one(`{"method":"POST","path":"vehicle"}`):                                `422 "pointer":"/operations/0/path","reason":"is no path`,
		one(`{"method":"POST","path":"/x/batch","body":{}}`):                     `422 "pointer":"/operations/0/path","reason":"is no path`,
		one(`{"method":"POST","path":"/productCatalog","body":{}}`):              `422 "pointer":"/operations/0/path","reason":"is no path`,
		one(`{"method":"POST","path":"/vehicle","body":[]}`):                     `422 "pointer":"/operations/0/body","reason":"must be an object"`,
		one(fmt.Sprintf(vehicle+","+vehicle, "a", "@b.id", "b", "V")):            `422 "pointer":"/operations/0/body/vin","reason":"refers to b, which is no`,
		one(fmt.Sprintf(vehicle+","+vehicle, "a", "@a.id", "a", "@a.id")):        `422 "pointer":"/operations/1/ref","reason":"is the name of an earlier`,
		one(fmt.Sprintf(vehicle+","+vehicle, "a", "V", "b", "@a.vin")):           `422 "pointer":"/operations/1/body/vin","reason":"refers to the vin of a; what an operation gives is id,`,
		`{"operations":[` + strings.Repeat(`{"body":{}},`, 49) + `{"body":{}}]}`: `422 "moreErrors":68`,
	} {
		a := s.Do("POST", "/x/batch", body, "Idempotency-Key", "K")
		status, text, _ := strings.Cut(want, " ")
		if fmt.Sprint(a.Status) != status || !strings.Contains(a.Text, text) {
			t.Errorf("%.80s: %d %.400s, want %s", body, a.Status, a.Text, want)
		}
	}
	for _, key := range []string{"", strings.Repeat("k", 256)} {
		s.Must(400, "POST", "/x/batch", many(1), "Idempotency-Key", key)
	}
	if a := s.Must(400, "POST", "/x/batch", many(1)); !strings.Contains(a.Text, "needs an Idempotency-Key") {
		t.Error(a.Text)
	}
}

// TestKeysOfOperationsAreBounded looks at the keys that operations are sent with.
func TestKeysOfOperationsAreBounded(t *testing.T) {
	for size, long := range map[int]bool{1: false, 253: false, 254: true, 255: true} {
		var key string
		peers := map[string]http.Handler{"coverage": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			text := `{"outcomes":[{"outcome":"admissible","values":{"id":"x"}}]}`
			if r.URL.Path == "/vehicle" {
				key, text = r.Header.Get("Idempotency-Key"), `{"id":"01930000-0000-7000-8000-000000000001"}`
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(text))
		})}
		sent := strings.Repeat("k", size)
		start(t, peers).Must(200, "POST", "/x/batch", `{"operations":[{"method":"POST","path":"/vehicle","body":{}}]}`,
			"Idempotency-Key", sent)
		if !strings.HasSuffix(key, "#0") || len(key) > 255 || (key == sent+"#0") == long {
			t.Errorf("a key of %d bytes: the operation has %q", size, key)
		}
	}
}
