package desk_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// TestPreparedOnce sends a prepare again, with the same key: what it made is returned, also once it was approved, and
// several requests at once get the same version.
func TestPreparedOnce(t *testing.T) {
	w, s := atNovember(t)
	w.record("P", "new policy", 100, "")
	w.until(t, "2026-12-01T00:01:00Z")
	original := `{"type":"original"}`
	key := []string{caller, "anna", "Idempotency-Key", "K"}
	var sent sync.WaitGroup
	numbers := make([]string, 4)
	var made atomic.Int64
	for i := range numbers {
		sent.Go(func() {
			a := s.Do("POST", november+":prepare", original, key...)
			switch replayed := a.Header.Get("Idempotency-Replayed") == "true"; {
			case a.Status == 201 && !replayed:
				made.Add(1)
			case a.Status != 200 || !replayed:
				t.Errorf("status %d, replayed %v: %s", a.Status, replayed, a.Text)
				return
			}
			numbers[i] = number(a)
		})
	}
	sent.Wait()
	if made.Load() != 1 {
		t.Errorf("%d of the requests are 201", made.Load())
	}
	for _, n := range numbers {
		if n != "1" {
			t.Errorf("versions %q were made", numbers)
		}
	}
	s.Must(200, "POST", november+"/versions/1:approve",
		`{"digest":"`+s.Must(200, "GET", november+"/versions/1", "").Member("digest")+`"}`, caller, "bob")
	again := s.Must(200, "POST", november+":prepare", original, key...)
	if number(again) != "1" || again.Header.Get("Idempotency-Replayed") != "true" ||
		!strings.HasSuffix(again.Header.Get("Location"), "/versions/1") {
		t.Errorf("%v %s", again.Header, again.Text)
	}
	other := s.Must(422, "POST", november+":prepare", `{"type":"nil"}`, key...)
	if other.Member("type") != "/problems/idempotency-key-reused" {
		t.Error(other.Text)
	}
	s.Must(409, "POST", november+":prepare", original, caller, "carl", "Idempotency-Key", "K")
	s.Must(409, "POST", november+":prepare", original, caller, "anna", "Idempotency-Key", "L")
}

// TestComparedOnce sends a comparison again, with the same key: there is one.
func TestComparedOnce(t *testing.T) {
	_, s := bookOfNovember(t, 2)
	s.Must(200, "PUT", profiles+"own", `{`+plain+`,`+ownColumns+`}`)
	statement := send(t, s, "own", "text/csv", s.Must(200, "GET", november+"/versions/1/lines.csv", "").Text).ID
	asked := `{"statement":"` + statement + `","against":{"contract":"C","kind":"premium","period":"2026-11"}`
	first := s.Must(201, "POST", runs, asked+`}`, "Idempotency-Key", "K")
	again := s.Must(200, "POST", runs, asked+`}`, "Idempotency-Key", "K")
	if again.Text != first.Text || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("%s\nand\n%s", first.Text, again.Text)
	}
	s.Must(422, "POST", runs, asked+`,"tolerance":"1"}`, "Idempotency-Key", "K")
	if other := s.Must(201, "POST", runs, asked+`}`, "Idempotency-Key", "L"); other.Member("id") == first.Member("id") {
		t.Error("another key has the run of the first")
	}
}
