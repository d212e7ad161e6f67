package desk_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	shown "insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
	"insurance.example/exchange/pkg/servicetest"
)

// replacing sends a file that takes the place of a statement.
func replacing(s *servicetest.Service, profile, id, file string) servicetest.Response {
	return s.Do("POST", statements+"?profile="+profile+"&replaces="+id, file, "Content-Type", "text/csv")
}

// statementOf returns a statement.
func statementOf(t *testing.T, s *servicetest.Service, id string) (of shown.Statement) {
	t.Helper()
	read(t, s.Must(200, "GET", statements+"/"+id, ""), &of)
	return of
}

// again asks for the comparison of a statement with November, and wants a status.
func again(s *servicetest.Service, status int, statement, more string) servicetest.Response {
	return s.Must(status, "POST", runs, `{"statement":"`+statement+`","against":{"contract":"C","kind":"premium",
		"period":"2026-11"}`+more+`}`)
}

// TestACorrectedFile sends a file that corrects one. Its run takes the place of the run of that, and has its records.
func TestACorrectedFile(t *testing.T) {
	w, s := atNovember(t)
	w.policies["Q"] = w.policies["P"]
	w.record("P", "new policy", 100, "")
	w.record("Q", "new policy", 250, "")
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, november, "original")
	for _, profile := range []string{"p", "other"} {
		s.Must(200, "PUT", profiles+profile, `{`+plain+`,`+handColumns)
	}
	first := send(t, s, "p", "text/csv", "Policy,Gross\nP,100.00\nQ,255.00\n")
	run, items := compared(t, s, first.ID, "")
	if run.Outcomes[shown.Matched] != 1 || run.Outcomes[shown.Mismatch] != 1 ||
		items[0].Key != "policyNumber and date" {
		t.Fatalf("%+v", items)
	}
	const corrected = "Policy,Gross\nP,100.00\nQ,250.00\n"
	var second shown.Statement
	for range 2 { // what is sent again is the same
		a := replacing(s, "p", first.ID, corrected)
		if read(t, a, &second); a.Status != 200 || second.Replaces != first.ID || second.ReplacedBy != "" {
			t.Fatalf("%d %s", a.Status, a.Text)
		}
	}
	if of := statementOf(t, s, first.ID); of.ReplacedBy != second.ID || of.Replaces != "" {
		t.Errorf("%+v", of)
	}
	next, items := compared(t, s, second.ID, "")
	if next.Outcomes[shown.Matched] != 2 || next.Items != 2 ||
		fmt.Sprint(next.Replaces) != fmt.Sprint([]string{run.ID}) {
		t.Fatalf("%+v: %+v", next, items)
	}
	var former shown.Run
	read(t, s.Must(200, "GET", runs+"/"+run.ID, ""), &former)
	if former.State != "replaced" || former.ReplacedBy != next.ID ||
		former.Items != 2 || len(former.Ageing) > 0 {
		t.Errorf("%+v", former)
	}
	s.Must(409, "POST", runs+"/"+run.ID+"/items/1:accept", `{"reason":"x"}`)
	s.Must(409, "POST", runs+"/"+run.ID+":accept", `{"where":{"outcome":"mismatch"},"reason":"x"}`)
	again(s, 409, first.ID, "")

	// Somebody else's file finds the records taken, and is told by which statement.
	third := send(t, s, "other", "text/csv", corrected)
	taken, items := compared(t, s, third.ID, "")
	if in := items[0].PairedIn; taken.Outcomes[shown.Duplicate] != 2 || in.Run != next.ID || in.Statement != second.ID {
		t.Errorf("%+v", items)
	}
	short := send(t, s, "other", "text/csv", "Policy,Gross\nP,100.00\n")
	taken, _ = compared(t, s, short.ID, "")
	want := []shown.RunTaken{{Run: next.ID, Statement: second.ID, Items: 1}}
	if taken.Elsewhere != 1 || fmt.Sprint(taken.ElsewhereIn) != fmt.Sprint(want) {
		t.Errorf("%+v", taken)
	}

	// Only the newest is replaced, by a file of its profile.
	for _, of := range []struct {
		status        int
		profile, file string
		id            string
	}{
		{409, "p", "Policy,Gross\nP,1\n", first.ID}, {400, "p", corrected, second.ID},
		{400, "other", "Policy,Gross\nP,1\n", second.ID}, {400, "p", "Policy,Gross\nP,1\n", run.ID},
		{400, "p", "Policy,Gross\nP,100.00\nQ,255.00\n", second.ID}, // it has replaced that
	} {
		a := replacing(s, of.profile, of.id, of.file)
		if a.Status != of.status || of.status == 400 && !strings.Contains(a.Text, `"parameter":"replaces"`) {
			t.Errorf("%+v: %d %s", of, a.Status, a.Text)
		}
	}
	list := s.Must(200, "GET", statements, "").Text
	if !strings.Contains(list, `"replaces":"`+first.ID) || !strings.Contains(list, `"replacedBy":"`+second.ID) {
		t.Error(list)
	}
	if last := replacing(s, "p", second.ID, "Policy,Gross\nP,100.00\nQ,251.00\n"); last.Status != 200 {
		t.Error(last.Text)
	}
}

// TestComparedAgain compares the same statement again, with repeated rows and another tolerance: it comes to the same,
// or to what the new terms say.
func TestComparedAgain(t *testing.T) {
	_, s, run, items := twoAlone(t, nil, "Policy,Gross\nP,100.00\nP,100.00\nP,251.00\nQ,1\n")
	if run.Outcomes[shown.Duplicate] != 1 || run.Outcomes[shown.Mismatch] != 1 {
		t.Fatalf("%+v", items)
	}
	for range 2 {
		next, same := compared(t, s, run.Statement, "")
		if fmt.Sprint(next.Outcomes) != fmt.Sprint(run.Outcomes) || fmt.Sprint(same) != fmt.Sprint(items) {
			t.Errorf("%+v: %+v, and it was %+v", next, same, items)
		}
	}
	next, _ := compared(t, s, run.Statement, `,"tolerance":"1.00"`)
	if next.Outcomes[shown.Within] != 1 || next.Outcomes[shown.Duplicate] != 1 {
		t.Errorf("%+v", next)
	}
	// What is compared with other records leaves the run as it is.
	other, others := compared(t, s, run.Statement, "")
	var receipts shown.Run
	read(t, s.Must(201, "POST", runs, `{"statement":"`+run.Statement+`","against":{"contract":"C","kind":"premium",
		"period":"2026-11","receipts":true}}`), &receipts)
	if of, _ := counted(t, s, other.ID); of.ReplacedBy != "" || len(receipts.Replaces) > 0 || len(others) == 0 {
		t.Errorf("%+v", of)
	}
}

// TestDecisionsAreCarried compares a corrected file where something was decided: it is refused, or the decisions are
// kept whose row and record are unchanged.
func TestDecisionsAreCarried(t *testing.T) {
	w, s, run, items := twoAlone(t, nil, "Policy,Gross\nQ,1\nQ,2\nP,7\nR,3\nR,3\n")
	number := map[string]int{}
	for _, item := range items {
		number[fmt.Sprint(item.Row, item.Outcome[:7])] = item.Number
	}
	at := runs + "/" + run.ID
	records := []int{items[len(items)-2].Number, items[len(items)-1].Number}
	for _, row := range []int{2, 3, 5} {
		s.Must(200, "POST", fmt.Sprint(at, "/items/", number[fmt.Sprint(row, "missing")], ":accept"), `{"reason":"r"}`,
			caller, "ann")
	}
	s.Must(200, "POST", at+":pair", pairing("by telephone", number["4missing"], records[0]), caller, "bob")
	s.Must(200, "POST", fmt.Sprint(at, "/items/", number["4missing"], ":dispute"), `{"reason":"too little"}`)
	s.Must(200, "POST", fmt.Sprint(at, "/items/", records[1], ":accept"), `{"reason":"next month"}`)

	// The row of Q that is 2 is another one now, and one has come before all others.
	var next shown.Statement
	read(t, replacing(s, "p", run.Statement, "Policy,Gross\nS,9\nQ,1\nQ,2.50\nP,7\nR,3\nR,3\n"), &next)
	if a := again(s, 409, next.ID, ""); a.Member("run") != run.ID || !strings.Contains(a.Text, "carry") {
		t.Error(a.Text)
	}
	second, items := compared(t, s, next.ID, `,"carry":true`)
	want := map[int]string{3: shown.Accepted, 5: shown.Disputed, 6: shown.Accepted, 0: shown.Accepted}
	for _, item := range items {
		if item.Decision != want[item.Row] {
			t.Errorf("row %d is %q: %+v", item.Row, item.Decision, item)
		}
		if item.Row == 3 && (item.DecidedBy != "ann" || item.Reason != "r") {
			t.Errorf("%+v", item)
		}
		if by := item.Paired; item.Row == 5 && (item.Key != "hand" || by == nil || by.By != "bob" || by.With != 0) {
			t.Errorf("%+v", item)
		}
	}
	if of, _ := counted(t, s, second.ID); of.Carried != 4 {
		t.Errorf("%+v", of)
	}

	// Once more: the pair by hand stands, and is parted as others are.
	third, items := compared(t, s, next.ID, `,"carry":true`)
	for _, item := range items {
		if item.Row == 5 {
			if item.Key != "hand" || item.Decision != shown.Disputed {
				t.Errorf("%+v", item)
			}
			s.Must(200, "POST", fmt.Sprint(runs, "/", third.ID, "/items/", item.Number, ":unmatch"), `{"reason":"x"}`)
		}
	}
	counted(t, s, third.ID)
	fourth, _ := compared(t, s, next.ID, `,"carry":true`)
	if of, _ := counted(t, s, fourth.ID); of.Carried != 3 || of.Outcomes[shown.Mismatch] != 0 {
		t.Errorf("%+v", of)
	}

	// A record that is another one now is to be decided on again.
	receipts := `{"statement":"` + next.ID + `","carry":true,"against":{"contract":"C","kind":"premium",
		"period":"2026-11","receipts":true}}`
	var now shown.Run
	read(t, s.Must(201, "POST", runs, receipts), &now)
	decidedOf(t, s, now.ID, "accept", `{"outcome":"missingThere"}`)
	w.mu.Lock()
	w.receipts[0].Amount++
	w.mu.Unlock()
	read(t, s.Must(201, "POST", runs, receipts), &now)
	if now.Carried != now.Outcomes[shown.MissingThere]-1 || now.Outcomes[shown.MissingThere] != 2 {
		t.Errorf("%+v", now)
	}
}

// TestAPartedPairIsNotMadeAgain parts a pair, and sends a corrected file with the same row.
func TestAPartedPairIsNotMadeAgain(t *testing.T) {
	_, s, run, items := twoAlone(t, nil, "Policy,Gross\nP,100.00\nP,251.00\n")
	for _, item := range items {
		if item.Outcome == shown.Matched {
			s.Must(200, "POST", fmt.Sprint(runs, "/", run.ID, "/items/", item.Number, ":unmatch"), `{"reason":"x"}`)
		}
	}
	var next shown.Statement
	read(t, replacing(s, "p", run.Statement, "Policy,Gross\nQ,7\nP,100.00\nP,250.00\n"), &next)
	for range 2 {
		of, items := compared(t, s, next.ID, "")
		if of.Outcomes[shown.Ambiguous] != 1 || items[0].Row != 3 || of.Outcomes[shown.Matched] != 1 {
			t.Errorf("%+v", items)
		}
	}
}

// TestDecidedWhileReplaced accepts an item while another run takes the place of its run. What was accepted is kept.
func TestDecidedWhileReplaced(t *testing.T) {
	store := &meanwhile{Store: servicetest.OpenStore(t), before: "reconciliationLedger"}
	_, s, run, _ := twoAlone(t, store, "Policy,Gross\nQ,8\nQ,9\n")
	do := func() {
		s.Must(200, "POST", runs+"/"+run.ID+"/items/1:accept", `{"reason":"x"}`)
	}
	store.do.Store(&do)
	next, items := compared(t, s, run.Statement, "")
	if items[0].Decision != shown.Accepted || items[1].Decision != "" || len(next.Replaces) != 1 {
		t.Errorf("%+v", items)
	}
	counted(t, s, next.ID)
}

// TestAFailureBetweenTwoStatements has a store that fails once a file that replaces another is kept. It is sent again,
// and has its place; so does the first of two files.
func TestAFailureBetweenTwoStatements(t *testing.T) {
	store := &failing{Store: servicetest.OpenStore(t), operation: "replace"}
	_, s, run, _ := twoAlone(t, store, "Policy,Gross\nP,100.00\n")
	store.left.Store(1)
	const file = "Policy,Gross\nP,101.00\n"
	if a := replacing(s, "p", run.Statement, file); a.Status != 503 {
		t.Fatal(a.Text)
	}
	if of := statementOf(t, s, run.Statement); of.ReplacedBy != "" {
		t.Errorf("%+v", of)
	}
	if list := s.Must(200, "GET", statements, "").Text; strings.Contains(list, `"replaces"`) {
		t.Errorf("a statement replaces one that does not know: %s", list)
	}
	other := replacing(s, "p", run.Statement, "Policy,Gross\nP,102.00\n")
	if other.Status != 200 {
		t.Fatal(other.Text)
	}
	if a := replacing(s, "p", run.Statement, file); a.Status != 409 || a.Member("replacedBy") != other.Member("id") {
		t.Error(a.Text)
	}
	if a := replacing(s, "p", other.Member("id"), file); a.Status != 200 ||
		a.Member("replaces") != other.Member("id") {
		t.Error(a.Text)
	}
}

// TestRunsOfEarlierReleases has a run as an earlier release has stored it: it is read, its event is there, and another
// run takes its place, without what was decided about it.
func TestRunsOfEarlierReleases(t *testing.T) {
	path := filepath.Join(t.TempDir(), "desk.db")
	store, err := sqlitestore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	w, s, run, items := twoAlone(t, store, "Policy,Gross\nP,100.00\nQ,7\n")
	s.Must(200, "POST", runs+"/"+run.ID+"/items/1:accept", `{"reason":"x"}`)
	s.Stop()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{
		`UPDATE reconciliationLedger SET body = json_remove(body, '$.runs[0].version')`,
		`UPDATE reconciliationBlock SET body = replace(replace(body, '"rowIs"', '"a"'), '"recordIs"', '"b"')`,
	} {
		if changed, err := sqlitetest.Exec(path, change); err != nil || changed == 0 {
			t.Fatal(changed, err)
		}
	}
	if store, err = sqlitestore.Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	s = w.startOn(store)
	of, same := counted(t, s, run.ID)
	if of.Decisions[shown.Accepted] != 1 || len(same) != len(items) {
		t.Errorf("%+v", of)
	}
	again(s, 409, run.Statement, "")
	next, _ := compared(t, s, run.Statement, `,"carry":true`)
	if next.Carried != 0 || fmt.Sprint(next.Outcomes) != fmt.Sprint(run.Outcomes) {
		t.Errorf("%+v", next)
	}
	wantEvents(t, s, "finished", "finished")
	s.Stop()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}
