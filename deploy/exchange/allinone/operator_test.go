package allinone

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/examples"
	"insurance.example/exchange/pkg/chance"
	"insurance.example/exchange/pkg/wait"
)

// why is the header of an operator who says why it reads.
var why = map[string]string{"Exchange-Reason": "complaint 4711"}

// TestAnOperatorReadsEverything makes every request of the OpenAPI document as an operator, about what each of two
// organisations has. It reads what the owner reads, if it says why, and writes nothing.
func TestAnOperatorReadsEverything(t *testing.T) {
	for _, usual := range []string{"", "acme"} {
		args := []string{}
		if usual != "" {
			args = append(args, "--org-default", usual)
		}
		t.Run("org-default "+usual, func(t *testing.T) { operatorReads(t, runShared(t, args...)) })
	}
}

func operatorReads(t *testing.T, s *shared) {
	all, err := examples.Load()
	if err != nil {
		t.Fatal(err)
	}
	// The first one has every scope, and the claim of an organisation as well.
	operators := []*member{s.as("acme", "std.admin", "std.developer", "exchange.operate"), s.as("", "exchange.operate")}
	read, refused := 0, 0
	for _, owner := range []*member{s.as("acme"), s.as("zenith")} {
		issued := owner.writeExamples(all)
		issued[contractExample] = "SAME-26" // both have a contract of this name
		owner.putContract(issued[contractExample])
		of := &comparison{t: t, by: owner, foreign: issued}
		for _, o := range chance.Sample(operationsOfTheDocument(t), 8) {
			if strings.HasPrefix(o.path, "/x/clock") {
				continue // only an exchange with a clock for tests has it
			}
			for _, path := range of.paths(o.path) {
				o.path = issued.in(path)
				if o.method != http.MethodGet && o.method != http.MethodHead {
					refused += operators[0].writesNothing(o)
					continue
				}
				read += operators[read%2].readsAs(owner, o)
			}
		}
	}
	if read < chance.Fewer(200, 20) || refused < chance.Fewer(200, 20) {
		t.Errorf("%d reads and %d writes were tried", read, refused)
	}
}

// readsAs reads a path as an operator, with a reason and without one, and compares the response with the owner's. What
// is refused is a problem that the document lists.
func (m *member) readsAs(owner *member, o operation) int {
	m.t.Helper()
	method, path := o.method, o.path
	if strings.Contains(path, "/SAME-26") {
		path += "?owner=" + owner.organisation
	}
	own, got := owner.send(method, path, "", nil), m.send(method, path, "", why)
	if got.status != own.status {
		m.t.Errorf("%s %s: %d %s, for the owner %d", method, path, got.status, got.body, own.status)
	}
	oneRecord := !strings.HasPrefix(path, "/x/") && strings.Count(path, "/") == 2
	if oneRecord && method == http.MethodGet && own.status == 200 && got.body != own.body {
		m.t.Errorf("%s: %s, for the owner %s", path, got.body, own.body)
	}
	if got := m.send(method, path, "", nil); got.status != http.StatusBadRequest || method == http.MethodGet &&
		(!strings.Contains(got.body, "Exchange-Reason") || !slices.Contains(o.problems, got.named("type"))) {
		m.t.Errorf("%s %s without a reason: %d %s", method, path, got.status, got.body)
	}
	return 1
}

// writesNothing has an operator write, and fails the test unless it is refused with a problem that the document lists.
func (m *member) writesNothing(o operation) int {
	m.t.Helper()
	got := m.send(o.method, o.path, "{}", why)
	if got.status != http.StatusForbidden || got.named("right") != "owner" ||
		!slices.Contains(o.problems, got.named("type")) {
		m.t.Errorf("%s %s: %d %s", o.method, o.path, got.status, got.body)
	}
	return 1
}

// TestAnOperatorFinds looks for the records of two organisations in each way, and follows the pages of a list.
func TestAnOperatorFinds(t *testing.T) {
	s := runShared(t, "--org-default", "zenith")
	books := []*holding{newHolding(t, s, "acme"), newHolding(t, s, "zenith")}
	operator := s.as("", "exchange.operate")
	for _, b := range books {
		for path, what := range b.places() {
			if got := operator.send("GET", path, "", why); got.status != 200 || !strings.Contains(got.body, what) {
				t.Errorf("GET %s: %d %s", path, got.status, got.body)
			}
		}
		after := ""
		for deadline := time.Now().Add(wait.Longest); ; {
			got := operator.want(200, "GET", "/x/events?limit=200"+after, "", "Exchange-Reason", "complaint 4711")
			if strings.Contains(got.body, b.claimID) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("no event of %s: %s", b.claimID, got.body)
			}
			if next := got.named("next"); next != "" {
				after = "&after=" + url.QueryEscape(next)
			}
		}
	}
	// Both organisations have the same examples: a filter by a value finds those of both, also page by page.
	want := 0
	for _, b := range books {
		want += len(b.owner.list("/receipt?receiptType=new+policy"))
	}
	found := map[string]bool{}
	for next := "/receipt?receiptType=new+policy&limit=1"; next != ""; {
		got := operator.send("GET", next, "", why)
		var page []struct{ ID string }
		if err := json.Unmarshal([]byte(got.body), &page); err != nil || got.status != 200 || len(page) != 1 {
			t.Fatalf("%s: %d %s", next, got.status, got.body)
		}
		found[page[0].ID] = true
		link, _, more := strings.Cut(strings.TrimPrefix(got.header.Get("Link"), "<"), ">")
		if next = link; !more {
			next = ""
		}
	}
	if len(found) != want || want < 2 {
		t.Errorf("%d receipts were found, want %d", len(found), want)
	}
}

// TestReasonsOfOperators: a reason is one line, the audit log has it, and it is nothing in the request of another.
func TestReasonsOfOperators(t *testing.T) {
	s := runShared(t)
	b := newHolding(t, s, "acme")
	operator, zenith := s.as("", "exchange.operate"), s.as("zenith")
	path := "/claim/" + b.claimID
	for reason, status := range map[string]int{
		"a": 200, strings.Repeat("ä", 200): 200, "  complaint  ": 200, "": 400, "   ": 400, "a\tb": 400,
		strings.Repeat("a", 201): 400, "a\u202eb": 400, "a\u0085b": 400, "a\xffb": 400,
	} {
		if got := operator.send("GET", path, "", map[string]string{"Exchange-Reason": reason}); got.status != status {
			t.Errorf("%q: %d %s", reason, got.status, got.body)
		}
	}
	forged := map[string]string{
		"Exchange-Reason": "forged", "X-Exchange-Reason": "forged", "X-Exchange-Organisation": "!",
		"X-Exchange-Scopes": "exchange.operate", "X-Exchange-Caller": "root",
	}
	if got := zenith.send("GET", path, "", forged); got.status != 404 {
		t.Errorf("with headers that it may not set an organisation reads %d %s", got.status, got.body)
	}
	operator.want(200, "GET", path, "", "Exchange-Reason", "the last one")
	for deadline := time.Now().Add(wait.Longest); ; {
		text, err := os.ReadFile(filepath.Join(s.data, "audit.log"))
		if err != nil {
			t.Fatal(err)
		}
		if log := string(text); strings.Contains(log, `"reason":"the last one"`) {
			for _, line := range []string{`"reason":"complaint"`, `"reason":"a"`} {
				if !strings.Contains(log, line) {
					t.Errorf("the audit log lacks %s", line)
				}
			}
			if strings.Contains(log, "forged") {
				t.Error("the audit log has the reason of a caller who is no operator")
			}
			wantLine := fmt.Sprintf(`"reason":"the last one","from":"127.0.0.1","method":"GET","path":%q`, path)
			if !strings.Contains(log, `"subject":"ada",`+wantLine) {
				t.Errorf("no line has who and why: %s", log)
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the audit log does not have the reason")
		}
	}
}

// TestOperatorsOfAnExchangeOfOne: where organisations do not share the exchange, the scope means nothing.
func TestOperatorsOfAnExchangeOfOne(t *testing.T) {
	s, _ := runOn(t, t.TempDir())
	operator := s.as("", "exchange.operate")
	operator.want(401, "GET", "/vehicle", "", "Exchange-Reason", "complaint")
	operator.want(401, "POST", "/vehicle", "{}", "Exchange-Reason", "complaint")
	s.as("", "exchange.operate", "std.developer").want(200, "GET", "/vehicle", "")
}
