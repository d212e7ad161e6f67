package allinone

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/conformance"
	"insurance.example/exchange/deploy/exchange/local"
	"insurance.example/exchange/deploy/exchange/testclock"
)

// timed calls an exchange with a test clock.
type timed struct {
	running
	token string
}

// do sends a request and returns the members of the response.
func (c timed) do(t *testing.T, method, path, body string, status int) map[string]any {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	members := map[string]any{}
	if err := json.Unmarshal(text, &members); err != nil || response.StatusCode != status {
		t.Fatalf("%s %s: status %d, want %d: %s (%v)", method, path, response.StatusCode, status, text, err)
	}
	members[testclock.Header] = response.Header.Get(testclock.Header)
	return members
}

func runTimed(t *testing.T, data string, args ...string) timed {
	t.Helper()
	r := run(t, data, args...)
	token, err := local.IssueToken(data, "", "")
	if err != nil {
		t.Fatal(err)
	}
	return timed{r, token}
}

// TestTimePassesByTheTestClock extends a policy and moves the clock to the beginning of the extension.
func TestTimePassesByTheTestClock(t *testing.T) {
	data := t.TempDir()
	c := runTimed(t, data, "--test-clock", "2031-01-15T00:00:00Z")
	party := c.do(t, "POST", "/personal", `{"firstName":"Ada","lastName":"Byron","dob":"1990-12-10",
		"nationality":"GB","idType":"passport","idNumber":"A1",
		"address":{"address1":"1 Mill Lane","city":"London","postCode":"N1","country":"GB"}}`, 201)
	business := c.do(t, "POST", "/business", `{"businessName":"Engines"}`, 201)
	policy := c.do(t, "POST", "/cyberLiabilityCoverage", `{"policyholderId":"`+party["id"].(string)+
		`","businessId":"`+business["id"].(string)+`","inceptionDate":"2031-01-15T00:00:00Z",
		"expiryDate":"2031-02-15T00:00:00Z","indemnityLimitPolicy":1000}`, 201)
	path := "/cyberLiabilityCoverage/" + policy["id"].(string)
	c.do(t, "POST", path+":endorse",
		`{"endorsementType":"policy extension","expiryDate":"2031-03-15T00:00:00Z"}`, 200)
	for _, step := range []struct{ to, status string }{
		{"2031-02-14T23:59:59Z", "extended"}, {"2031-02-15T00:00:00Z", "in force"},
	} {
		if now := c.do(t, "POST", "/x/clock:advance", `{"to":"`+step.to+`"}`, 200); now["now"] != step.to ||
			now[testclock.Header] != step.to {
			t.Errorf("moved to %s, the clock shows %v", step.to, now)
		}
		if got := c.do(t, "GET", path, "", 200); got["status"] != step.status || got[testclock.Header] != step.to {
			t.Errorf("at %s the policy is %v (%v)", step.to, got["status"], got[testclock.Header])
		}
	}
	// Whatever is refused, the clock still shows what it did.
	back := c.do(t, "POST", "/x/clock:advance", `{"to":"2031-01-01T00:00:00Z"}`, 409)
	if back["now"] != "2031-02-15T00:00:00Z" {
		t.Errorf("the refusal has %v", back)
	}
	c.do(t, "POST", "/x/clock:advance", `{}`, 400)
	c.do(t, "POST", "/x/clock:advance", `{"to":"tomorrow"}`, 400)
	c.do(t, "POST", "/x/clock:advance", `{"to":"2032-01-01T00:00:00Z","by":1}`, 400)
	c.do(t, "GET", "/x/clock?at=now", "", 400)
	for _, r := range conformance.Run(t.Context(), conformance.Options{
		Base: c.base, AdminToken: c.token, DeveloperToken: c.token,
		Matching: regexp.MustCompile("POST /x/clock:advance"),
	}).Results {
		if r.Outcome != conformance.Passed {
			t.Errorf("%s: %s", r.Rule, r.Why)
		}
	}
	last := c.do(t, "GET", "/x/clock", "", 200)["now"]
	c.stop()

	// The clock goes on from where it was, and its folder is refused without it.
	again := runTimed(t, data, "--test-clock", "2031-01-15T00:00:00Z")
	if now := again.do(t, "GET", "/x/clock", "", 200); now["now"] != last || last != "2031-02-15T00:00:01Z" {
		t.Errorf("after a restart the clock shows %v", now)
	}
	again.stop()
	wantWords(t, refusal(t, "--data", data), "setting test-clock", data, "--data")
}

// TestOnlyALocalExchangeHasATestClock asks for one where there is none, and for one that cannot be.
func TestOnlyALocalExchangeHasATestClock(t *testing.T) {
	c := runTimed(t, t.TempDir())
	if got := c.do(t, "GET", "/x/clock", "", 404); got[testclock.Header] != "" {
		t.Errorf("a response has the clock %v", got)
	}
	wantWords(t, refusal(t, "--data", t.TempDir(), "--test-clock", "2031-01-15T00:00:00Z", "--store",
		"mongodb://127.0.0.1:1/"), "setting test-clock", "MongoDB")
	wantWords(t, refusal(t, "--data", t.TempDir(), "--test-clock", "today"), "setting test-clock", "today")
}
