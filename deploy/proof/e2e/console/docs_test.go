package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// docs opens the viewer at an operation, as a caller who has given it a token that reads and writes.
func docs(t *testing.T, e *trial.Exchange, operation string) *tab {
	t.Helper()
	token := strings.TrimPrefix(client(t, e).Authorization(), "Bearer ")
	p := blank(t, e)
	p.to(e.Base + "/docs#/" + operation)
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

// TestTheSearchOfTheBrowserFindsEachOperation follows the link that the search finds to an operation far down, of which
// the viewer has nothing in the page until then.
func TestTheSearchOfTheBrowserFindsEachOperation(t *testing.T) {
	t.Parallel()
	p := blank(t, book)
	p.to(book.Base + "/docs")
	p.sees(".opblock-summary", "/personal")
	p.eval(`document.getElementById("all").open = true`, nil)
	p.click(`#all a[href$="/unmatchItem"]`)
	p.sees(".opblock.is-open .opblock-summary", "unmatch")
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
			p, c := docs(t, e, "claims/createClaim"), client(t, e)
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

// shownBody is an operation of the desk as the viewer shows it.
type shownBody struct {
	Path, Media string
	Named       map[string]string
	Body        any
}

// desks returns the operations of the desk that take a body, and all of imports, by method and path, with the examples
// that the page has after it has read again what there is. It does not show them, which takes seconds for all
// operations.
func (p *tab) desks() map[string]shownBody {
	p.Helper()
	p.eval(`read = undefined; examples.read().then(() => { read = true })`, nil)
	p.becomes("read")
	all := map[string]shownBody{}
	p.eval(`Object.fromEntries(Object.entries(examples.filled().paths).flatMap(([path, item]) =>
		Object.entries(item)
			.filter(([, of]) => of.requestBody && path.match("^/x/(contract|bordereau|supplement|reconcil)") ||
				path.startsWith("/x/import"))
			.map(([method, { parameters = [], requestBody: { content } = { content: {} } }]) => [
				method.toUpperCase() + " " + path, {
				path, media: content["text/csv"] ? "text/csv" : "application/json",
				body: (content["text/csv"] ?? content["application/json"])?.example,
				named: Object.fromEntries(parameters.filter((of) => of.example).map((of) => [of.name, of.example])),
			}])))`, &all)
	return all
}

// TestTheDeskCanBeTriedOut sends the example of each operation of the desk that takes a body, as the page has it, on an
// exchange with a year of contracts. The page reads after each what there is.
func TestTheDeskCanBeTriedOut(t *testing.T) {
	t.Parallel()
	e := run(t, "EXCHANGE_TEST_CLOCK=2026-01-05T09:00:00Z")
	if err := seed(e, "--year"); err != nil {
		t.Fatal(err)
	}
	p, c := docs(t, e, "beyond%20the%20interface/prepareBordereau"), client(t, e)
	p.sees("#examples", filled)
	const ofPeriod, ofItem = "/x/bordereau/{contract}/{kind}/{period}", "/x/reconciliation/run/{runId}/items/{item}:"
	const ofImport = "/x/import/{importId}"
	left := p.desks()
	// The year has no error that could be waived.
	delete(left, "POST "+ofPeriod+"/versions/{number}/findings/{finding}:waive")
	// Each row of the example has a record, so that none is left to pair.
	const ofRun = "/x/reconciliation/run/{runId}:"
	delete(left, "POST "+ofRun+"pair")
	delete(left, "POST "+ofRun+"unpair")
	for _, operation := range []string{
		"PUT /x/contract/{contract}", "PUT /x/supplement/claim/{id}", "POST " + ofPeriod + "/versions/{number}:approve",
		"POST " + ofPeriod + ":prepare", "POST " + ofPeriod + "/versions/{number}:reject",
		"POST " + ofPeriod + "/versions/{number}:acknowledge", "PUT /x/reconciliation/profile/{profile}",
		"POST /x/reconciliation/statement:try", "POST /x/reconciliation/statement", "POST /x/reconciliation/run",
		"POST " + ofItem + "accept", "POST " + ofItem + "dispute", "POST " + ofItem + "unmatch",
		"POST " + ofRun + "accept", "POST " + ofRun + "dispute",
		"GET /x/import", "POST /x/import", "GET " + ofImport, "GET " + ofImport + "/rows", "GET " + ofImport + "/file",
		"POST " + ofImport + ":check", "POST " + ofImport + ":apply", "POST /x/import", "POST " + ofImport + ":cancel",
		"GET /x/import/template", "GET /x/import/template/{template}",
	} {
		delete(left, operation)
		of := p.desks()[operation]
		method, target, _ := strings.Cut(operation, " ")
		query := url.Values{}
		for name, value := range of.Named {
			if !strings.Contains(target, "{"+name+"}") {
				query.Set(name, value)
			}
			target = strings.ReplaceAll(target, "{"+name+"}", value)
		}
		if len(query) > 0 {
			target += "?" + query.Encode()
		}
		if text, is := of.Body.(string); is {
			of.Body = []byte(text)
		}
		response := c.Do(t, method, target, of.Body, "Content-Type", of.Media)
		if response.Status >= http.StatusMultipleChoices {
			t.Errorf("%s %s: %d\n%s\n%s", method, target, response.Status, of.Body, response.Body)
		}
	}
	for operation := range left {
		t.Errorf("%s was not tried", operation)
	}
	p.eval("showExamples()", nil)
	p.click(".opblock.is-open .try-out__btn")
	p.click(".opblock.is-open .execute")
	p.sees(".opblock.is-open .live-responses-table .response-col_status", "201")
}
