package client_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

func TestRecords(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	const car = `{"plateNumber":"EX 1","mass":1.500000000000000000001}`
	created := s.run(t, "create", "vehicle", "--body", car, "--idempotency-key", "k").want(t, 0).stdout
	id := strings.Split(created, `"`)[3]
	if withoutID(t, created) != `{"mass":1.500000000000000000001,"plateNumber":"EX 1"}` {
		t.Errorf("created: %s", created)
	}
	s.run(t, "create", "vehicle", "--body", car, "--idempotency-key", "k").want(t, 0, id, "Nothing new")
	s.run(t, "get", "vehicle", id, "--output", "pretty").want(t, 0, "  \"mass\": 1.500000000000000000001")

	etag := strings.TrimSpace(s.run(t, "get", "vehicle", id, "--etag").want(t, 0).stdout)
	s.pipe(t, `{"plateNumber":"EX 2"}`, "put", "vehicle", id, "--body", "@-", "--if-match", etag).want(t, 0, "EX 2")
	s.run(t, "put", "vehicle", id, "--body", `{"plateNumber":"EX 3"}`, "--if-match", etag).
		want(t, 1, "the record has changed (412)")
	s.run(t, "get", "vehicle", id).want(t, 0, "EX 2")

	holder := s.run(t, "create", "commercial", "--body", `{"name":"Example Ltd"}`).want(t, 0).stdout
	traveller := s.run(t, "create", "traveller", "--body", `{"firstName":"Ada"}`).want(t, 0).stdout
	trip := s.run(t, "create", "travelCoverage", "--body", `{"policyholderId":"`+strings.Split(holder, `"`)[3]+
		`","travellerIds":["`+strings.Split(traveller, `"`)[3]+`"],"destination":756}`).want(t, 0).stdout
	policy := strings.Split(trip, `"`)[3]
	s.run(t, "search", "travelCoverage", "--newest", "--expand", "policyholder,travellers").want(t, 0,
		`"policyholder":{"id":"`+strings.Split(holder, `"`)[3], `"travellers":[{"id":"`+strings.Split(traveller, `"`)[3])
	s.run(t, "search", "travelCoverage", "--expand", "pet").want(t, 1, "policyholder, broker, agent, travellers")
	s.run(t, "action", "travelCoverage", policy, "cancel", "--body", `{"reason":"stayed"}`).want(t, 0, `"cancelled"`)
	s.run(t, "action", "travelCoverage", policy, "cancel").want(t, 1, "(409)")
	s.run(t, "action", "travelCoverage", policy, "renew").want(t, 2, "there are cancel, endorse")
}

// TestSearch finds records by how a name begins, the newest first, and shows the columns that were asked for.
func TestSearch(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	name := "Sought" + strconv.FormatInt(time.Now().UnixNano(), 36)
	for _, which := range []string{"1", "2", "3"} {
		s.run(t, "create", "commercial", "--body", `{"name":"`+name+" "+which+`"}`).want(t, 0)
	}
	found := s.run(t, "search", "commercial", "--filter", "namePrefix="+strings.ToUpper(name), "--newest",
		"--limit", "2", "-o", "table", "--columns", "name,id").want(t, 0, "the first 2")
	lines := strings.Split(found.stdout, "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "name ") || !strings.HasPrefix(lines[1], name+" 3 ") ||
		!strings.HasPrefix(lines[2], name+" 2 ") {
		t.Errorf("the table is\n%s", found.stdout)
	}
	s.run(t, "search", "commercial", "--filter", "name="+name+" 1").want(t, 0, name+" 1")
	s.run(t, "search", "commercial", "--filter", "colour=red").want(t, 1, "parameter colour")
	s.run(t, "__complete", "search", "claim", "--filter", "lossDate").want(t, 0, "lossDateFrom=")
	s.run(t, "__complete", "list", "claim", "--columns", "id,claimN").want(t, 0, "id,claimNumber")
}

func TestExitStatus(t *testing.T) {
	t.Parallel()
	s, nowhere := newShell(t), "http://"+trial.ClosedAddress(t)
	for name, c := range map[string]struct {
		status int
		args   []string
		words  string
	}{
		"refused, with places": {
			1, []string{"create", "vehicle", "--body", `{"plateNumber":1,"vin":2}`}, "/vin: must be a string",
		},
		"refused, with its name": {1, []string{"get", "vehicle", "none"}, "request id: "},
		"refused parameter":      {1, []string{"list", "vehicle", "--filter", "colour=red"}, "parameter colour"},
		"refused token":          {1, []string{"list", "vehicle", "--token", "x"}, "(401)"},
		"import with that":       {1, []string{"import", "vehicle", "fleet.ndjson", "--token", "x"}, "--token-file"},
		"unknown resource":       {2, []string{"get", "automobile", "x"}, "vehicle"},
		"unknown command":        {2, []string{"lst"}, "list"},
		"unknown flag":           {2, []string{"list", "vehicle", "--colour"}, "--colour"},
		"too few arguments":      {2, []string{"get", "vehicle"}, "2 arguments"},
		"no such operation":      {2, []string{"create", "productCatalog", "--body", "{}"}, "not offered"},
		"no body":                {2, []string{"create", "vehicle"}, "--body"},
		"no form of output":      {2, []string{"list", "vehicle", "--output", "yaml"}, "pretty"},
		"no filter":              {2, []string{"list", "vehicle", "--filter", "x"}, "name=value"},
		"no search":              {2, []string{"search", "productCatalog"}, "not offered"},
		"no column": {
			2, []string{"list", "vehicle", "-o", "table", "--columns", "plateNumbr"}, "did you mean plateNumber",
		},
		"columns of JSON": {2, []string{"list", "vehicle", "-o", "json", "--columns", "id"}, "-o table"},
		"no URL":          {2, []string{"list", "vehicle", "--url", "here"}, "--url"},
		"nobody there": {
			3, []string{"list", "vehicle", "--url", nowhere, "--retry-for", "0s"}, "does not respond",
		},
		"import to nobody": {
			3, []string{"import", "vehicle", "fleet.ndjson", "--url", nowhere, "--retry-for", "0s"},
			"exchange run",
		},
		"create at nobody": {
			3, []string{"create", "vehicle", "--body", "{}", "--url", nowhere, "--retry-for", "0s"},
			"--idempotency-key",
		},
	} {
		s.write(t, "fleet.ndjson", fleet(20, 0))
		t.Run(name, func(t *testing.T) { s.run(t, c.args...).want(t, c.status, c.words) })
	}
	s.wantFleet(t, 0)
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	offers := func(words, not string, args ...string) {
		t.Helper()
		all := s.run(t, append([]string{"__complete"}, args...)...).want(t, 0).lines()
		has := func(word string) bool {
			for _, line := range all {
				if line == word {
					return true
				}
			}
			return false
		}
		for word := range strings.FieldsSeq(words) {
			if !has(word) {
				t.Errorf("%s does not offer %s: %s", args, word, all)
			}
		}
		if has(not) {
			t.Errorf("%s offers %s", args, not)
		}
	}
	offers("vehicle productCatalog claim", "cancel", "list", "")
	offers("vehicle claim", "productCatalog", "get", "")
	offers("vehicle claimsBordereau", "productCatalog", "create", "")
	offers("vehicle", "claimsBordereau", "put", "")
	offers("travelCoverage claim receipt", "vehicle", "action", "")
	offers("endorse cancel", "renew", "action", "travelCoverage", "x", "")
	offers("settle reopen documents", "cancel", "action", "claim", "x", "")
	offers("ndjson csv xlsx", "pdf", "export", "claim", "--output", "")
	offers("receiptType= receiptDateFrom=", "limit=", "list", "receipt", "--filter", "")
	offers("currency=GBP currency=CHF", "currency=", "list", "product", "--filter", "currency=")
	offers("licence.expiryDate driverDOB", "perils", "describe", "driver", "")
	offers("json table pretty raw", "yaml", "get", "claim", "x", "--output", "")
	for _, kind := range []string{"bash", "zsh", "fish", "powershell"} {
		s.run(t, "completion", kind).want(t, 0, "exchange")
	}
}

// TestLocalToken calls an exchange on this machine, for which the client issues the token itself. It does so only for
// this machine.
func TestLocalToken(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.run(t, "list", "vehicle", "--verbose").want(t, 0, "issued with the keys in")
	s.run(t, "list", "vehicle", "--data", "elsewhere", "--verbose").
		want(t, 1, "there are no keys in elsewhere", "(401)")
	s.run(t, "list", "vehicle", "--url", "http://exchange.invalid", "--retry-for", "0s", "--verbose").
		want(t, 3, "not used for other machines")
	token := s.run(t, "token").want(t, 0).stdout
	s.write(t, "token", token)
	s.run(t, "list", "vehicle", "--data", "elsewhere", "--token-file", "token").want(t, 0)
}

// standIn makes the shell call a server that responds a number of times as an unavailable exchange, and then calls
// handler.
func standIn(t *testing.T, s *shell, outages int, handler http.HandlerFunc) (requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) <= int64(outages) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return requests
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	var keys []string
	requests := standIn(t, s, 2, func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"id":"` + strconv.Itoa(len(keys)) + `"}`))
	})
	start := time.Now()
	s.run(t, "create", "vehicle", "--body", "{}").want(t, 0, `"id":"1"`)
	if waited := time.Since(start); waited < 2*time.Second || requests.Load() != 3 || keys[0] == "" {
		t.Errorf("%d requests within %s, want 3 with a second between them; keys %q", requests.Load(), waited, keys)
	}
	// If a server asks for a longer wait than there is time for, the client does not wait at all.
	requests = standIn(t, s, 1, nil)
	s.run(t, "list", "vehicle", "--retry-for", "500ms").want(t, 3, "service unavailable (503)")
	if requests.Load() != 1 {
		t.Errorf("%d requests, want 1", requests.Load())
	}
}

// TestNoExchange calls servers that respond in another way than an exchange. The client does not take them for one.
func TestNoExchange(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	standIn(t, s, 0, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) })
	s.run(t, "create", "vehicle", "--body", "{}").want(t, 3, "is --url right?")
	standIn(t, s, 0, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/elsewhere" {
			_, _ = w.Write([]byte("{}"))
			return
		}
		http.Redirect(w, r, "/elsewhere", http.StatusMovedPermanently)
	})
	s.run(t, "create", "vehicle", "--body", "{}").want(t, 3, `sends us on to "/elsewhere"`)
	standIn(t, s, 0, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", http.StatusForbidden) })
	s.run(t, "list", "vehicle").want(t, 1, "forbidden (403)")
}
