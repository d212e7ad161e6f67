package allinone

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"insurance.example/exchange/pkg/wait"
)

// feed returns all events after a cursor as text, and the last cursor. It reads a page again that a log is missing
// from, because it did not respond in time.
func (m *member) feed(after, query string) (text, next string) {
	m.t.Helper()
	for deadline := time.Now().Add(wait.Longest); ; {
		path := "/x/events?limit=7" + query
		if after != "" {
			path += "&after=" + url.QueryEscape(after)
		}
		got := m.want(200, "GET", path, "")
		var page struct {
			Events []json.RawMessage
			Next   string
			Behind []string
		}
		if err := json.Unmarshal([]byte(got.body), &page); err != nil ||
			len(page.Behind) > 0 && time.Now().After(deadline) {
			m.t.Fatal(err, got.body)
		}
		if len(page.Behind) > 0 {
			continue
		}
		for _, event := range page.Events {
			text += string(event) + "\n"
		}
		if after = page.Next; len(page.Events) == 0 {
			return text, page.Next
		}
	}
}

// TestTheFeedShowsWhatIsShared reads the feed as a participant before, while and after a policy is shared.
func TestTheFeedShowsWhatIsShared(t *testing.T) {
	s := runShared(t)
	b := newHolding(t, s, "acme")
	zenith, orion := s.as("zenith"), s.as("orion")
	// What names the policy and is not under it: a company, and a row of another organisation.
	others := []string{
		b.owner.want(201, "POST", "/commercial", `{"name":"Eve","policyNumber":"`+b.policyNumber+`"}`).named("id"),
		orion.want(201, "POST", "/premiumBordereau", `{"policyNumber":"`+b.policyNumber+`"}`).named("id"),
	}
	paths := []string{
		b.policyPath, "/claim/" + b.claimID, "/receipt/" + id(b.receipt), "/claimsBordereau/" + id(b.claimRow),
	}
	wait.For(t, "the events of the owner", func() bool {
		text, _ := b.owner.feed("", "&policyNumber="+b.policyNumber)
		return strings.Contains(text, paths[len(paths)-1])
	})
	if before, _ := zenith.feed("", ""); strings.Contains(before, b.policyNumber) {
		t.Errorf("before: %s", before)
	}
	b.share("zenith:read")
	shared := func(query string) {
		t.Helper()
		text, _ := zenith.feed("", query)
		for _, path := range paths {
			if !strings.Contains(text, `"`+path+`"`) {
				t.Errorf("%q lacks %s: %s", query, path, text)
			}
		}
		for _, other := range others {
			if strings.Contains(text, other) {
				t.Errorf("%q has %s: %s", query, other, text)
			}
		}
	}
	shared("")
	shared("&policyNumber=" + b.policyNumber)
	_, end := zenith.feed("", "")
	b.owner.want(200, "PUT", "/claim/"+b.claimID, `{"reserve":12}`)
	wait.For(t, "the event that follows", func() bool {
		text, _ := zenith.feed(end, "")
		return strings.Contains(text, "exchange.claim.replaced")
	})
	b.share()
	for _, cursor := range []string{"", end} {
		if text, _ := zenith.feed(cursor, ""); strings.Contains(text, b.policyNumber) {
			t.Errorf("after the sharing has ended: %s", text)
		}
	}
	if text, _ := zenith.feed("", "&policyNumber="+b.policyNumber); text != "" {
		t.Errorf("of the policy: %s", text)
	}
	b.share("zenith:read")
	shared("")
}

// TestWebhooksSendWhatIsShared has a participant's webhook send the events of a policy, until the first of them arrives
// and its sharing ends. What was read with it is not sent any more.
func TestWebhooksSendWhatIsShared(t *testing.T) {
	s := runShared(t, "--webhook-private-addresses")
	zenith := s.as("zenith")
	from := zenith.want(200, "GET", "/x/events?after=now", "").named("next")
	b := newHolding(t, s, "acme")
	wait.For(t, "the events of the owner", func() bool {
		text, _ := b.owner.feed("", "&policyNumber="+b.policyNumber)
		return strings.Count(text, "\n") > 3
	})
	b.share("zenith:read")
	sent := zenith.sendsUntil(from, func(e sentEvent) bool { return e.Subject == b.policyNumber }, func() {
		if ended := b.owner.send("PUT", "/x/access/"+b.policyNumber, participants(), nil); ended.status != 200 {
			t.Errorf("%d %s", ended.status, ended.body)
		}
	})
	if n := strings.Count(sent, b.policyNumber); n != 1 {
		t.Errorf("%d events of the policy were sent: %s", n, sent)
	}
}

// sentEvent is what a receiver reads of an event.
type sentEvent struct{ Subject, Type, Source string }

// sendsUntil has a webhook of the member send the events after a cursor. When the first one arrives that is about
// something, it ends what the member sees of it. It returns what was sent once an event follows that the member sees in
// any case, a line for each.
func (m *member) sendsUntil(from string, about func(sentEvent) bool, end func()) string {
	m.t.Helper()
	var mu sync.Mutex
	var got []string
	ended := make(chan struct{})
	var once sync.Once
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var event sentEvent
		if err := json.NewDecoder(r.Body).Decode(&event); err != nil {
			m.t.Error(err)
		}
		if about(event) {
			once.Do(func() {
				end()
				close(ended)
			})
		}
		mu.Lock()
		defer mu.Unlock()
		got = append(got, event.Subject+" "+event.Type)
	}))
	defer receiver.Close()
	m.want(200, "PUT", "/x/webhook/one", `{"url":"`+receiver.URL+`","from":"`+from+`"}`)
	select {
	case <-ended:
	case <-time.After(wait.Longest):
		m.t.Fatal("nothing is sent that it is about")
	}
	m.want(201, "POST", "/vehicle", `{"vin":"OWN"}`)
	sent := func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(got, "\n")
	}
	wait.For(m.t, "its own event", func() bool { return strings.Contains(sent(), "exchange.vehicle.created") })
	return sent()
}
