package allinone

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/examples"
)

// holding is what an organisation has, of which it shares the policy.
type holding struct {
	owner               *member
	policy, claim       map[string]any
	receipt, claimRow   map[string]any
	policyNumber        string
	policyPath, claimID string
}

func id(record map[string]any) string { return record["id"].(string) }

// list returns the records of a list.
func (m *member) list(path string) (all []map[string]any) {
	m.t.Helper()
	got := m.send("GET", path, "", nil)
	if got.status != 200 {
		m.t.Fatalf("GET %s: %d %s", path, got.status, got.body)
	}
	if err := json.Unmarshal([]byte(got.body), &all); err != nil {
		m.t.Fatal(err)
	}
	return all
}

// want sends a request, and ends the test unless the response has the status.
func (m *member) want(status int, method, path, body string, headers ...string) answer {
	m.t.Helper()
	header := map[string]string{}
	for i := 0; i+1 < len(headers); i += 2 {
		header[headers[i]] = headers[i+1]
	}
	got := m.send(method, path, body, header)
	if got.status != status {
		m.t.Fatalf("%s %s %s: %d, want %d: %s", method, path, body, got.status, status, got.body)
	}
	return got
}

// named returns a member of the response that is a text.
func (a answer) named(name string) string {
	var body map[string]any
	_ = json.Unmarshal([]byte(a.body), &body)
	text, _ := body[name].(string)
	return text
}

// newHolding writes the examples as an organisation, and a receipt and a row that name the policy of the claim.
func newHolding(t *testing.T, s *shared, organisation string) *holding {
	t.Helper()
	all, err := examples.Load()
	if err != nil {
		t.Fatal(err)
	}
	b := &holding{owner: s.as(organisation)}
	b.owner.writeExamples(all)
	b.claim = b.owner.list("/claim")[0]
	b.claimID = id(b.claim)
	b.policyNumber = b.claim["policyNumber"].(string)
	var view struct {
		Coverage struct {
			Link   string
			Record map[string]any
		}
	}
	shown := b.owner.want(200, "GET", "/x/policy/"+b.policyNumber, "")
	if err := json.Unmarshal([]byte(shown.body), &view); err != nil {
		t.Fatal(err)
	}
	b.policy, b.policyPath = view.Coverage.Record, view.Coverage.Link
	made := b.owner.want(201, "POST", "/receipt", b.receiptBody())
	b.owner.want(201, "POST", "/claimsBordereau", `{"policyNumber":"`+b.policyNumber+`","treatyReference":"T1"}`)
	b.receipt = map[string]any{"id": made.named("id")}
	b.claimRow = b.owner.list("/claimsBordereau?policyNumber=" + b.policyNumber)[0]
	return b
}

func (b *holding) receiptBody() string {
	return `{"policyNumber":"` + b.policyNumber + `","receiptType":"new policy","paymentAmount":120}`
}

func (b *holding) claimBody() string {
	body := map[string]any{}
	for _, name := range []string{"policyNumber", "lossDate", "lossCause", "claimType"} {
		if value, has := b.claim[name]; has {
			body[name] = value
		}
	}
	text, _ := json.Marshal(body)
	return string(text)
}

// participants returns the body of a change of an access list. Each is a name with its rights behind a colon.
func participants(all ...string) string {
	var entries []string
	for _, of := range all {
		name, rights, _ := strings.Cut(of, ":")
		text, _ := json.Marshal(strings.Split(rights, ","))
		entries = append(entries, fmt.Sprintf(`{"organisation":%q,"rights":%s}`, name, text))
	}
	return `{"participants":[` + strings.Join(entries, ",") + `]}`
}

func (b *holding) share(all ...string) {
	b.owner.t.Helper()
	b.owner.want(200, "PUT", "/x/access/"+b.policyNumber, participants(all...))
}

// places are where what is under the policy is read, and what is found there.
func (b *holding) places() map[string]string {
	search := func(resource, by, value string) string { return "/x/search/" + resource + "?" + by + "=" + value }
	resource := strings.Split(b.policyPath, "/")[1]
	claimNumber := b.claim["claimNumber"].(string)
	return map[string]string{
		b.policyPath:                                       b.policyNumber,
		"/x/history" + b.policyPath:                        "created",
		"/x/asof" + b.policyPath + atNow():                 b.policyNumber,
		"/x/policy/" + b.policyNumber:                      b.policyNumber,
		"/" + resource:                                     b.policyNumber,
		"/" + resource + "?policyNumber=" + b.policyNumber: b.policyNumber,
		search(resource, "policyNumber", b.policyNumber):   b.policyNumber,
		search("coverage", "policyNumber", b.policyNumber): b.policyNumber,
		"/claim":                                            b.claimID,
		"/claim/" + b.claimID:                               b.claimID,
		"/claim?claimNumber=" + claimNumber:                 b.claimID,
		"/claim?policyNumber=" + b.policyNumber:             b.claimID,
		"/x/history/claim/" + b.claimID:                     "created",
		"/x/asof/claim/" + b.claimID + atNow():              b.claimID,
		search("claim", "claimNumber", claimNumber):         b.claimID,
		"/x/search/claim?lossDateFrom=2000-01-01T00:00:00Z": b.claimID,
		"/receipt":                                id(b.receipt),
		"/receipt/" + id(b.receipt):               id(b.receipt),
		"/receipt?policyNumber=" + b.policyNumber: id(b.receipt),
		"/receipt?receiptType=new+policy":         id(b.receipt),
		"/claimsBordereau":                        id(b.claimRow),
		"/claimsBordereau/" + id(b.claimRow):      id(b.claimRow),
	}
}

func atNow() string { return "?at=" + time.Now().UTC().Format(time.RFC3339Nano) }

// unseen fails the test unless the places show nothing of the policy.
func (b *holding) unseen(t *testing.T, by *member) {
	t.Helper()
	for path, what := range b.places() {
		got := by.send("GET", path, "", nil)
		if got.status != 404 && strings.Contains(got.body, what) || got.status >= 500 || got.status == 403 {
			t.Errorf("GET %s shows %d %s", path, got.status, got.body)
		}
	}
	for _, path := range []string{b.policyPath, "/claim/" + b.claimID, "/x/access/" + b.policyNumber} {
		if got := by.send("GET", path, "", nil); got.status != 404 {
			t.Errorf("GET %s: %d", path, got.status)
		}
	}
}

// seen fails the test unless the places show the policy.
func (b *holding) seen(t *testing.T, by *member) {
	t.Helper()
	for path, what := range b.places() {
		got := by.send("GET", path, "", nil)
		if got.status != 200 || !strings.Contains(got.body, what) {
			t.Errorf("GET %s: %d %s", path, got.status, got.body)
		}
	}
}

// TestAPolicyIsShared shares a policy, reads it as the participant in each way, and ends the sharing.
func TestAPolicyIsShared(t *testing.T) {
	s := runShared(t)
	b := newHolding(t, s, "acme")
	zenith, orion := s.as("zenith"), s.as("orion")
	other := newHolding(t, s, "orion")
	b.unseen(t, zenith)
	b.share("zenith:read")
	b.seen(t, zenith)
	b.seen(t, b.owner)
	b.unseen(t, orion)
	other.unseen(t, zenith)
	view := zenith.want(200, "GET", "/x/policy/"+b.policyNumber, "").body
	for _, name := range []string{`"policyholder":`, `"insured":{"records":[{`} {
		if !strings.Contains(view, name) {
			t.Errorf("the view lacks %s: %s", name, view)
		}
	}
	for _, name := range []string{"idNumber", "licenceNumber", "plateNumber", "unavailable"} {
		if strings.Contains(view, name) {
			t.Errorf("the view has %s: %s", name, view)
		}
	}
	if own := b.owner.want(200, "GET", "/x/policy/"+b.policyNumber, "").body; !strings.Contains(own, "idNumber") {
		t.Error(own)
	}
	// A row that the owner moves to another policy is not seen any more.
	row := b.owner.want(201, "POST", "/premiumBordereau", `{"policyNumber":"`+b.policyNumber+`"}`)
	zenith.want(200, "GET", row.header.Get("Location"), "")
	b.owner.want(200, "PUT", row.header.Get("Location"), `{"policyNumber":"POL-NONE"}`)
	zenith.want(404, "GET", row.header.Get("Location"), "")
	zenith.want(404, "GET", "/x/history"+row.header.Get("Location"), "")
	// Nor is it hidden once it is moved back, or first comes to the policy so.
	for range 2 {
		b.owner.want(200, "PUT", row.header.Get("Location"), `{"policyNumber":"`+b.policyNumber+`"}`)
		zenith.want(200, "GET", row.header.Get("Location"), "")
		row = b.owner.want(201, "POST", "/premiumBordereau", `{"policyNumber":"POL-NONE"}`)
		zenith.want(404, "GET", row.header.Get("Location"), "")
	}
	// What another organisation shares is not reported under a contract of the participant.
	zenith.putContract("SHARED-26")
	for _, path := range []string{"/x/bordereau", "/x/bordereau/unassigned"} {
		if got := zenith.want(200, "GET", path, ""); strings.Contains(got.body, b.policyNumber) {
			t.Errorf("%s: %s", path, got.body)
		}
	}
	zenith.want(403, "PUT", "/x/contract/SHARED-26/policy/"+b.policyNumber, "")
	b.share("zenith:read", "orion:read,claims")
	b.seen(t, orion)
	b.share("orion:read")
	b.unseen(t, zenith)
	b.seen(t, orion)
	b.share()
	b.unseen(t, orion)
	other.seen(t, orion)
}

// TestAKeyStandsForWhatWasMadeWithIt sends a key again while what it has made is not seen, so that it makes another
// record, and once more when both are.
func TestAKeyStandsForWhatWasMadeWithIt(t *testing.T) {
	s := runShared(t)
	b := newHolding(t, s, "acme")
	zenith := s.as("zenith")
	own := newHolding(t, s, "zenith")
	b.share("zenith:read,claims")
	send := func(status int, body string) string {
		t.Helper()
		return zenith.want(status, "POST", "/claim", body, "Idempotency-Key", "the-same").named("id")
	}
	first := send(201, b.claimBody())
	b.share()
	second := send(201, own.claimBody())
	b.share("zenith:read,claims")
	if again := send(200, own.claimBody()); first == second || again != second {
		t.Errorf("the key made %s, then %s, and stands for %s", first, second, again)
	}
}

// TestAClaimHasOneSupplement adds to a claim what bordereaux ask for, as a participant with the right and without it.
// What is added is its owner's. A participant does not have the policy reported under a contract of its own.
func TestAClaimHasOneSupplement(t *testing.T) {
	s := runShared(t)
	b := newHolding(t, s, "acme")
	zenith, orion := s.as("zenith"), s.as("orion")
	b.share("zenith:read,claims,premium", "orion:read")
	path := "/x/supplement/claim/" + b.claimID
	if got := orion.want(403, "PUT", path, `{"denied":true}`); got.named("right") != "claims" {
		t.Error(got.body)
	}
	s.as("vega").want(404, "PUT", path, `{"denied":true}`)
	zenith.want(404, "GET", path, "")
	zenith.want(200, "PUT", path, `{"denied":true}`)
	for _, by := range []*member{b.owner, zenith, orion} {
		if got := by.want(200, "GET", path, ""); !strings.Contains(got.body, `"denied":true`) ||
			by == orion && !strings.Contains(got.body, `"setBy":"zenith"`) {
			t.Errorf("%s reads %s", by.organisation, got.body)
		}
	}
	b.owner.want(200, "PUT", path, `{"denied":false}`)
	if got := zenith.want(200, "GET", path, ""); !strings.Contains(got.body, `"setBy":"acme"`) {
		t.Error(got.body)
	}
	zenith.putContract("OWN")
	if got := zenith.want(403, "PUT", "/x/contract/OWN/policy/"+b.policyNumber, ""); got.named("right") != "owner" {
		t.Error(got.body)
	}
	s.as("vega").putContract("OWN")
	s.as("vega").want(404, "PUT", "/x/contract/OWN/policy/"+b.policyNumber, "")
}

// TestRightsOfParticipants writes under a shared policy with each right and without it.
func TestRightsOfParticipants(t *testing.T) {
	s := runShared(t)
	b := newHolding(t, s, "acme")
	zenith := s.as("zenith")
	claim, receipt := "/claim/"+b.claimID, "/receipt/"+id(b.receipt)
	writes := []struct{ right, method, path, body string }{
		{"owner", "PUT", b.policyPath, `{"note":"x"}`},
		{"owner", "POST", b.policyPath + ":cancel", `{}`},
		{"owner", "POST", b.policyPath + ":endorse", `{"endorsementType":"addition"}`},
		{"owner", "POST", "/claimsBordereau", `{"policyNumber":"` + b.policyNumber + `","treatyReference":"T2"}`},
		{"owner", "PUT", "/x/access/" + b.policyNumber, participants("zenith2:read")},
		{"owner", "GET", "/x/access/" + b.policyNumber + atNow(), ""},
		{"claims", "POST", "/claim", b.claimBody()},
		{"claims", "PUT", claim, `{"reserve":12}`},
		{"claims", "POST", claim + "/documents", `{"url":"https://a.example/1"}`},
		{"claims", "POST", "/x" + claim + ":pay", `{"paymentAmount":5,"paymentMethod":"cash"}`},
		{"claims", "POST", claim + ":settle", `{"paymentAmount":5,"paymentMethod":"cash"}`},
		{"claims", "POST", claim + ":reopen", `{}`},
		{"premium", "POST", "/receipt", b.receiptBody()},
		{"premium", "POST", "/receipt", `{"claimNumber":"` + b.claim["claimNumber"].(string) +
			`","receiptType":"new policy","paymentAmount":7}`},
		{"premium", "POST", receipt + ":refund", `{"receiptType":"other"}`},
	}
	for _, given := range []string{"", "read", "read,claims", "read,premium"} {
		if given == "" {
			b.share()
		} else {
			b.share("zenith:" + given)
		}
		for _, w := range writes {
			got := zenith.send(w.method, w.path, w.body, nil)
			switch {
			case given == "" && w.path == "/claimsBordereau": // nobody looks up its policies
			case given == "" && got.status != 404 && got.status != 422 && got.status != 400:
				t.Errorf("not shared: %s %s: %d %s", w.method, w.path, got.status, got.body)
			case given == "":
			case slices.Contains(strings.Split(given, ","), w.right) && got.status >= 300:
				t.Errorf("%s: %s %s: %d %s", given, w.method, w.path, got.status, got.body)
			case !slices.Contains(strings.Split(given, ","), w.right) &&
				(got.status != 403 || got.named("right") != w.right):
				t.Errorf("%s: %s %s: %d %s, want the right %s", given, w.method, w.path, got.status, got.body, w.right)
			}
		}
	}
	b.share("zenith:read,claims,premium")
	made := zenith.want(201, "POST", "/claim", b.claimBody(), "Idempotency-Key", "k1")
	again := zenith.want(200, "POST", "/claim", b.claimBody(), "Idempotency-Key", "k1")
	if made.named("id") != again.named("id") {
		t.Error("the key made a second claim")
	}
	// What the participant makes belongs to the owner of the policy. Its history names the participant.
	own := b.owner.want(200, "GET", "/x/history/claim/"+made.named("id"), "")
	if !strings.Contains(own.body, "zenith") || strings.Contains(own.body, `"ada"`) {
		t.Error(own.body)
	}
	zenith.want(200, "GET", "/claim/"+made.named("id"), "")
	b.share()
	zenith.want(404, "GET", "/claim/"+made.named("id"), "")
	b.owner.want(200, "GET", "/claim/"+made.named("id"), "")
	got := zenith.send("POST", "/claim", b.claimBody(), map[string]string{"Idempotency-Key": "k1"})
	if got.status < 400 {
		t.Errorf("a replay of what is not seen any more: %d %s", got.status, got.body)
	}
}

// TestAccessLists tries what an access list may be, its conditions and its history.
func TestAccessLists(t *testing.T) {
	s := runShared(t)
	b := newHolding(t, s, "acme")
	path := "/x/access/" + b.policyNumber
	zenith := s.as("zenith")
	none := b.owner.want(200, "GET", path, "")
	if none.header.Get("ETag") != `"0"` || !strings.Contains(none.body, `"participants":[]`) {
		t.Error(none.header.Get("ETag"), none.body)
	}
	many := make([]string, 17)
	for i := range many {
		many[i] = fmt.Sprintf("o%d:read", i)
	}
	for body, pointer := range map[string]string{
		`{}`:                             "/participants",
		participants(many...):            "/participants",
		participants("a:read", "a:read"): "/participants/1/organisation",
		participants("a b:read"):         "/participants/0/organisation",
		participants(strings.Repeat("x", 65) + ":read"):                      "/participants/0/organisation",
		participants("a:read,write"):                                         "/participants/0/rights/1",
		participants("a:read,read"):                                          "/participants/0/rights/1",
		participants("a:Read"):                                               "/participants/0/rights/0",
		participants("a:claims"):                                             "/participants/0/rights",
		`{"participants":[{"organisation":"a"}]}`:                            "/participants/0/rights",
		`{"participants":[{"rights":["read"]}]}`:                             "/participants/0/organisation",
		`{"participants":[],"owner":"zenith"}`:                               "/owner",
		`{"participants":[{"organisation":"a","rights":["read"],"orgs":1}]}`: "/participants/0/orgs",
	} {
		for _, who := range []*member{b.owner, zenith} { // for every caller alike
			got := who.send("PUT", path, body, nil)
			if got.status != 400 || !strings.Contains(got.body, `"`+pointer+`"`) {
				t.Errorf("%s: %d %s", body, got.status, got.body)
			}
		}
	}
	b.owner.want(400, "PUT", path, participants("acme:read"))
	b.owner.want(412, "PUT", path, participants("zenith:read"), "If-Match", `"1"`)
	first := b.owner.want(200, "PUT", path, participants("zenith:read", "orion:read,premium"), "If-Match", `"0"`)
	if first.header.Get("ETag") != `"1"` || first.named("setBy") != "ada" {
		t.Error(first.header.Get("ETag"), first.body)
	}
	at := first.named("setAt")
	b.owner.want(200, "PUT", path, participants("orion:premium,read", "zenith:read"))
	if got := b.owner.want(200, "GET", path, ""); got.header.Get("ETag") != `"1"` {
		t.Error("the same list is another version", got.header.Get("ETag"))
	}
	own := zenith.want(200, "GET", path, "")
	want := `{"policyNumber":"` + b.policyNumber + `",` + participants("zenith:read")[1:]
	if own.body != want {
		t.Error(own.body)
	}
	tag := own.header.Get("ETag")
	b.owner.want(200, "PUT", path, participants("zenith:read"), "If-Match", `"1"`)
	if got := zenith.want(200, "GET", path, ""); got.header.Get("ETag") != tag {
		t.Error("a participant learns that another one is gone")
	}
	b.owner.want(412, "PUT", path, participants(), "If-Match", `"1"`)
	b.owner.want(200, "PUT", path, `{"participants":[]}`, "If-Match", `"2"`)
	was := b.owner.want(200, "GET", path+"?at="+at, "")
	if !strings.Contains(was.body, "orion") || was.header.Get("ETag") != `"1"` {
		t.Error(was.body)
	}
	if before := b.owner.want(200, "GET", path+"?at=2001-01-01T00:00:00Z", ""); strings.Contains(before.body, "orion") {
		t.Error(before.body)
	}
	zenith.want(404, "GET", path, "")
	unknown := "/x/access/POL-NONE"
	for _, method := range []string{"GET", "PUT"} {
		body := ""
		if method == "PUT" {
			body = participants("orion:read")
		}
		foreign, nobodys := zenith.send(method, path, body, nil), zenith.send(method, unknown, body, nil)
		if foreign.status != 404 || strings.ReplaceAll(foreign.body, b.policyNumber, "POL-NONE") != nobodys.body &&
			foreign.named("detail") != nobodys.named("detail") {
			t.Errorf("%s: %s, of nobody's: %s", method, foreign.body, nobodys.body)
		}
	}
}
