package console

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// docs opens the viewer at the creation of claims, as a caller who has given it a token that reads and writes.
func docs(t *testing.T, e *trial.Exchange) *tab {
	t.Helper()
	token := strings.TrimPrefix(client(t, e).Authorization(), "Bearer ")
	p := blank(t, e)
	p.to(e.Base + "/docs#/claims/createClaim")
	p.click("button.authorize")
	p.becomes("Boolean(document.querySelector('.dialog-ux input'))")
	p.do(chromedp.SendKeys(".dialog-ux input", token, chromedp.ByQuery))
	p.click(".dialog-ux button[type=submit]")
	p.sees(".dialog-ux", "Logout")
	p.click(".dialog-ux .close-modal")
	return p
}

// TestFirstScreenHasOperations looks at the viewer on a small screen.
func TestFirstScreenHasOperations(t *testing.T) {
	t.Parallel()
	p := blank(t, book)
	p.do(chromedp.EmulateViewport(1280, 720))
	p.to(book.Base + "/docs")
	p.sees(".opblock-summary", "/personal")
	p.becomes("[...document.querySelectorAll('.opblock')].filter((e) => " +
		"e.getBoundingClientRect().bottom <= innerHeight).length >= 3")
}

// filled is what the viewer says once its examples can be sent.
const filled = "The examples name records of this exchange:"

// creation is a creation as the viewer shows it: its path, where the viewer has it, and its example.
type creation struct {
	Path, Group, Operation, Key string
	Body                        json.RawMessage
}

// creations returns the operations that create records, with the examples that the page shows now. What is compared
// with a file needs the file first.
func (p *tab) creations() (all []creation) {
	p.Helper()
	p.eval(`Object.entries(ui.specSelectors.specJson().toJS().paths)
		.filter(([path, { post }]) => path === "/x/batch" ||
			!path.includes("{") && !path.startsWith("/x/reconciliation/") && post?.responses["201"])
		.map(([path, { post }]) => ({ path, group: post.tags[0], operation: post.operationId,
			key: post.parameters.find(({ name }) => name === "Idempotency-Key")?.example ?? "",
			body: post.requestBody.content["application/json"].example }))`, &all)
	return all
}

// TestEveryCreationCanBeTriedOut sends the example of each creation, as the page has it: on an exchange without a
// record, after the button that makes what the examples name, and on the seeded book. It presses the buttons for one
// whose example names the most.
func TestEveryCreationCanBeTriedOut(t *testing.T) {
	for _, name := range []string{"empty", "seeded"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := run(t)
			if name == "seeded" {
				if err := seed(e); err != nil {
					t.Fatal(err)
				}
			}
			p, c := docs(t, e), client(t, e)
			if name == "empty" {
				p.sees("#examples", "does not have yet", "vehicle", "motorCoverage")
				p.click("#make")
			}
			p.sees("#examples", filled)
			all := p.creations()
			if len(all) != 25 {
				t.Errorf("the page shows %d creations", len(all))
			}
			for _, created := range all {
				var headers []string
				if created.Key != "" {
					headers = []string{"Idempotency-Key", created.Key}
				}
				response := c.Post(t, created.Path, created.Body, headers...)
				if response.Status != http.StatusCreated && response.Status != http.StatusOK {
					t.Errorf("%s: %d\n%s\n%s", created.Path, response.Status, created.Body, response.Body)
				}
			}
			p.click(".opblock.is-open .try-out__btn")
			p.click(".opblock.is-open .execute")
			p.sees(".opblock.is-open .live-responses-table .response-col_status", "201")
		})
	}
}
