package allinone

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/examples"
)

// compares sends two files about the approved bordereau of the contract and compares each with it, and returns what of
// that no other organisation may learn.
func (m *member) compares() (ids []string) {
	m.t.Helper()
	m.want(200, "POST", reportedPeriod+"/versions/1:approve", m.preparesDeal())
	m.want(200, "PUT", "/x/reconciliation/profile/own", `{"format":"csv","delimiter":",","encoding":"utf-8",
		"headerRow":1,"sign":"minus","decimalMark":".","totals":{"rule":"none"},"dateOrder":"ymd","currency":"EUR",
		"types":{"NB":"new policy"},"columns":[{"column":"Policy","means":"policyNumber"},
		{"column":"Type","means":"type"},{"column":"Date","means":"date"},{"column":"Gross","means":"gross"}]}`)
	for _, amount := range []string{"101", "102"} {
		file := "Policy,Type,Date,Gross\nP,NB,2026-01-10," + amount + ".00\n"
		statement := m.want(200, "POST", "/x/reconciliation/statement?profile=own", file, "Content-Type", "text/csv")
		sent := statement.named("id")
		run := m.want(201, "POST", "/x/reconciliation/run", `{"statement":"`+sent+
			`","against":{"contract":"DEAL-26","kind":"premium","period":"2026-01"}}`).named("id")
		ids = append(ids, sent, run)
	}
	return ids
}

// TestCursorsOfTheDesk: a cursor of the statements or runs that an organisation has is for another one, and with a
// changed bit anywhere, what is no cursor at all.
func TestCursorsOfTheDesk(t *testing.T) {
	s := runShared(t)
	acme, zenith := s.as("acme"), s.as("zenith")
	acme.putsDeal("")
	theirs := acme.compares()
	lists := []string{"/x/reconciliation/statement", "/x/reconciliation/run"}
	for i, path := range lists {
		given := acme.want(200, "GET", path+"?limit=1", "").named("next")
		if second := acme.want(200, "GET", path+"?limit=1&cursor="+given, ""); second.named("next") != "" ||
			!strings.Contains(second.body, theirs[0]) {
			t.Errorf("%s: the second page is %s", path, second.body)
		}
		ask := func(by *member, cursor string) answer {
			got := by.send("GET", path+"?limit=1&cursor="+url.QueryEscape(cursor), "", nil)
			got.body = passing.ReplaceAllString(got.body, "")
			return got
		}
		garbage := ask(acme, "AAAAAAAAAAAAAAAAAAAAAA")
		if !strings.Contains(garbage.body, `"cursor"`) {
			t.Errorf("%s: garbage: %s", path, garbage.body)
		}
		refused := func(what string, by *member, cursor string) {
			t.Helper()
			if got := ask(by, cursor); got.status != 400 || got.body != garbage.body {
				t.Errorf("%s: a cursor %s: %d %s; garbage: %s", path, what, got.status, got.body, garbage.body)
			}
		}
		refused("of another organisation", zenith, given)
		sealed, err := base64.RawURLEncoding.DecodeString(given)
		if err != nil {
			t.Fatal(err)
		}
		for i := range sealed {
			altered := append([]byte{}, sealed...)
			altered[i] ^= 1 << (i % 8)
			refused("that was altered", acme, base64.RawURLEncoding.EncodeToString(altered))
		}
		for i := range given {
			refused("that lacks a character", acme, given[:i]+given[i+1:])
		}
		acme.want(400, "GET", lists[1-i]+"?cursor="+given, "") // it is of another list
		if got := zenith.want(200, "GET", path, ""); strings.Contains(got.body, theirs[0]) {
			t.Errorf("%s shows %s", path, got.body)
		}
	}
}

// TestPlacesOfTheDesk: where a list of the desk goes on after a name, the name of what another organisation has leads
// to what is one's own, as any other name there does.
func TestPlacesOfTheDesk(t *testing.T) {
	s := runShared(t)
	acme, zenith := s.as("acme"), s.as("zenith")
	all, err := examples.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []*member{acme, zenith} {
		of.writeExamples(all) // policies without a contract
	}
	unassigned := acme.want(200, "GET", "/x/bordereau/unassigned?limit=1", "").named("next")
	acme.putsDeal("")
	zenith.putContract("ZED-26")
	work := acme.want(200, "GET", "/x/bordereau?limit=1", "").named("next")
	if unassigned == "" || !strings.HasPrefix(work, "DEAL-26") {
		t.Fatalf("the places are %q and %q", unassigned, work)
	}
	own := acme.list("/claim")[0]["policyNumber"].(string)
	for path, place := range map[string][2]string{
		"/x/bordereau":            {work, strings.Replace(work, "DEAL", "DEAR", 1)},
		"/x/bordereau/unassigned": {unassigned, unassigned[:len(unassigned)-1] + "0"},
		"/x/contract":             {"DEAL-26", "DEAR-26"},
	} {
		theirs := zenith.want(200, "GET", path+"?after="+url.QueryEscape(place[0]), "")
		nobodys := zenith.want(200, "GET", path+"?after="+url.QueryEscape(place[1]), "")
		if theirs.body != nobodys.body || strings.Contains(theirs.body, "DEAL-26") ||
			strings.Contains(theirs.body, own) {
			t.Errorf("%s: after what another has: %s; after what nobody has: %s", path, theirs.body, nobodys.body)
		}
	}
}
