package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// walk is a walk of the getting-started page as its reader sees it.
type walk struct {
	name  string
	steps []walkStep
	clock bool // it needs a test clock
}

// walkStep is a command that the reader pastes into a shell, and the output that the page shows for it.
type walkStep struct{ run, output string }

var (
	preparation = regexp.MustCompile(`(?s)<section id="preparation">.*?<pre class="run"[^>]*><code>(.*?)</code></pre>`)
	walkSection = regexp.MustCompile(`(?s)<section id="([a-z]+)" class="walk">(.*?)</section>`)
	walkBlocks  = regexp.MustCompile(
		`(?s)<li class="step">.*?<pre class="run"[^>]*><code>(.*?)</code></pre>.*?<pre class="output"[^>]*><code>(.*?)</code></pre>`)
)

// readWalks returns the preparation and the walks of the page.
func readWalks(t *testing.T, page string) (prepare string, walks []walk) {
	t.Helper()
	found := preparation.FindStringSubmatch(page)
	if found == nil {
		t.Fatal("the page has no preparation")
	}
	for _, section := range walkSection.FindAllStringSubmatch(page, -1) {
		w := walk{name: section[1], clock: strings.Contains(section[2], "--test-clock")}
		for _, step := range walkBlocks.FindAllStringSubmatch(section[2], -1) {
			w.steps = append(w.steps, walkStep{html.UnescapeString(step[1]), html.UnescapeString(step[2])})
		}
		if shown := strings.Count(section[2], `<li class="step">`); len(w.steps) == 0 || len(w.steps) != shown {
			t.Fatalf("%s: %d of %d steps are read", w.name, len(w.steps), shown)
		}
		walks = append(walks, w)
	}
	return html.UnescapeString(found[1]), walks
}

// TestWalks pastes every walk of the getting-started page into a shell, twice on the same data, and compares what is
// printed with what the page shows.
func TestWalks(t *testing.T) {
	t.Parallel()
	prepare, walks := readWalks(t, string(page(t, whole, "/docs/start")))
	if !strings.Contains(prepare, "URL="+whole.Base+"\n") {
		t.Errorf("the page does not call the exchange that serves it:\n%s", prepare)
	}
	if len(walks) != 6 {
		t.Fatalf("the page has %d walks", len(walks))
	}
	clocked, err := commands.RunInOne(t.TempDir(), "EXCHANGE_TEST_CLOCK=2026-01-05T09:00:00Z")
	trial.EndWith(t, clocked, err)
	for _, w := range walks {
		on := whole
		if w.clock {
			on = clocked
		}
		takeWalk(t, on, strings.NewReplacer(whole.Base, on.Base, whole.Data, on.Data).Replace(prepare), w)
	}
}

// TestTheWalkOfOrganisations takes walks of an exchange that organisations share.
func TestTheWalkOfOrganisations(t *testing.T) {
	t.Parallel()
	e, err := commands.RunInOne(t.TempDir(), "EXCHANGE_ORG_CLAIM=org")
	trial.EndWith(t, e, err)
	prepare, walks := readWalks(t, string(page(t, e, "/docs/start")))
	last := len(walks) - 1
	if last != 6 || walks[last].name != "sharing" {
		t.Fatalf("the page has the walks %v", walks)
	}
	takeWalk(t, e, prepare, walks[0])
	takeWalk(t, e, prepare, walks[last])
}

// takeWalk takes a walk twice on the same data.
func takeWalk(t *testing.T, on *trial.Exchange, prepare string, w walk) {
	for _, time := range []string{"first", "second"} {
		t.Run(w.name+"/"+time, func(t *testing.T) {
			folder := t.TempDir()
			for i, printed := range runWalk(t, on, prepare, folder, w) {
				if err := printsAsShown(printed, w.steps[i].output); err != nil {
					t.Errorf("step %d: %v\n%s\nprinted\n%s", i+1, err, w.steps[i].run, printed)
				}
			}
			if w.clock {
				opens(t, filepath.Join(folder, "month.xlsx"), "139.34")
			}
		})
	}
}

// opens fails the test unless a workbook opens and has a text among its control totals.
func opens(t *testing.T, file, text string) {
	t.Helper()
	book, err := excelize.OpenFile(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = book.Close() }()
	if rows, err := book.GetRows("Control"); err != nil || !strings.Contains(fmt.Sprint(rows), text) {
		t.Errorf("the control totals lack %s: %v %v", text, err, rows)
	}
}

// TestRootShowsTheViewer opens the address that an exchange prints at its start, as a browser would.
func TestRootShowsTheViewer(t *testing.T) {
	t.Parallel()
	if viewer := string(page(t, whole, "/")); viewer != string(page(t, whole, "/docs")) ||
		!strings.Contains(viewer, "/docs/start") {
		t.Errorf("/ shows\n%s", viewer)
	}
}

// runWalk runs the steps of a walk in one shell, in a folder, and returns what each printed.
func runWalk(t *testing.T, on *trial.Exchange, prepare, folder string, w walk) []string {
	t.Helper()
	const mark = "=== end of the step ===\n"
	script := prepare
	for _, step := range w.steps {
		script += "\n" + step.run + "\nprintf '" + strings.TrimSuffix(mark, "\n") + `\n'`
	}
	// A walk waits for what the exchange does in the background. If that never happens, the test must still end.
	ctx, cancel := context.WithTimeout(t.Context(), trial.Patience)
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-c", script)
	shell.Dir = folder
	shell.Env = append(shell.Environ(), trial.NoPause,
		"PATH="+filepath.Dir(commands.Path("exchange"))+":"+os.Getenv("PATH"), "EXCHANGE_DATA="+on.Data)
	shell.WaitDelay = time.Minute
	output, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	printed := strings.Split(string(output), mark)
	if len(printed) != len(w.steps)+1 || printed[len(w.steps)] != "" {
		t.Fatalf("%d steps printed\n%s", len(w.steps), output)
	}
	return printed[:len(w.steps)]
}

// printsAsShown compares what a step printed with what the page shows: the same status lines, and every JSON
// value as includes compares it.
func printsAsShown(printed, shown string) error {
	is, err := values(printed)
	if err != nil {
		return err
	}
	want, err := values(shown)
	if err != nil {
		return err
	}
	if len(is) != len(want) || len(want) == 0 {
		return fmt.Errorf("%d values, not %d", len(is), len(want))
	}
	for i := range want {
		if err := includes(is[i], want[i]); err != nil {
			return err
		}
	}
	return nil
}

var statusLine = regexp.MustCompile(`(?m)^HTTP (\d{3})$`)

// values reads the values of a text: JSON, and lines like "HTTP 201" as strings.
func values(text string) ([]any, error) {
	var all []any
	for dec := json.NewDecoder(strings.NewReader(statusLine.ReplaceAllString(text, `"HTTP $1"`))); dec.More(); {
		var value any
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("%w in %s", err, text)
		}
		all = append(all, value)
	}
	return all, nil
}

// includes returns an error if a value lacks something of the value shown. Objects must have at least the members
// shown, and "…" in a string is a placeholder for any text.
func includes(is, shown any) error {
	switch shown := shown.(type) {
	case map[string]any:
		object, _ := is.(map[string]any)
		for name, member := range shown {
			if err := includes(object[name], member); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	case []any:
		list, _ := is.([]any)
		if len(list) != len(shown) {
			return fmt.Errorf("%v has not %d elements", is, len(shown))
		}
		var failures []error
		for i := range shown {
			failures = append(failures, includes(list[i], shown[i]))
		}
		return errors.Join(failures...)
	case string:
		pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(shown), "…", ".+") + "$"
		if text, ok := is.(string); ok && regexp.MustCompile(pattern).MatchString(text) {
			return nil
		}
	default:
		if is == shown {
			return nil
		}
	}
	return fmt.Errorf("%v is not %v", is, shown)
}
