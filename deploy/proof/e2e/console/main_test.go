// Package console tests what people see, the console and the pages at /docs, in a browser: Chromium, as Debian has it.
//
// Its files:
//
//   - main_test.go starts the browser and the exchange with the seeded book that the tests share.
//   - tab_test.go is a page in the browser: what a person sees, types and presses.
//   - signin_test.go signs in, by the link that the start prints and by a token, and tries to frame the page.
//   - provider_test.go signs in at an identity provider.
//   - frame_test.go uses what all screens have. today_test.go looks at the figures and the lists of the first screen.
//   - find_test.go and screens_test.go compare what the screens show with what the exchange has, and figures_test.go
//     each figure. many_test.go opens lists of 100,000 records.
//   - write_test.go changes claims and policies, and sharing_test.go shares a policy with other organisations.
//     forms_test.go has two persons use each form at once, and loses its response; refusals_test.go has it refused.
//   - details_test.go looks at single things that people read and type: contracts in words, decimals, perils,
//     countries.
//   - owners_test.go opens contracts of several organisations that have one reference.
//   - desk_test.go reports a month, and reconciliation_test.go compares a file with it, which corrected_test.go
//     corrects. imports_test.go makes records of the rows of files. signoff_test.go signs off a month by keys alone,
//     and its claims. board_test.go looks at contracts and months.
//   - scripts_test.go stores scripts in every text of every resource, and scripts_desk_test.go in every text of
//     contracts, bordereaux and files.
//   - people_test.go has axe look at the screens (axe_test.go), and uses them by keys, on a phone and in German.
//   - pictures_test.go makes the pictures of the READMEs, and checks that they are there.
//   - failure_test.go takes the exchange, a service, the token or the network away while a page is open.
//   - docs_test.go sends the examples of /docs, and axe_test.go looks for faults of accessibility on its pages.
package console

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// The instant of the test clock. Policies of the book end within 30 days of it.
const today = "2026-12-05T09:00:00Z"

var (
	commands *trial.Commands
	// browser is the context of the browser that all tests share.
	browser context.Context
	// book is the exchange with the seeded book. Tests change only records that they have made.
	book *trial.Exchange
)

func TestMain(m *testing.M) {
	trial.Main(func(built *trial.Commands) (status int, err error) {
		commands = built.Plain()
		data, err := os.MkdirTemp("", "exchange-console-")
		if err != nil {
			return 1, err
		}
		defer os.RemoveAll(data)
		end, err := startBrowser()
		if err != nil {
			return 1, err
		}
		defer end()
		book, err = commands.RunInOne(data, "EXCHANGE_TEST_CLOCK="+today, "EXCHANGE_CURRENCY=EUR",
			"EXCHANGE_AMOUNT_UNIT=major", "EXCHANGE_WEBHOOK_PRIVATE_ADDRESSES=true")
		if err != nil {
			return 1, err
		}
		defer func() { err = errors.Join(err, book.Abandon()) }()
		if err := seed(book); err != nil {
			return 1, err
		}
		return m.Run(), nil
	})
}

// startBrowser starts Chromium. A machine without it fails the tests.
func startBrowser() (end func(), err error) {
	path, err := trial.Installed("chromium", "the pages are tested in Chromium", "chromium")
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.WSURLReadTimeout(trial.Patience), chromedp.WindowSize(1280, 900))
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	started, endBrowser := chromedp.NewContext(allocator, chromedp.WithErrorf(logged))
	browser = started
	if err := chromedp.Run(browser); err != nil {
		endAllocator()
		return nil, fmt.Errorf("starting Chromium: %w", err)
	}
	return func() { endBrowser(); endAllocator() }, nil
}

// logged logs an error of the driver, but for events that are newer than the driver.
func logged(format string, about ...any) {
	if text := fmt.Sprintf(format, about...); !strings.Contains(text, "unhandled node event") {
		fmt.Fprintln(os.Stderr, text)
	}
}

// seed fills an exchange with the smallest book, and with what more flags ask for.
func seed(e *trial.Exchange, more ...string) error {
	command := exec.Command(commands.Path("client"),
		append([]string{"seed", "--size", "14", "--url", e.Base, "--data", e.Data}, more...)...)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("seeding: %w\n%s", err, output)
	}
	return nil
}

// run runs an exchange of its own for a test.
func run(t *testing.T, settings ...string) *trial.Exchange {
	t.Helper()
	e, err := commands.RunInOne(t.TempDir(), settings...)
	trial.EndWith(t, e, err)
	return e
}

// client returns a client of an exchange that reads and writes.
func client(t *testing.T, e *trial.Exchange) *trial.Client {
	t.Helper()
	c, err := e.Client("clerk", trial.Developer, trial.Admin)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// policy creates a motor policy of its own for a test, with a holder whose last name is given.
func policy(t *testing.T, c *trial.Client, name string) trial.Record {
	t.Helper()
	holder := c.Create(t, "personal", trial.Record{
		"firstName": "Grace", "lastName": name, "dob": "1985-12-10", "idType": "passport",
		"idNumber": fmt.Sprint("N", time.Now().UnixNano()), "address": trial.Record{"city": "London", "country": "GB"},
	})
	vehicle := c.Create(t, "vehicle", trial.Record{"plateNumber": "EX " + strings.ToUpper(name),
		"vin": "WVWZZZ1JZXW000001"})
	driver := c.Create(t, "driver", trial.Record{"name": "Grace " + name,
		"licence": trial.Record{"expiryDate": "2099-12-31"}})
	return c.Create(t, "motorCoverage", trial.Record{
		"policyholderId": holder.Text("id"), "vehicleId": vehicle.Text("id"), "driverId": driver.Text("id"),
		"perils": []string{"fire", "hail"}, "premium": 1234, "inceptionDate": "2026-01-01T00:00:00Z",
		"expiryDate": "2027-01-01T00:00:00Z", "indemnityLimitPolicy": 50_000,
	})
}

// openPolicy creates a policy of its own for a test, and opens it with a token that writes.
func openPolicy(t *testing.T, e *trial.Exchange, name string) (c *trial.Client, made trial.Record, p *tab) {
	t.Helper()
	c = client(t, e)
	made = policy(t, c, name)
	return c, made, open(t, e, "/policy/"+made.Text("policyNumber"), trial.Developer, trial.Admin)
}

// openClaim creates a claim of its own for a test, and opens it with a token that writes.
func openClaim(t *testing.T, e *trial.Exchange, name string) (c *trial.Client, claim trial.Record, p *tab) {
	t.Helper()
	c = client(t, e)
	claim = loss(t, c, policy(t, c, name))
	return c, claim, open(t, e, "/claim/"+claim.Text("claimNumber"), trial.Developer, trial.Admin)
}
