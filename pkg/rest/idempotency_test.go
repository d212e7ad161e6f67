package rest_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

func TestTheSameRequestWithTheSameKeyMakesOneRecord(t *testing.T) {
	for _, listed := range []bool{false, true} {
		w := start(t, func(r *rest.Resource[*parcel]) { r.ListsIdempotency = listed })
		body := w.body(`"label":"L"`)
		first := w.do(201, "POST", "/parcel", body, "Idempotency-Key", "k")
		w.do(200, "POST", "/parcel/"+first.text("id")+":deliver", signed)
		// The same JSON value in another form is the same request.
		replay := w.do(200, "POST", "/parcel", strings.Replace(body, `"weight":5`, `"weight" : 5`, 1),
			"Idempotency-Key", "k")
		if replay.text("id") != first.text("id") || replay.Header().Get("Idempotency-Replayed") != "true" ||
			replay.text("status") != "delivered" {
			t.Errorf("replay %v %s", replay.Header(), replay.Body)
		}
	}
}

func TestANullMemberIsAnAbsentOneUnderAKey(t *testing.T) {
	for _, listed := range []bool{false, true} {
		w := start(t, func(r *rest.Resource[*parcel]) { r.ListsIdempotency = listed })
		body := w.body("")
		null := strings.Replace(body, "{", `{"label":null,"x-more" : null,`, 1)
		for i, two := range [][2]string{{body, null}, {null, body}, {null, null}} {
			key := fmt.Sprint("k", i)
			first := w.do(201, "POST", "/parcel", two[0], "Idempotency-Key", key)
			again := w.do(200, "POST", "/parcel", two[1], "Idempotency-Key", key)
			if again.text("id") != first.text("id") {
				t.Errorf("%s and %s made two records", two[0], two[1])
			}
			path := "/parcel/" + first.text("id") + ":hold"
			w.do(200, "POST", path, []string{"", `{"other":null}`, "{}"}[i], "Idempotency-Key", key)
			again = w.do(200, "POST", path, []string{`{"other":null}`, "{}", ""}[i], "Idempotency-Key", key)
			if again.Header().Get("Idempotency-Replayed") != "true" {
				t.Errorf("an action with null in place of nothing: %s", again.Body)
			}
		}
		// One within another object is of that object.
		nested := strings.Replace(body, "{", `{"x-of":{"more":null},`, 1)
		w.do(201, "POST", "/parcel", nested, "Idempotency-Key", "n")
		w.wants(w.do(422, "POST", "/parcel", strings.Replace(nested, `"more":null`, "", 1), "Idempotency-Key", "n"),
			problem.KeyReused)
	}
}

func TestAKeyBelongsToItsCallerAndOperation(t *testing.T) {
	w := start(t, nil)
	body := w.body("")
	first := w.do(201, "POST", "/parcel", body, "Idempotency-Key", "k")
	w.wants(w.do(422, "POST", "/parcel", w.body(`"size":"small"`), "Idempotency-Key", "k"), problem.KeyReused)
	w.caller.Subject = "bo"
	if r := w.do(201, "POST", "/parcel", body, "Idempotency-Key", "k"); r.text("id") == first.text("id") {
		t.Error("another caller got the record of the first")
	}
	w.do(200, "POST", "/parcel/"+first.text("id")+":hold", "", "Idempotency-Key", "k")
	for _, bad := range []string{"", strings.Repeat("k", 256)} {
		w.wants(w.do(400, "POST", "/parcel", body, "Idempotency-Key", bad), problem.BadHeader)
	}
}

func TestARefusedRequestDoesNotUseItsKeyUp(t *testing.T) {
	w := start(t, nil)
	w.do(404, "POST", "/parcel", `{"depot":"no-id"}`, "Idempotency-Key", "k")
	w.do(201, "POST", "/parcel", w.body(""), "Idempotency-Key", "k")
}

func TestAKeyIsForgottenInTime(t *testing.T) {
	w := start(t, nil)
	body := w.body("")
	first := w.do(201, "POST", "/parcel", body, "Idempotency-Key", "k")
	w.pass(24 * time.Hour)
	w.do(200, "POST", "/parcel", body, "Idempotency-Key", "k")
	w.pass(time.Second)
	if r := w.do(201, "POST", "/parcel", body, "Idempotency-Key", "k"); r.text("id") == first.text("id") {
		t.Error("the key was not forgotten")
	}
}

func TestAKeyOutlivesALostResponse(t *testing.T) {
	w := start(t, nil)
	body := w.body("")
	w.store.insert = once(errDown, true) // the store wrote, and its answer was lost
	w.do(503, "POST", "/parcel", body, "Idempotency-Key", "k")
	w.do(200, "POST", "/parcel", body, "Idempotency-Key", "k")
	if r := w.do(200, "GET", "/parcel", ""); strings.Count(r.Body.String(), `"id"`) != 1 {
		t.Errorf("there are more records than one: %s", r.Body)
	}
}

func TestManyAtOnceWithOneKeyMakeOneRecord(t *testing.T) {
	w := start(t, func(r *rest.Resource[*parcel]) { r.ListsIdempotency = true })
	body := w.body(`"label":"L"`)
	replies := make([]reply, 16)
	var all sync.WaitGroup
	for i := range replies {
		all.Go(func() { replies[i] = w.send("POST", "/parcel", body, "Idempotency-Key", "k") })
	}
	all.Wait()
	var statuses []int
	for _, r := range replies {
		statuses = append(statuses, r.Code)
		if r.text("id") != replies[0].text("id") {
			t.Errorf("two records: %s and %s", r.Body, replies[0].Body)
		}
	}
	slices.Sort(statuses)
	if statuses[14] != 200 || statuses[15] != 201 {
		t.Errorf("statuses %v, want one 201 and 200 for the others", statuses)
	}
}

func TestAKeyOfAnActionIsRememberedWhateverCameAfter(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	scan := func(status int, body, key string) reply {
		t.Helper()
		return w.do(status, "POST", path+"/scan", body, "Idempotency-Key", key)
	}
	for i := range 12 {
		scan(200, "", fmt.Sprint("key ", i))
	}
	w.do(200, "PUT", path, w.body(""))
	for i := range 12 {
		if r := scan(200, "", fmt.Sprint("key ", i)); r.Header().Get("Idempotency-Replayed") != "true" ||
			r.Header().Get("ETag") != `"14"` {
			t.Errorf("key %d: %v", i, r.Header())
		}
		w.wants(scan(422, `{"other":1}`, fmt.Sprint("key ", i)), problem.KeyReused)
	}
	// A key that is forgotten can be used again; then its later use counts.
	w.pass(25 * time.Hour)
	scan(200, `{"other":1}`, "key 3")
	scan(200, "", "key 4")
	if r := scan(200, `{"other":1}`, "key 3"); r.Header().Get("ETag") != `"16"` {
		t.Errorf("a key that was used again: %v", r.Header())
	}
	w.wants(scan(422, "", "key 3"), problem.KeyReused)
}

func TestManyAtOnceWithOneKeyChangeARecordOnce(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	var all sync.WaitGroup
	for i := range 48 {
		all.Go(func() {
			key := "the same"
			if i%3 == 0 {
				key = fmt.Sprint("another ", i)
			}
			if r := w.send("POST", path+"/scan", "", "Idempotency-Key", key); r.Code != http.StatusOK {
				t.Errorf("%d %s", r.Code, r.Body)
			}
		})
	}
	all.Wait()
	if events := w.pages("/x/history" + path); len(events) != 1+16+1 {
		t.Errorf("%d events, want the creation, 16 scans with own keys and 1 with the shared one", len(events))
	}
}
