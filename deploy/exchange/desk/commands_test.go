package desk_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"insurance.example/exchange/deploy/exchange/client"
)

// answers are the responses of an exchange, by method, path and query. What it is asked is kept.
type answers struct {
	*testing.T
	of    map[string]string
	asked []string
}

func (a *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		a.Error(err)
	}
	line := r.Method + " " + r.URL.String()
	a.asked = append(a.asked, strings.TrimSpace(line+" "+string(body)))
	text, is := a.of[line]
	if strings.Contains(string(body), "2026-01-01") {
		text = noPath
	}
	if !is {
		text = noPath
	}
	switch {
	case text == noPath:
		w.WriteHeader(http.StatusNotFound)
	case strings.Contains(text, "/problems/"):
		w.WriteHeader(http.StatusConflict)
	}
	fmt.Fprint(w, text)
}

const noPath = `{"type":"/problems/not-found","title":"not found"}`

const (
	samePerson = `{"type":"/problems/same-person","title":"two persons"}`
	second     = `{"contract":"C","kind":"premium","period":"2026-01","number":2,"lines":3}`
	firstPage  = `{"contracts":[{"reference":"C","contract":{"coverholderName":"Alder"}}],"next":"C"}`
)

const version = "/x/bordereau/C/premium/2026-01/versions/2"

// month is an exchange with a month that has two versions.
func month(t *testing.T) *answers {
	return &answers{T: t, of: map[string]string{
		"GET /x/bordereau?contract=C&kind=premium&limit=200": `{"periods":[{"contract":"C","period":"2026-01",` +
			`"versions":[{"number":1},{"number":2}]}]}`,
		"GET " + version + "/lines?limit=200": `{"lines":[{"lineId":"ID-1","policyNumber":"POL-1","gross":100.50,` +
			`"net":85.43,"insured":"Ada","late":{"recordedPeriod":"2025-12"}}],"next":200}`,
		"GET " + version + "/lines?limit=200&skip=200": `{"lines":[{"lineId":"ID-2","policyNumber":"POL-2"}]}`,
		"GET /x/bordereau/C/claims/2026-01/lines?limit=200": `{"lines":[],"claims":[{"lineId":"ID-3",` +
			`"claimNumber":"CLM-1","indemnity":{"paid":5,"outstanding":7,"incurred":12}}]}`,
		"GET " + version + "/findings?limit=200": `{"findings":[{"id":"missing-insured-1","severity":"error",` +
			`"policyNumber":"POL-1","words":"The insured is missing."}]}`,
		"POST " + version + "/findings/missing-insured-1:waive": `{"number":2}`,
		"POST " + version + ":approve":                          samePerson,
		"GET " + version:                                        second,
		"GET " + version + "/lines.csv":                         "Line\r\n1\r\n",
		"GET /x/contract?limit=200":                             firstPage,
		"GET /x/contract?after=C&limit=200":                     `{"contracts":[{"reference":"D"}]}`,
		"GET /x/contract/C?at=2026-03-01T00%3A00%3A00Z":         `{"reference":"C","version":1}`,
		"PUT /x/contract/C":                                     `{"reference":"C","version":2}`,
		"PUT /x/contract/C/policy/POL-1":                        `{"contract":"C"}`,
		"GET /x/bordereau/C/premium/2026-02":                    `{"contract":"C","period":"2026-02","versions":[]}`,
		"GET /x/reconciliation/run/R": `{"id":"R","against":{"contract":"C","kind":"premium","period":"2026-01"},` +
			`"outcomes":{"matched":2,"mismatch":1},"ageing":[]}`,
		"GET /x/reconciliation/run/R/items?limit=200": `{"items":[{"number":7,"outcome":"mismatch","row":3,` +
			`"candidates":["ID-1","ID-2"],"cells":[{"cell":"D3","means":"gross","theirs":"9","ours":"8"},` +
			`{"cell":"E3","means":"date","theirs":"x","reason":"no day"}]}]}`,
		"GET /x/reconciliation/statement/S/changes?limit=200": `{"count":2,"changes":[{"kind":"changed","row":3,"formerRow":2,` +
			`"policyNumber":"POL-1","cells":[{"means":"gross","was":"9.00","is":"8.00"},{"means":"net","is":"7.00"}]},` +
			`{"kind":"removed","formerRow":5,"policyNumber":"POL-2","cells":[]}]}`,
		"POST /x/book:rebuild":  `{"since":"2026-03-01T12:00:00Z","read":7}`,
		"GET /x/book:rebuild":   `{"since":"2026-03-01T12:00:00Z","read":9,"finished":"2026-03-01T12:00:01Z"}`,
		"GET /x/clock":          `{"now":"2026-01-05T09:00:00Z"}`,
		"POST /x/clock:advance": `{"now":"2026-02-01T00:00:00Z"}`,
	}}
}

// TestCommandsOfPeople runs each command that only asks for something and prints it.
func TestCommandsOfPeople(t *testing.T) {
	file := filepath.Join(t.TempDir(), "contract.json")
	if err := os.WriteFile(file, []byte(`{"currency":"EUR"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	exported := filepath.Join(t.TempDir(), "january.csv")
	for _, c := range []struct {
		line, prints, says, asks string
	}{
		{"bordereau lines C premium 2026-01 -o table", "POL-1 100.50 85.43 Ada 2025-12 ID-1 POL-2 ID-2", "", ""},
		{"bordereau lines C claims 2026-01 live -o table", "CLM-1 5 7 12 ID-3", "", ""},
		{"bordereau lines C premium 2026-01", `"policyNumber":"POL-1"`, "", ""},
		{"bordereau findings C premium 2026-01 -o table", "missing-insured-1 error POL-1 The insured is missing.", "",
			""},
		{"bordereau waive C premium 2026-01 missing-insured-1 --reason paper", `"number": 2`, "",
			"POST " + version + `/findings/missing-insured-1:waive {"reason":"paper"}`},
		{"bordereau waive C premium 2026-01 missing-insured-1", "", "--reason", ""},
		{"bordereau approve C premium 2026-01 --digest D", "", "exchange token --subject", ""},
		{"bordereau export C premium 2026-01 --out " + exported, "", "january.csv: 3 lines of version 2 of C", ""},
		{"bordereau list --contract C --kind premium -o pretty", "\n\t\"contract\": \"C\",", "", ""},
		{"bordereau show C premium 2026-02 -o table", "2026-02 0 VERSION DIGEST", "", ""},
		{"reconcile show R -o table", "OUTCOME mismatch 1 matched 2 Run R of C premium 2026-01.", "", ""},
		{"reconcile items R -o table", `7 mismatch 3 D3 gross: theirs 9, ours 8; E3 date "x": no day ID-1 or ID-2`, "",
			""},
		{"reconcile changes S -o table", "changed 3 2 POL-1 gross 9.00 to 8.00; net - to 7.00 removed 5 POL-2", "", ""},
		{"contract list -o table", "C Alder D", "", ""},
		{"contract get C --at 2026-03-01T00:00:00Z", `"version": 1`, "", ""},
		{"contract get C --owner acme", "", "", "GET /x/contract/C?owner=acme"},
		{"bordereau lines C premium 2026-01 --owner acme", "", "",
			"GET /x/bordereau?contract=C&kind=premium&limit=200&owner=acme"},
		{"bordereau list --owner acme", "", "", "GET /x/bordereau?limit=200&owner=acme"},
		{"contract put C " + file, `"version": 2`, "", `PUT /x/contract/C {"currency":"EUR"}`},
		{"contract assign C POL-1", `"contract": "C"`, "", "PUT /x/contract/C/policy/POL-1"},
		{"book rebuild -o table", "SINCE ENTRIES READ UP TO FINISHED 2026-03-01T12:00:00Z 9 2026-03-01T12:00:01Z",
			"", "GET /x/book:rebuild"},
		{"clock -o table", "NOW 2026-01-05T09:00:00Z", "", ""},
		{"clock 2026-02-01", `"now": "2026-02-01T00:00:00Z"`, "",
			`POST /x/clock:advance {"to":"2026-02-01T00:00:00Z"}`},
		{"clock 2026-01-01", "", "--test-clock or --demo", ""},
		{"clock tomorrow", "", "INSTANT is a day", ""},
	} {
		t.Run(c.line, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				exchange := month(t)
				out, said := try(t, exchange.ServeHTTP, strings.Fields(c.line)...)
				printed := out
				if strings.Contains(c.line, "-o table") {
					printed = words(c.prints, out)
				}
				if !strings.Contains(printed, c.prints) || !strings.Contains(said, c.says) {
					t.Errorf("it prints\n%s\nand says\n%s", out, said)
				}
				if asked := strings.Join(exchange.asked, "\n"); !strings.Contains(asked, c.asks) {
					t.Errorf("it asks\n%s\nnot for %s", asked, c.asks)
				}
			})
		})
	}
}

// words returns those of a text that another has too, in its order.
func words(of, text string) string {
	var all []string
	for _, word := range strings.Fields(text) {
		for wanted := range strings.FieldsSeq(of) {
			if word == wanted {
				all = append(all, word)
				break
			}
		}
	}
	return strings.Join(all, " ")
}

// try runs a command as run does, and returns what it reports as well.
func try(t *testing.T, exchange http.HandlerFunc, args ...string) (out, reported string) {
	t.Helper()
	shown := make(said, 100)
	out, err := attempt(t, exchange, shown, args...)
	var text strings.Builder
	client.Report(&text, err)
	for len(shown) > 0 {
		text.WriteString(<-shown)
	}
	return out, text.String()
}
