package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/deploy/proof/e2e/organisations"
	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// reason is why the operator of the tests reads.
const reason = "complaint 4711"

// TestOperatorsOverSeparateProcesses has an operator read what two organisations have, in an exchange whose services
// are processes of their own, also after each was started again. Whatever it reads is in the audit logs.
func TestOperatorsOverSeparateProcesses(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	settings, audits := map[string][]string{}, []string{}
	for _, name := range trial.Processes() {
		audits = append(audits, filepath.Join(data, name+"-audit.log"))
		settings[name] = []string{"--audit-log", audits[len(audits)-1]}
	}
	e, err := commands.RunComposed(data, trial.Composition{Environ: organisations.Environ(), Settings: settings})
	trial.EndWith(t, e, err)
	// It has all scopes, and the claim of an organisation as well.
	c, err := e.Member("acme", "olga", trial.Developer, trial.Admin, openapi.ScopeOperator)
	if err != nil {
		t.Fatal(err)
	}
	o := &operator{c: c, audits: audits}
	shows := map[string]string{} // by path
	for _, name := range []string{"acme", "zenith"} {
		maps.Copy(shows, whatIsRead(t, member(t, e, name), strings.ToUpper(name)))
	}
	for _, again := range []bool{false, true} {
		if again {
			for _, name := range trial.Processes() {
				if err := errors.Join(e.Stop(name), e.Restart(name)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, path := range slices.Sorted(maps.Keys(shows)) {
			o.reads(t, path, shows[path])
		}
		o.writesNothing(t)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// whatIsRead makes a policy, what lies under it and a contract of the desk with a version. It returns the paths where
// the organisation reads them, with what each shows.
func whatIsRead(t *testing.T, c *trial.Client, contract string) map[string]string {
	t.Helper()
	p := policy(t, c)
	number, id := p.Text("policyNumber"), p.Text("id")
	claim, paid := c.Create(t, "claim", loss(number, -2)), c.Create(t, "receipt", receipt(number, 700)).Text("id")
	claimID, claimNumber := claim.Text("id"), claim.Text("claimNumber")
	c.Put(t, "/x/contract/"+contract, trial.Record{
		"uniqueMarketReference": "B0001" + contract, "coverholderName": "Alder", "inception": "1950-01-01",
		"expiry": "1951-01-01", "lines": []string{"petCoverage"}, "currency": "EUR", "amountUnit": "major",
		"frequency": "month", "firstPeriod": "2026-01",
	}).Want(t, http.StatusOK)
	period := "/x/bordereau/" + contract + "/premium/2026-01"
	c.Post(t, period+":prepare", trial.Record{"type": "nil"}).Want(t, http.StatusCreated)
	at := "?at=" + time.Now().UTC().Format(time.RFC3339Nano)
	of := "?policyNumber=" + number
	paths := map[string]string{
		"/motorCoverage/" + id: number, "/claim/" + claimID: claimNumber, "/receipt/" + paid: number,
		"/motorCoverage": number, "/claim": claimID, "/receipt" + of: paid,
		"/claim?claimNumber=" + claimNumber:     claimID,
		"/personal/" + p.Text("policyholderId"): p.Text("policyholderId"),
		"/x/history/motorCoverage/" + id:        "created", "/x/history/claim/" + claimID: "created",
		"/x/asof/motorCoverage/" + id + at: number, "/x/asof/receipt/" + paid + at: number,
		"/x/search/coverage" + of: id, "/x/search/claim" + of: claimID, "/x/search/receipt" + of: paid,
		"/x/policy/" + number: claimID, "/premiumBordereau" + of: number,
		"/x/events?limit=200&policyNumber=" + number: paid,
		"/x/contract/" + contract:                    contract, "/x/contract": contract,
		"/x/bordereau?contract=" + contract: contract, period: "2026-01", period + "/versions/1": "digest",
	}
	for path, shows := range paths {
		// The row and the events come later, and a view leaves out a part whose service takes long.
		if strings.HasPrefix(path, "/premiumBordereau") || strings.HasPrefix(path, "/x/events") ||
			strings.HasPrefix(path, "/x/policy/") {
			wait.Until(t, func() error { return showsTo(c.Get(t, path), shows) })
		} else if err := showsTo(c.Get(t, path), shows); err != nil {
			t.Errorf("the owner reads %s: %v", path, err)
		}
	}
	return paths
}

// showsTo returns an error unless a response shows a text.
func showsTo(a trial.Response, text string) error {
	if a.Status != http.StatusOK || !strings.Contains(string(a.Body), text) {
		return fmt.Errorf("%d %s, want %q", a.Status, a.Body, text)
	}
	return nil
}

// operator reads with a reason.
type operator struct {
	c      *trial.Client
	audits []string
}

// reads reads a path with a reason and without one, and finds who and why in the audit logs of the gateway and of a
// service.
func (o *operator) reads(t *testing.T, path, shows string) {
	t.Helper()
	o.c.Get(t, path).WantProblem(t, http.StatusBadRequest, "malformed header")
	id := fresh("operator")
	if err := showsTo(o.c.Get(t, path, openapi.ReasonHeader, reason, "X-Request-Id", id), shows); err != nil {
		t.Errorf("the operator reads %s: %v", path, err)
	}
	wait.Until(t, func() error {
		lines, err := auditOf(id, o.audits)
		if err != nil {
			return err
		}
		if lines["gateway"] == nil || len(lines) < 2 {
			return fmt.Errorf("the audit logs have of %s: %v", path, lines)
		}
		for name, line := range lines {
			if line["subject"] != "olga" || line["reason"] != reason {
				return fmt.Errorf("the line of %s does not say who and why: %v", name, line)
			}
		}
		if at, _, _ := strings.Cut(path, "?"); lines["gateway"]["path"] != at {
			return fmt.Errorf("the line of the gateway does not say what: %v", lines["gateway"])
		}
		return nil
	})
}

var inPath = regexp.MustCompile(`\{[A-Za-z]+\}`)

// writesNothing makes each request of the document that is no GET. All are refused before anything is looked for.
func (o *operator) writesNothing(t *testing.T) {
	t.Helper()
	var document struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(openapi.Published(), &document); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for path, methods := range document.Paths {
		for method := range methods {
			method = strings.ToUpper(method)
			if method == http.MethodGet || strings.HasPrefix(path, "/x/clock") {
				continue // only an exchange with a clock for tests has one that can be set
			}
			to := inPath.ReplaceAllString(path, "acme")
			refused := o.c.Do(t, method, to, trial.Record{}, openapi.ReasonHeader, reason)
			if right := refused.Want(t, http.StatusForbidden).Record(t).Text("right"); right != "owner" {
				t.Errorf("%s %s: the right is %q", method, to, right)
			}
			tried++
		}
	}
	if tried < 60 {
		t.Errorf("%d writes were tried", tried)
	}
}
