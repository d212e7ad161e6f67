package client_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// reportedPeriod is a period of a seeded contract, such as SEED1-MOTOR premium 2026-05.
type reportedPeriod struct {
	State    string         `json:"state"`
	Live     []trial.Record `json:"live"`
	Versions []struct {
		State  string         `json:"state"`
		Type   string         `json:"type"`
		Digest string         `json:"digest"`
		Totals []trial.Record `json:"totals"`
	} `json:"versions"`
}

// bordereaux reads what is reported.
type bordereaux struct{ *trial.Client }

func (b bordereaux) read(t *testing.T, path string, into any) {
	t.Helper()
	if err := json.Unmarshal(b.Get(t, "/x/bordereau/"+path).Want(t, 200).Body, into); err != nil {
		t.Fatal(err)
	}
}

func (b bordereaux) period(t *testing.T, path string) (of reportedPeriod) {
	t.Helper()
	b.read(t, path, &of)
	return of
}

// lines returns the lines of the first version of a period, whatever their kind.
func (b bordereaux) lines(t *testing.T, path string) []trial.Record {
	t.Helper()
	var page struct {
		Lines  []trial.Record `json:"lines"`
		Claims []trial.Record `json:"claims"`
	}
	b.read(t, path+"/versions/1/lines", &page)
	return append(page.Lines, page.Claims...)
}

// findings returns the codes of the findings of the first version of a period.
func (b bordereaux) findings(t *testing.T, path string) string {
	t.Helper()
	var page struct {
		Findings []trial.Record `json:"findings"`
	}
	b.read(t, path+"/versions/1/findings", &page)
	var codes []string
	for _, f := range page.Findings {
		codes = append(codes, f.Text("code"))
	}
	return strings.Join(codes, " ")
}

// premium returns the sums of the premium in totals: gross, commission, net and settled.
func premium(totals []trial.Record) string {
	for _, of := range totals {
		if of.Text("section") == "premium" {
			return fmt.Sprint(of["lines"], " lines, ", of["gross"], " ", of["commission"], " ", of["net"], " ",
				of["settled"])
		}
	}
	return "none"
}

// TestSeedMakesAYear makes the year of three contracts, and the contract of the year after, and finds its story with
// the figures that the README of the desk has. A second run makes nothing. The year of another seed stands beside it,
// although its run was killed in May.
func TestSeedMakesAYear(t *testing.T) {
	t.Parallel()
	s := newShell(t, "EXCHANGE_TEST_CLOCK=2026-01-05T09:00:00Z")
	year := func(seed string) result { return s.run(t, "seed", "--size", "7", "--seed", seed, "--year") }
	said := year("1").want(t, 0, "The year of the contracts:").stdout
	b := bordereaux{s.tester(t)}
	if clock := b.Get(t, "/x/clock").Record(t).Text("now"); !strings.HasPrefix(clock, "2026-12-02T09:00:00") {
		t.Errorf("the clock shows %s", clock)
	}
	for month, want := range map[string]string{
		"01": "2 lines, 350 52.5 297.5 243.85", "03": "2 lines, 350 52.5 297.5 243.85",
		"05": "4 lines, 1200 180 1020 836.06", "11": "2 lines, 350 52.5 297.5 243.85",
	} {
		of := b.period(t, "SEED1-MOTOR/premium/2026-"+month)
		if len(of.Versions) != 1 || of.Versions[0].State != "approved" || premium(of.Versions[0].Totals) != want {
			t.Errorf("%s: %+v, want %s", month, of.Versions, want)
		}
	}
	if of := b.period(t, "SEED1-MOTOR/premium/2026-12"); of.State != "open" || len(of.Versions) != 0 ||
		premium(of.Live) != "3 lines, 250 37.5 212.5 174.18" {
		t.Errorf("December is %+v", of)
	}
	for path, want := range map[string]string{
		"SEED1-MOTOR/premium/2026-05": "late-item", "SEED1-MOTOR/premium/2026-04": "",
		"SEED1-PROPERTY/claims/2026-05": "", "SEED1-PROPERTY/claims/2026-06": "stale-reserve",
		"SEED1-PROPERTY/claims/2026-07": "stale-reserve", "SEED1-PROPERTY/claims/2026-08": "",
		"SEED1-PROPERTY/premium/2026-11": "utilisation-0", "SEED1-PROPERTY/premium/2026-10": "",
	} {
		if got := b.findings(t, path); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: found %q, want %q", path, got, want)
		}
	}
	if got := b.findings(t, "SEED1-MOTOR/premium/2026-05"); !strings.Contains(got, "possible-duplicate") {
		t.Errorf("in May, %q are found", got)
	}
	late := 0
	for _, line := range b.lines(t, "SEED1-MOTOR/premium/2026-05") {
		if of, is := line["late"].(map[string]any); is {
			late++
			if line["gross"] != 600.0 || of["recordedPeriod"] != "2026-03" {
				t.Errorf("the late line is %v", line)
			}
		}
	}
	if late != 1 {
		t.Errorf("%d lines are late", late)
	}
	// Paid, outstanding, incurred and its change, of the claim of water damage.
	for month, want := range map[string]string{
		"02": "0 1000 1000 1000", "04": "400 0 400 -600", "06": "0 600 1000 600", "08": "0 250 650 -350",
	} {
		of := b.lines(t, "SEED1-PROPERTY/claims/2026-"+month)[0]["indemnity"].(map[string]any)
		if got := fmt.Sprint(of["paid"], " ", of["outstanding"], " ", of["incurred"], " ",
			of["changeOfIncurred"]); got != want {
			t.Errorf("%s: the claim has %s, want %s", month, got, want)
		}
	}
	if of := b.period(t, "SEED1-MOTOR/claims/2026-09"); len(of.Versions) != 1 || of.Versions[0].Type != "nil" {
		t.Errorf("the claims of September are %+v", of.Versions)
	}
	b.quarters(t, s)
	b.statement(t)
	b.abroad(t)
	b.december(t)

	again := year("1").want(t, 0, " 0 made").stdout
	for _, line := range lines(again) {
		if strings.Contains(line, " made") && !strings.Contains(line, " 0 made") {
			t.Errorf("the second run made something: %s", line)
		}
	}
	_, first, _ := strings.Cut(said, "The year of the contracts:")
	if _, second, _ := strings.Cut(again, "The year of the contracts:"); first != second || len(lines(first)) != 10 {
		t.Errorf("the second run says\n%s\nand the first said\n%s", second, first)
	}
	_, hints, _ := strings.Cut(said, "Look at it:\n")
	hints, _, _ = strings.Cut(hints, "\n\n")
	for _, hint := range lines(hints + "\n") {
		s.shell(t, strings.TrimSpace(hint)).want(t, 0)
	}
	s.killSeed(t, "2027-05", "--size", "7", "--seed", "2", "--year")
	year("2").want(t, 0, "2027-12: ", " there before")
	of := b.period(t, "SEED2-MOTOR/premium/2027-05")
	if premium(of.Versions[0].Totals) != "4 lines, 1200 180 1020 836.06" {
		t.Errorf("the year of another seed has %+v", of)
	}
}

// quarters has the quarter that waits approved, which only a second person can do.
func (b bordereaux) quarters(t *testing.T, s *shell) {
	t.Helper()
	for quarter, state := range map[string]string{"Q1": "approved", "Q2": "approved", "Q3": "pending"} {
		of := b.period(t, "SEED1-TRAVEL/premium/2026-"+quarter)
		if len(of.Versions) != 1 || of.Versions[0].State != state ||
			premium(of.Versions[0].Totals) != "6 lines, 405 81 324 324" {
			t.Errorf("%s: %+v", quarter, of.Versions)
		}
	}
	digest := b.period(t, "SEED1-TRAVEL/premium/2026-Q3").Versions[0].Digest
	approve := []string{"bordereau", "approve", "SEED1-TRAVEL", "premium", "2026-Q3", "--digest", digest}
	s.run(t, approve...).want(t, 1, "Somebody else")
	s.run(t, append(approve, "--token", s.person(t, "anna"))...).want(t, 0, "approved")
}

// abroad finds the policy that begins on the first day of a contract in its zone, which is not assigned to it.
func (b bordereaux) abroad(t *testing.T) {
	t.Helper()
	var page struct{ Lines []trial.Record }
	b.read(t, "SEED1-PARIS/premium/2026-12/lines", &page)
	if len(page.Lines) != 1 || page.Lines[0].Text("inceptionDate") != "2026-12-31T23:00:00Z" {
		t.Errorf("the contract of Paris has the lines %v", page.Lines)
	}
}

// statement finds the statement of a broker compared with November, by the first run alone.
func (b bordereaux) statement(t *testing.T) {
	t.Helper()
	var all struct {
		Runs []struct {
			Against  trial.Record   `json:"against"`
			Outcomes map[string]int `json:"outcomes"`
		} `json:"runs"`
	}
	if err := json.Unmarshal(b.Get(t, "/x/reconciliation/run").Want(t, 200).Body, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Runs) != 1 || all.Runs[0].Against.Text("period") != "2026-11" {
		t.Fatalf("there are the comparisons %v", all.Runs)
	}
	for _, outcome := range []string{"matched", "mismatch", "missingHere"} {
		if n := all.Runs[0].Outcomes[outcome]; n != 1 {
			t.Errorf("%d items are %s", n, outcome)
		}
	}
}

// december ends December, which has the refund of what November has.
func (b bordereaux) december(t *testing.T) {
	t.Helper()
	b.Post(t, "/x/clock:advance", trial.Record{"to": "2027-01-01T00:01:00Z"}).Want(t, 200)
	wait.Until(t, func() error {
		made := b.Post(t, "/x/bordereau/SEED1-MOTOR/premium/2026-12:prepare", trial.Record{"type": "original"})
		if made.Status != 201 {
			return fmt.Errorf("%s", made.Body)
		}
		return nil
	})
	november := map[string]bool{}
	for _, line := range b.lines(t, "SEED1-MOTOR/premium/2026-11") {
		november[line.Text("lineId")] = true
	}
	refunds := 0
	for _, line := range b.lines(t, "SEED1-MOTOR/premium/2026-12") {
		if line["gross"] == -100.0 && november[line.Text("reverses")] {
			refunds++
		}
	}
	if refunds != 1 {
		t.Errorf("December has %d refunds of November", refunds)
	}
}

// killSeed runs seed, and kills it once the test clock shows a month.
func (s *shell) killSeed(t *testing.T, month string, args ...string) {
	t.Helper()
	seed := s.command(t, nil, append([]string{"seed"}, args...)...)
	if err := seed.Start(); err != nil {
		t.Fatal(err)
	}
	c := s.tester(t)
	wait.Until(t, func() error {
		if shows := c.Get(t, "/x/clock").Record(t).Text("now"); shows < month {
			return fmt.Errorf("the clock shows %s", shows)
		}
		return nil
	})
	if err := seed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := seed.Wait(); err == nil {
		t.Fatal("seed had ended before it was killed")
	}
}

// TestSeedRefusesAYear asks for a year where there is no test clock, and where somebody has moved it meanwhile.
func TestSeedRefusesAYear(t *testing.T) {
	t.Parallel()
	newShell(t).run(t, "seed", "--size", "7", "--year").want(t, 1, "no test clock", "--test-clock")
	s := newReporting(t)
	c := s.tester(t)
	terms := c.Get(t, "/x/contract/MOTOR-2026").Record(t)["contract"].(map[string]any)
	terms["lines"] = []string{"petCoverage"}
	c.Put(t, "/x/contract/SEED1-MOTOR", terms).Want(t, 200)
	c.Post(t, "/x/clock:advance", trial.Record{"to": "2026-03-05T09:00:00Z"}).Want(t, 200)
	s.run(t, "seed", "--size", "7", "--year").want(t, 1, "another --seed")
	if of := (bordereaux{c}).period(t, "SEED1-MOTOR/premium/2026-03"); premium(of.Live) != "none" {
		t.Errorf("a receipt of the year was recorded: %+v", of)
	}
}
