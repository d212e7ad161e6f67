package allinone

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// demonstration is an exchange that shows what it can do.
type demonstration struct {
	running
	said string
	// tokens are what the links lead to, by who follows them.
	tokens map[string]string
}

// demonstrate runs an exchange with --demo until it has said how people sign in, and follows its links.
func demonstrate(t *testing.T, data string) *demonstration {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	said, ended := make(chan string, 9), make(chan int, 1)
	var stderr strings.Builder // read after the program has ended
	go func() {
		ended <- RunProgram(writerFunc(func(text string) { said <- text })).Execute(ctx,
			[]string{"--addr", "127.0.0.1:0", "--data", data, "--demo"}, nil, io.Discard, &stderr)
	}()
	d := &demonstration{tokens: map[string]string{}}
	d.stop = func() {
		cancel()
		if status := <-ended; status != 0 {
			t.Errorf("exit status %d: %s", status, stderr.String())
		}
		ended <- 0
	}
	t.Cleanup(d.stop)
	for !strings.Contains(d.said, "Sign in") {
		select {
		case text := <-said:
			d.said += text
		case status := <-ended:
			ended <- status
			t.Fatalf("exit status %d: %s", status, stderr.String())
		}
	}
	for _, link := range regexp.MustCompile(`as (\w+),.* (http://\S+)/console#sign-in=(\S+)`).
		FindAllStringSubmatch(d.said, -1) {
		d.base = link[2]
		d.tokens[link[1]] = follow(t, link[2], link[3])
	}
	return d
}

// follow exchanges the code of a link for a token.
func follow(t *testing.T, base, code string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/console/sign-in", strings.NewReader(code))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var signedIn struct{ Token string }
	if err := json.NewDecoder(response.Body).Decode(&signedIn); err != nil || signedIn.Token == "" {
		t.Fatalf("the link leads to %d (%v)", response.StatusCode, err)
	}
	return signedIn.Token
}

// as calls the demonstration as one of its people.
func (d *demonstration) as(who string) timed { return timed{d.running, d.tokens[who]} }

// TestADemonstration runs an exchange that shows what it can do: a month to approve, which the second person does, and
// a statement to compare. It keeps both when it is run again.
func TestADemonstration(t *testing.T) {
	data := t.TempDir()
	d := demonstrate(t, data)
	const period = "/x/bordereau/SEED1-TRAVEL/premium/2026-Q3"
	const quarter = period + "/versions/1"
	pending := d.as("local").do(t, "GET", quarter, "", 200)
	approve := `{"digest":"` + pending["digest"].(string) + `"}`
	if no := d.as("local").do(t, "POST", quarter+":approve", approve, 409); !strings.Contains(no["detail"].(string),
		"Somebody else") {
		t.Errorf("who has prepared it: %v", no)
	}
	if is := d.as("mary").do(t, "POST", quarter+":approve", approve, 200)["state"]; is != "approved" {
		t.Errorf("the second person leaves it %v", is)
	}
	runs := d.as("mary").do(t, "GET", "/x/reconciliation/run", "", 200)["runs"].([]any)
	if len(runs) != 1 || runs[0].(map[string]any)["state"] != "open" {
		t.Errorf("there are the comparisons %v", runs)
	}
	wantWords(t, d.said, "--data "+data, "SEED1-BROKER", "Ctrl-C")
	_, unit := get(t, d.base+"/x/about", d.tokens["mary"])
	wantWords(t, unit, `"EUR"`, `"major"`)
	d.stop()

	again := demonstrate(t, data)
	_, told, _ := strings.Cut(again.said, "The book of")
	if first := d.said[strings.Index(d.said, "The book of"):strings.Index(d.said, "Sign in")]; !strings.HasPrefix(
		"The book of"+told, first) || strings.Contains(again.said, "is being made") {
		t.Errorf("run again, it says\n%s\nnot\n%s", told, first)
	}
	if is := again.as("local").do(t, "GET", period, "", 200)["state"]; is != "approved" {
		t.Errorf("run again, the quarter is %v", is)
	}
}

// TestADemonstrationNeedsItsOwnTokens asks for one whose people cannot be signed in.
func TestADemonstrationNeedsItsOwnTokens(t *testing.T) {
	wantWords(t, refusal(t, "--data", t.TempDir(), "--demo", "--jwks-url", "http://127.0.0.1:1/jwks.json"),
		"setting demo", "identity provider")
}
