package console

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// axe returns the script of axe-core, in the version of axe/package-lock.json.
var axe = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "exchange-axe-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	if err := os.CopyFS(folder, os.DirFS("axe")); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*trial.Patience)
	defer cancel()
	install := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = folder
	if output, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the pages are tested with axe-core, a package of npm: %w\n%s", err, output)
	}
	script, err := os.ReadFile(filepath.Join(folder, "node_modules", "axe-core", "axe.min.js"))
	return string(script), err
})

// accessible fails for each fault that axe finds on the page in its present state.
func (p *tab) accessible(state string) {
	p.Helper()
	script, err := axe()
	if err != nil {
		p.Fatal(err)
	}
	p.eval("{ "+script+"\n; true }", nil)
	var found struct {
		Violations []struct {
			ID    string
			Nodes []struct{ HTML, FailureSummary string }
		}
		Passed int
	}
	p.do(chromedp.Evaluate(`axe.run(document, { resultTypes: ["violations"] })
		.then(({ violations, passes }) => ({ violations, passed: passes.length }))`, &found,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	if found.Passed < 10 {
		p.Errorf("%s: axe has looked at %d rules", state, found.Passed)
	}
	for _, violation := range found.Violations {
		p.Errorf("%s: %s x%d", state, violation.ID, len(violation.Nodes))
		for _, node := range violation.Nodes[:min(3, len(violation.Nodes))] {
			p.Logf("%s\n%s", node.HTML, node.FailureSummary)
		}
	}
}

// TestPagesAreAccessible has axe look at each page, and at the states of the viewer that people see.
func TestPagesAreAccessible(t *testing.T) {
	for _, scheme := range []string{"light", "dark"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			p := blank(t, book)
			p.media("prefers-color-scheme", scheme)
			for _, path := range []string{"/docs/start", "/docs/register", "/problems", "/problems/peril-not-covered"} {
				p.to(book.Base + path)
				p.accessible(path)
			}
			p.to(book.Base + "/docs")
			p.sees(".opblock-summary", "/personal")
			p.accessible("/docs")
			p.to(book.Base + "/docs#/objects/createVehicle")
			p.click(".opblock.is-open .try-out__btn")
			p.sees(".opblock.is-open", "Execute")
			p.accessible("an operation")
			p.click("button.authorize")
			p.sees(".dialog-ux", "Authorize")
			p.accessible("the dialog for the token")
		})
	}
}
