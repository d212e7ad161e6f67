package allinone

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/examples"
	"insurance.example/exchange/pkg/wait"
)

// events returns the feed of a caller after a cursor, and the cursor that follows.
func (m *member) events(after string) (text, next string) {
	m.t.Helper()
	got := m.send("GET", "/x/events?limit=200&after="+url.QueryEscape(after), "", nil)
	var page struct {
		Next string `json:"next"`
	}
	if err := json.Unmarshal([]byte(got.body), &page); err != nil || got.status != http.StatusOK {
		m.t.Fatalf("%d %s (%v)", got.status, got.body, err)
	}
	return got.body, page.Next
}

// awaitEvent reads the feed after a cursor, the empty one for its beginning, until an event has a text.
func (m *member) awaitEvent(after, has string) {
	m.t.Helper()
	path := "/x/events?limit=200&wait=5"
	if after != "" {
		path += "&after=" + url.QueryEscape(after)
	}
	for deadline := time.Now().Add(wait.Longest); time.Now().Before(deadline); {
		got := m.send("GET", path, "", nil)
		if strings.Contains(got.body, has) {
			return
		}
	}
	m.t.Errorf("no event has %s", has)
}

// TestTheFeedOfEachOrganisation: each reads what happened to its own records, and a cursor of one organisation is for
// another what is no cursor at all.
func TestTheFeedOfEachOrganisation(t *testing.T) {
	s := runShared(t)
	all, err := examples.Load()
	if err != nil {
		t.Fatal(err)
	}
	acme, zenith := s.as("acme"), s.as("zenith")
	_, from := acme.events("now")
	_, foreign := zenith.events("now")
	issued := acme.writeExamples(all)
	for _, example := range []string{"POL-EXAMPLE-MOTOR", "0195a000-0000-7000-8000-000000000001"} {
		acme.awaitEvent(from, issued[example])
	}
	// Everybody reads products and wordings.
	zenith.awaitEvent(foreign, `"type":"exchange.product.`)
	text, _ := zenith.events(foreign)
	if seen := strings.Count(text, `"type"`); seen == 0 ||
		seen != strings.Count(text, `"type":"exchange.product.`)+strings.Count(text, `"type":"exchange.policyWording.`) {
		t.Errorf("another organisation reads %s", text)
	}
	of := zenith.send("GET", "/x/events?after="+url.QueryEscape(from), "", nil)
	no := zenith.send("GET", "/x/events?after="+strings.Repeat("A", len(from)), "", nil)
	if passing := passing.ReplaceAllString; of.status != http.StatusBadRequest || of.status != no.status ||
		passing(of.body, "") != passing(no.body, "") {
		t.Errorf("a cursor of another: %d %s; no cursor: %d %s", of.status, of.body, no.status, no.body)
	}
	hook := zenith.send("PUT", "/x/webhook/erp", `{"url":"https://example.com/","from":"`+from+`"}`, nil)
	if hook.status != http.StatusBadRequest || !strings.Contains(hook.body, "no cursor of this exchange") {
		t.Errorf("a webhook from a cursor of another: %d %s", hook.status, hook.body)
	}
}

// TestCursorsOfEachOrganisation: a cursor of a list is good for the organisation that it was given to, with the same
// filters. For anybody else, and with others, it is what is no cursor at all.
func TestCursorsOfEachOrganisation(t *testing.T) {
	s := runShared(t)
	acme, zenith := s.as("acme"), s.as("zenith")
	history := map[*member]string{}
	for _, one := range []*member{acme, zenith} {
		for range 3 {
			made := one.send("POST", "/insuranceEntity", `{"name":"Example Mutual","registrationNumber":"1"}`, nil)
			var record struct {
				ID string `json:"id"`
			}
			if err := json.Unmarshal([]byte(made.body), &record); err != nil || made.status != http.StatusCreated {
				t.Fatalf("%d %s (%v)", made.status, made.body, err)
			}
			history[one] = "/insuranceEntity/" + record.ID
		}
		if got := one.send("PUT", history[one], `{"name":"Example Mutual plc"}`, nil); got.status != http.StatusOK {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	for _, path := range []string{
		"/insuranceEntity?limit=1", "/insuranceEntity?name=Example&limit=1", "/x/search/insuranceEntity?limit=1",
		"/x/history" + history[acme] + "?limit=1",
	} {
		link := acme.send("GET", path, "", nil).header.Get("Link")
		next, _, _ := strings.Cut(strings.TrimPrefix(link, "<"), ">")
		if got := acme.send("GET", next, "", nil); next == "" || got.status != http.StatusOK || len(got.body) < 5 {
			t.Errorf("%s: the next page is %q: %d %s", path, next, got.status, got.body)
		}
		at, err := url.Parse(next)
		if err != nil {
			t.Fatal(err)
		}
		values := at.Query()
		given := values.Get("cursor")
		ask := func(by *member, cursor, filter string) answer {
			values.Set("cursor", cursor)
			got := by.send("GET", at.Path+"?"+values.Encode()+filter, "", nil)
			got.body = passing.ReplaceAllString(got.body, "")
			return got
		}
		garbage := ask(acme, "AAAAAAAAAAAAAAAAAAAAAA!", "")
		altered := []byte(given)
		altered[len(altered)/2] ^= 1
		for what, got := range map[string]answer{
			"of another organisation": ask(zenith, given, ""), "altered": ask(acme, string(altered), ""),
		} {
			if got.status != http.StatusBadRequest || got.body != garbage.body {
				t.Errorf("%s: a cursor %s: %d %s; garbage: %d %s", path, what, got.status, got.body, garbage.status,
					garbage.body)
			}
		}
		if strings.HasPrefix(path, "/insuranceEntity") {
			if got := ask(acme, given, "&registrationNumber=1"); got.status != http.StatusBadRequest {
				t.Errorf("%s: with another filter: %d %s", path, got.status, got.body)
			}
		}
	}
}

// TestKeysAndWebhooksOfEachOrganisation: one subject uses one Idempotency-Key and one name of a webhook in two
// organisations. Each has what is its own, and is sent its own events.
func TestKeysAndWebhooksOfEachOrganisation(t *testing.T) {
	sent := make(chan string, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		sent <- r.URL.Path + " " + string(text)
	}))
	defer receiver.Close()
	s := runShared(t, "--webhook-private-addresses")
	ids := map[string]string{}
	for _, name := range []string{"acme", "zenith"} {
		one := s.as(name)
		wanted := `{"url":"` + receiver.URL + "/" + name + `","types":["exchange.vehicle.*"]}`
		hook := one.send("PUT", "/x/webhook/erp", wanted, nil)
		if hook.status >= 300 {
			t.Fatalf("%s: %d %s", name, hook.status, hook.body)
		}
		made := one.send("POST", "/vehicle", `{"plateNumber":"EX 1","vin":"WVWZZZ1JZXW000001"}`,
			map[string]string{"Idempotency-Key": "the-same"})
		var record struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal([]byte(made.body), &record); err != nil || made.status != http.StatusCreated {
			t.Fatalf("%s: %d %s (%v)", name, made.status, made.body, err)
		}
		ids[name] = record.ID
	}
	if ids["acme"] == ids["zenith"] {
		t.Errorf("one key has made one record for both: %s", ids["acme"])
	}
	got := map[string]bool{}
	for deadline := time.After(wait.Longest); len(got) < 2; {
		select {
		case text := <-sent:
			if strings.Contains(text, "exchange.webhook.test") {
				continue // it is about no record
			}
			to, _, _ := strings.Cut(text, " ")
			got[to] = true
			for name, id := range ids {
				if strings.Contains(text, id) != (to == "/"+name) {
					t.Errorf("%s is sent %s", to, text)
				}
			}
		case <-deadline:
			t.Fatalf("only %v were sent events", got)
		}
	}
}
