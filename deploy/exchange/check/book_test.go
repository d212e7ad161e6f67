package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/exchange/allinone"
	"insurance.example/exchange/deploy/exchange/local"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
	"insurance.example/exchange/pkg/wait"
)

// exchange is an exchange that runs on a data folder.
type exchange struct {
	t                 *testing.T
	data, base, token string
	stop              func()
}

func run(t *testing.T, data string, args ...string) *exchange {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	banner, written := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- allinone.RunProgram(written).Execute(ctx, append([]string{"--addr", "127.0.0.1:0", "--data", data,
			"--overload-latency", "0", "--amount-unit", "major", "--currency", "EUR"}, args...), nil, io.Discard,
			io.Discard)
	}()
	text := make([]byte, 10_000)
	n, err := banner.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, banner) }()
	x := &exchange{t: t, data: data, stop: func() {
		cancel()
		if status := <-ended; status != 0 {
			t.Errorf("exit status %d", status)
		}
		ended <- 0
	}}
	t.Cleanup(x.stop)
	x.base = regexp.MustCompile(`listens on (http://\S+)`).FindStringSubmatch(string(text[:n]))[1]
	if x.token, err = local.IssueToken(data, "", ""); err != nil {
		t.Fatal(err)
	}
	return x
}

func (x *exchange) do(method, path, body string) (map[string]any, error) {
	x.t.Helper()
	r, err := http.NewRequestWithContext(x.t.Context(), method, x.base+path, strings.NewReader(body))
	if err != nil {
		x.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+x.token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		x.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	decoded := map[string]any{}
	if err := json.NewDecoder(response.Body).Decode(&decoded); err != nil {
		x.t.Fatal(err)
	}
	if response.StatusCode >= 300 {
		return nil, fmt.Errorf("%s %s: status %d: %v", method, path, response.StatusCode, decoded)
	}
	return decoded, nil
}

func (x *exchange) create(path, body string) map[string]any {
	x.t.Helper()
	created, err := x.do(http.MethodPost, path, body)
	if err != nil {
		x.t.Fatal(err)
	}
	return created
}

// policy makes a policy with a receipt and a claim.
func (x *exchange) policy() {
	x.t.Helper()
	party := x.create("/commercial", `{"name":"Ümlaut AG"}`)
	car := x.create("/vehicle", `{"plateNumber":"EX 1"}`)
	driver := x.create("/driver", `{"name":"D","licence":{"expiryDate":"2099-01-01"}}`)
	policy := x.create("/motorCoverage", fmt.Sprintf(`{"policyholderId":%q,"vehicleId":%q,"driverId":%q,
		"inceptionDate":"2026-01-01T00:00:00Z","expiryDate":"2090-01-01T00:00:00Z","grossWrittenPremium":900,
		"perils":["theft"]}`, party["id"], car["id"], driver["id"]))
	x.create("/receipt", fmt.Sprintf(`{"policyNumber":%q,"receiptType":"new policy","paymentAmount":300}`,
		policy["policyNumber"]))
	x.create("/claim", fmt.Sprintf(`{"policyNumber":%q,"lossDate":"2026-01-02T00:00:00Z","lossCause":"theft",
		"claimType":"other","reserve":40,"fnol":"2026-01-03T00:00:00Z"}`, policy["policyNumber"]))
}

// check runs the command on the data folder, and returns its findings, and its notes.
func (x *exchange) check() (findings, notes []docstore.Finding) {
	x.t.Helper()
	var out bytes.Buffer
	command := Command(nil, &out, io.Discard)
	command.SilenceErrors, command.SilenceUsage = true, true
	command.SetArgs([]string{"--data", x.data, "-o", "json"})
	err := command.ExecuteContext(x.t.Context())
	for decoder := json.NewDecoder(&out); ; {
		var line struct {
			docstore.Finding
			Note    bool
			Summary *tally
		}
		switch decoded := decoder.Decode(&line); {
		case errors.Is(decoded, io.EOF):
			x.t.Fatalf("there is no summary: %v", err)
		case decoded != nil:
			x.t.Fatal(decoded)
		case line.Summary != nil:
			if (err != nil) != (len(findings) > 0) {
				x.t.Errorf("%d findings, and the error %v", len(findings), err)
			}
			return findings, notes
		case line.Note:
			notes = append(notes, line.Finding)
		default:
			findings = append(findings, line.Finding)
		}
	}
}

// TestTheBookIsComparedWithTheRecords checks a folder while an exchange runs on it, whose book is behind, and after
// changes of the book by hand.
func TestTheBookIsComparedWithTheRecords(t *testing.T) {
	data := t.TempDir()
	x := run(t, data)
	for range 5 {
		x.policy()
	}
	wait.Until(t, func() error {
		rows, err := x.do(http.MethodGet, "/x/book/claims", "")
		if list, _ := rows["rows"].([]any); err == nil && len(list) != 5 {
			err = fmt.Errorf("the book has %v", rows)
		}
		return err
	})
	if findings, notes := x.check(); len(findings)+len(notes) > 0 {
		t.Errorf("while the exchange runs: %v, %v", findings, notes)
	}
	x.stop()
	// An exchange without its book goes on, and leaves the book behind: the receipt of the sixth policy comes later.
	x = run(t, data, "--book=false")
	x.policy()
	x.stop()
	file := allinone.BookFile(data)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if findings, notes := x.check(); len(findings)+len(notes) > 0 {
		t.Errorf("of a book that is behind: %v, %v", findings, notes)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the check has changed the book (%v)", err)
	}
	for sql, want := range map[string]docstore.Finding{
		`UPDATE cell SET sums = json_set(sums, '$.r', 299) WHERE json_extract(sums, '$.r') IS NOT NULL`: {
			Collection: "cell", Found: "sums.r 599.00", Expected: "sums.r 1800.00"},
		`DELETE FROM movementsRow WHERE key = (SELECT min(key) FROM movementsRow)`: {
			Collection: "movementsRow", Found: "none", Expected: "the row"},
		`INSERT INTO claimsRow (owner, key, text, row, adds) SELECT owner, 'C', '', row, adds FROM claimsRow LIMIT 1`: {
			Collection: "claimsRow", ID: "C", Found: "the row", Expected: "none"},
		`UPDATE policiesRow SET row = json_set(row, '$.insured', 'X') WHERE key = (SELECT min(key) FROM policiesRow)`: {
			Collection: "policiesRow", Found: `row.insured "X"`, Expected: `row.insured "Ümlaut AG"`},
	} {
		if err := os.WriteFile(file, before, 0o600); err != nil {
			t.Fatal(err)
		}
		if changed, err := sqlitetest.Exec(file, sql); err != nil || changed != 1 {
			t.Fatalf("%s: %d rows, %v", sql, changed, err)
		}
		findings, _ := x.check()
		if len(findings) != 1 {
			t.Errorf("%s: %v", sql, findings)
			continue
		}
		got := findings[0]
		if want.Invariant = ofBook; want.ID == "" {
			got.ID = ""
		}
		if got != want {
			t.Errorf("%s\n got %+v\nwant %+v", sql, got, want)
		}
	}
	// Files that are no book of this release.
	if err := os.WriteFile(file, before[:len(before)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if findings, _ := x.check(); len(findings) != 1 || !strings.Contains(findings[0].Expected, filepath.Base(file)) {
		t.Errorf("half of the file: %v", findings)
	}
	if err := os.WriteFile(file, before, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlitetest.Exec(file, `UPDATE state SET value = '1 major EUR UTC' WHERE name = 'form'`); err != nil {
		t.Fatal(err)
	}
	if findings, notes := x.check(); len(findings) > 0 || len(notes) != 1 {
		t.Errorf("of another form: %v, %v", findings, notes)
	}
}
