package pages_test

import (
	"fmt"
	"html"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var (
	commandBlock = regexp.MustCompile(`(?s)<pre class="run"[^>]*><code>(.*?)</code></pre>`)
	monthWalk    = regexp.MustCompile(`(?s)<section id="month" class="walk">.*?</section>`)
)

// commandsOf returns the commands that a part of the page shows, one block after the other.
func commandsOf(part string) (all []string) {
	for _, block := range commandBlock.FindAllStringSubmatch(part, -1) {
		all = append(all, html.UnescapeString(block[1]))
	}
	return all
}

// inShell runs a script after the preparation of the page, where no time passes and nothing responds but 404. It
// returns what is printed.
func inShell(t *testing.T, page, script string) string {
	t.Helper()
	const standIns = `
sleep() { :; }
curl() {
  for EACH; do case $EACH in http*|/*) echo "asked for $EACH" >&2;; esac; done
  printf '{"status":404}\nHTTP 404'
}
exchange() { echo TOKEN; }
`
	shell := exec.CommandContext(t.Context(), "sh", "-c", standIns+commandsOf(page)[0]+script)
	printed, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	return string(printed)
}

// TestTheMonthNeedsATestClock takes the walk through a month at an exchange without a test clock: it says so, asks for
// nothing else, and ends.
func TestTheMonthNeedsATestClock(t *testing.T) {
	page := get(t, "/docs/start").Body.String()
	steps := commandsOf(monthWalk.FindString(page))
	if len(steps) < 5 {
		t.Fatalf("the walk has %d steps", len(steps))
	}
	printed := inShell(t, page, strings.Join(steps, "\n"))
	if !strings.Contains(printed, "no test clock") || !strings.Contains(printed, "--test-clock") {
		t.Errorf("nothing says what to do:\n%s", printed)
	}
	if asked := strings.Count(printed, "asked for http"); asked != 1 || !strings.Contains(printed, "/x/clock\n") {
		t.Errorf("%d requests were sent:\n%s", asked, printed)
	}
}

// TestNoWalkWaitsForEver repeats what never succeeds, and looks for loops that do so without an end.
func TestNoWalkWaitsForEver(t *testing.T) {
	page := get(t, "/docs/start").Body.String()
	printed := inShell(t, page, "send never; patiently false || echo given up")
	if !strings.Contains(printed, "without: false") || !strings.Contains(printed, "HTTP 404\ngiven up") {
		t.Errorf("it prints\n%s", printed)
	}
	for _, commands := range commandsOf(page)[1:] {
		if regexp.MustCompile(`(?m)(^|[;|&]) *until `).MatchString(commands) {
			t.Errorf("a loop has no end:\n%s", commands)
		}
	}
}

// TestTheViewerCountsTheWalks compares how many walks the viewer says that there are with those that there are.
func TestTheViewerCountsTheWalks(t *testing.T) {
	walks := strings.Count(get(t, "/docs/start").Body.String(), `class="walk"`)
	if viewer := get(t, "/docs").Body.String(); !strings.Contains(viewer, fmt.Sprintf("has %d walks to copy", walks)) {
		t.Errorf("it does not say that there are %d", walks)
	}
	if walks < 5 {
		t.Errorf("there are %d walks", walks)
	}
}
