package store_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/conformance"
	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// runInOne starts an exchange in one process, with its records in the MongoDB of a URL.
func (b *book) runInOne(t *testing.T, data, url string) *trial.Exchange {
	t.Helper()
	e, err := b.commands.RunInOne(data, "EXCHANGE_STORE="+url)
	trial.EndWith(t, e, err)
	return e
}

func caller(t *testing.T, e *trial.Exchange) *trial.Client {
	t.Helper()
	c, err := e.Client("tester", trial.Admin, trial.Developer)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestOneProcessConforms tries the rules for which it may matter where records are.
func TestOneProcessConforms(t *testing.T) {
	b := emptyBook(t)
	e := b.runInOne(t, t.TempDir(), uri(t))
	authorization := caller(t, e).Authorization()
	token := strings.TrimPrefix(authorization, "Bearer ")
	only := []string{"records", "lists", "transitions", "claims", "receipts", "idempotency", "versions"}
	report := conformance.Run(t.Context(), conformance.Options{
		Base: e.Base, AdminToken: token, DeveloperToken: token, Only: only, Patience: trial.Patience,
		Timeout: trial.Patience,
	})
	for _, r := range report.Results {
		if r.Outcome == conformance.Failed {
			t.Errorf("%s: %s: %s\n> %s\n< %s", r.Area, r.Rule, r.Why, r.Request, r.Response)
		}
	}
	if passed := report.Count("", conformance.Passed); passed < len(report.Results)*9/10 || passed == 0 {
		t.Errorf("only %d of %d rules were tried", passed, len(report.Results))
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// listed are the first pages of lists of each service.
var listed = []string{"/personal", "/vehicle", "/motorCoverage", "/product", "/claim", "/receipt", "/premiumBordereau"}

// pages returns what an exchange responds to listed.
func pages(t *testing.T, e *trial.Exchange) map[string]string {
	t.Helper()
	all, c := map[string]string{}, caller(t, e)
	for _, path := range listed {
		page := c.Get(t, path+"?limit=200").Want(t, http.StatusOK)
		if len(page.Records(t)) == 0 {
			t.Fatalf("%s has no records", path)
		}
		all[path] = string(page.Body)
	}
	return all
}

// TestOneProcessAndSeparateOnesHaveTheSameRecords writes records with an exchange in one process, serves them by
// separate ones, which write more, and serves all of them in one process again.
func TestOneProcessAndSeparateOnesHaveTheSameRecords(t *testing.T) {
	b := emptyBook(t)
	data := t.TempDir()
	whole := b.runInOne(t, data, uri(t))
	b.Exchange = whole
	b.seed(t, "1")()
	b.settle(t)
	written := pages(t, whole)
	if err := whole.Close(); err != nil {
		t.Fatal(err)
	}
	apart, err := b.commands.RunComposed(data, trial.Composition{Store: uri(t)})
	trial.EndWith(t, apart, err)
	b.Exchange = apart
	if served := pages(t, apart); !maps.Equal(served, written) {
		t.Errorf("separate processes serve\n%v\nof\n%v", served, written)
	}
	b.seed(t, "2")()
	b.settle(t)
	written = pages(t, apart)
	if err := apart.Close(); err != nil {
		t.Fatal(err)
	}
	if err := whole.Restart("exchange"); err != nil {
		t.Fatal(err)
	}
	if served := pages(t, whole); !maps.Equal(served, written) {
		t.Errorf("one process serves\n%v\nof\n%v", served, written)
	}
	if err := whole.Close(); err != nil {
		t.Error(err)
	}
	// The folder has none of these records. Every command that is given the folder alone says so.
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for command, want := range map[string]string{
		"run --admin-addr= --addr=127.0.0.1:0": "has its records in MongoDB; give its URL",
		"backup " + t.TempDir() + "/copy":      "of which MongoDB's own tools make backups",
		"check":                                "name that with --store",
	} {
		said, err := exec.CommandContext(ctx, b.exchange, append(strings.Fields(command), "--data", data)...).
			CombinedOutput()
		if err == nil || !strings.Contains(string(said), want) {
			t.Errorf("%s: %v, want %q: %s", command, err, want, said)
		}
	}
}

// TestProcessesShareMongoDB records receipts of one policy by two processes at the same time, and receipts of another
// policy by one of them, which is killed before it has computed their row. The other one computes what is missing.
func TestProcessesShareMongoDB(t *testing.T) {
	b := emptyBook(t)
	first := b.runInOne(t, t.TempDir(), uri(t))
	second := b.runInOne(t, t.TempDir(), uri(t))
	b.Exchange = first
	b.seed(t, "1")()
	b.settle(t)
	policies := caller(t, second).Get(t, "/motorCoverage?limit=2").Want(t, http.StatusOK).Records(t)
	shared, lone := policies[0].Text("policyNumber"), policies[1].Text("policyNumber")
	callers := []*trial.Client{caller(t, first), caller(t, second)}
	before := premiums(t, callers[1])
	const receipts, amount = 200, 3
	made := trial.AtOnce(t, receipts, func(i int) (trial.Response, error) {
		number := shared
		if i%4 == 0 {
			number = lone
		}
		return callers[i%2].Send(t.Context(), http.MethodPost, "/receipt", trial.Record{
			"policyNumber": number, "receiptType": "other", "paymentAmount": amount, "premiumPaymentMethod": "cash",
		})
	})
	if err := first.Kill("exchange"); err != nil {
		t.Fatal(err)
	}
	if got := trial.Count(made); got[http.StatusCreated] != receipts {
		t.Fatalf("the receipts have %v", got)
	}
	wait.Until(t, func() error {
		after := premiums(t, callers[1])
		for number, n := range map[string]int64{shared: receipts * 3 / 4, lone: receipts / 4} {
			if is, want := after[number]-before[number], n*amount; is != want {
				return fmt.Errorf("the rows of %s have grown by %d, not %d", number, is, want)
			}
		}
		return nil
	})
	b.settle(t)
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}

// premiums returns the sum of the rows of each policy.
func premiums(t *testing.T, c *trial.Client) map[string]int64 {
	t.Helper()
	sums := map[string]int64{}
	for _, row := range c.Get(t, "/premiumBordereau?limit=200").Want(t, http.StatusOK).Records(t) {
		if sum := row.Text("grossWrittenPremium"); sum != "" {
			n, err := strconv.ParseInt(sum, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			sums[row.Text("policyNumber")] += n
		}
	}
	return sums
}

// TestOneProcessWithoutMongoDB starts an exchange before its MongoDB, which goes away again. It waits, and says so.
func TestOneProcessWithoutMongoDB(t *testing.T) {
	b := emptyBook(t)
	g, url := newGate(t, nil)
	g.set(refusing)
	environ := []string{"EXCHANGE_STORE=" + url, "EXCHANGE_DATA=" + t.TempDir(), "EXCHANGE_ADDR=127.0.0.1:0"}
	start := func() (p *trial.Process, admin string) {
		p, err := trial.Start(b.commands.Path("exchange"), environ, "run")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Kill() })
		admin, err = p.Find(p.Stderr, regexp.MustCompile(`"msg":"metrics and health","address":"([^"]+)"`))
		if err != nil {
			t.Fatal(err)
		}
		return p, "http://" + admin
	}
	waits := regexp.MustCompile(`"msg":"(waiting for MongoDB)"`)

	impatient, _ := start()
	if _, err := impatient.Find(impatient.Stderr, waits); err != nil {
		t.Fatal(err)
	}
	if err := impatient.Stop(); err != nil {
		t.Errorf("stopping it while it waited: %v", err)
	}
	p, admin := start()
	if _, err := p.Find(p.Stderr, waits); err != nil {
		t.Fatal(err)
	}
	wantHealth(t, admin+"/livez", http.StatusOK)
	wantHealth(t, admin+"/readyz", http.StatusServiceUnavailable)
	g.set(passing)
	if _, err := p.Find(p.Stdout,
		regexp.MustCompile(`records: +MongoDB at (`+regexp.QuoteMeta(g.listener.Addr().String())+`)\n`)); err != nil {
		t.Fatal(err)
	}
	wantHealth(t, admin+"/readyz", http.StatusOK)
	g.set(refusing)
	if said := wantHealth(t, admin+"/readyz", http.StatusServiceUnavailable); strings.Contains(said, `store":"ok"`) ||
		strings.Count(said, ` store":`) != len(storing()) {
		t.Errorf("the stores are: %s", said)
	}
	g.set(passing)
	wantHealth(t, admin+"/readyz", http.StatusOK)
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
}

// wantHealth waits until a page about the health of a process has a status, and returns its text.
func wantHealth(t *testing.T, url string, want int) (said string) {
	t.Helper()
	wait.Until(t, func() error {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if said = string(text); err == nil && response.StatusCode != want {
			err = fmt.Errorf("%s is %d, not %d: %s", url, response.StatusCode, want, said)
		}
		return err
	})
	return said
}
