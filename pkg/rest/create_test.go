package rest_test

import (
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

func TestCreationIssuesWhatIsTheExchanges(t *testing.T) {
	w := start(t, nil)
	r := w.do(201, "POST", "/parcel",
		w.body(`"id":"7","number":"mine","state":"delivered","scans":["mine"],"sender":"Bo","extra":1.50`))
	if r.text("number") == "mine" || r.text("state") != "stored" || r.body["scans"] != nil || r.text("id") == "7" {
		t.Errorf("members of the exchange were taken from the body: %s", r.Body)
	}
	if r.text("sender") != "Bo" || r.text("status") != "stored" || !strings.Contains(r.Body.String(), `"extra":1.50`) {
		t.Errorf("members are lacking: %s", r.Body)
	}
	if r.Header().Get("Location") != "/parcel/"+r.text("id") || r.Header().Get("ETag") != `"1"` {
		t.Errorf("headers %v", r.Header())
	}
	read := w.do(200, "GET", "/parcel/"+r.text("id"), "")
	if read.text("number") != r.text("number") || read.body["status"] != nil {
		t.Errorf("read %s after %s", read.Body, r.Body)
	}
}

func TestTheFirstFailingCheckDecides(t *testing.T) {
	w := start(t, nil)
	ghent, nowhere := w.depot("Ghent"), w.depot("Nowhere")
	w.do(201, "POST", "/parcel", w.body(`"label":"taken"`))
	for _, c := range []struct {
		body     string
		kind     problem.Kind
		pointers []string
	}{
		{`{"weight":0,"label":"taken"}`, problem.Required, []string{"/depotId"}},
		{`{"depot":null,"weight":0}`, problem.Required, []string{"/depot"}},
		{`{"depot":"","weight":0}`, problem.Required, []string{"/depot"}},
		{`{"depot":"no-id","weight":0}`, unknownDepot, []string{"/depot"}},
		{`{"depotId":"` + nowhere + `","weight":0}`, closedDepot, []string{"/depotId"}},
		{`{"depot":"` + ghent + `","weight":0,"label":"taken"}`, labelTaken, nil},
		{`{"depot":"` + ghent + `"}`, problem.Required, []string{"/weight"}},
		{`{"depot":"` + ghent + `","weight":0}`, tooLight, []string{"/weight"}},
		{`{"depot":"` + ghent + `","weight":1,"size":"huge","marks":["urgent","blue"]}`, problem.Invalid,
			[]string{"/size", "/marks/1", "/contents"}},
		{`{"depot":"` + ghent + `","weight":"heavy","size":7}`, problem.Invalid, []string{"/weight", "/size"}},
		{`{"depot":1,"depot":2}`, problem.Malformed, []string{"/depot"}},
	} {
		r := w.do(c.kind.Status(), "POST", "/parcel", c.body)
		w.wants(r, c.kind, c.pointers...)
	}
	if r := w.do(200, "GET", "/parcel", ""); strings.Count(r.Body.String(), `"id"`) != 1 {
		t.Errorf("a refused request wrote a record: %s", r.Body)
	}
}

func TestAFactIsLoadedOnceByTheFirstCheckThatNeedsIt(t *testing.T) {
	w := start(t, nil)
	w.parcel("")
	if w.loads != 1 {
		t.Errorf("two checks loaded the fact %d times", w.loads)
	}
	// Without the check that used to come first, the second one loads the fact itself.
	w = start(t, func(r *rest.Resource[*parcel]) { r.Checks = r.Checks[1:] })
	nowhere := w.depot("Nowhere")
	w.wants(w.do(409, "POST", "/parcel", `{"depot":"`+nowhere+`","weight":1,"contents":"x"}`), closedDepot, "/depot")
	w.wants(w.do(404, "POST", "/parcel", `{"depot":"no-id","weight":1,"contents":"x"}`), unknownDepot, "/depot")
}

func TestWarningsComeWithTheRecord(t *testing.T) {
	w := start(t, nil)
	r := w.do(201, "POST", "/parcel", `{"depot":"`+w.depot("Ghent")+`","measures":{"weight":500},"contents":"lead"}`)
	if !strings.Contains(r.Body.String(), `"warnings":[{"type":"heavy"`) {
		t.Errorf("no warning in %s", r.Body)
	}
	// What a response carries besides the record may be sent back.
	id := r.text("id")
	back := `{"depot":"` + r.text("depot") + `","weight":500,"contents":"lead","warnings":[{"type":"heavy"}]}`
	if r := w.do(200, "PUT", "/parcel/"+id, back); strings.Contains(r.Body.String(), "warnings") {
		t.Errorf("warnings became part of the record: %s", r.Body)
	}
}

func TestAnIssuedValueThatIsTakenIsIssuedAnew(t *testing.T) {
	w := start(t, nil)
	first := w.do(201, "POST", "/parcel", w.body(""))
	second := w.do(201, "POST", "/parcel", w.body(""))
	if first.text("number") != "P1" || second.text("number") != "P2" {
		t.Errorf("numbers %s and %s", first.text("number"), second.text("number"))
	}
}

func TestACallersValueThatIsTakenIsRefusedByTheIndex(t *testing.T) {
	// Without the check, the index alone decides.
	w := start(t, func(r *rest.Resource[*parcel]) { r.Checks = slices.Delete(r.Checks, 2, 3) })
	holder := w.do(201, "POST", "/parcel", w.body(`"label":"L"`))
	r := w.do(409, "POST", "/parcel", w.body(`"label":"L"`))
	w.wants(r, labelTaken)
	if r.text("existingId") != holder.text("id") {
		t.Errorf("existingId %s, want %s", r.text("existingId"), holder.text("id"))
	}
	other := w.parcel(`"label":"M"`)
	w.wants(w.do(409, "PUT", other, w.body(`"label":"L"`)), labelTaken)
}

func TestAStoreThatFailsIsAnOutage(t *testing.T) {
	w := start(t, nil)
	body := w.body("")
	w.store.insert = once(errDown, false)
	r := w.do(503, "POST", "/parcel", body)
	if r.Header().Get("Retry-After") == "" || strings.Contains(r.Body.String(), "down") {
		t.Errorf("headers %v, body %s", r.Header(), r.Body)
	}
	w.store.insert = once(errOdd, false)
	if r := w.do(500, "POST", "/parcel", body); strings.Contains(r.Body.String(), "foresaw") {
		t.Errorf("an internal message reached the caller: %s", r.Body)
	}
	w.store.find = errDown
	w.do(503, "GET", "/parcel", "")
	w.store.find = nil
	if r := w.do(200, "GET", "/parcel", ""); r.Body.String() != "[]" {
		t.Errorf("a failed creation left %s", r.Body)
	}
}

func TestRefusalsAreCounted(t *testing.T) {
	w := start(t, nil)
	w.do(404, "POST", "/parcel", `{"depot":"no-id"}`)
	w.do(400, "POST", "/parcel", `{"depot":"`+w.depot("Ghent")+`"}`)
	want := []string{
		"parcel: depot does not exist: unknown-depot", "parcel: weight is not above 0: required-fields-missing",
	}
	if !slices.Equal(w.refused, want) {
		t.Errorf("counted %q, want %q", w.refused, want)
	}
}

func TestDryRunReportsEveryOutcome(t *testing.T) {
	w := start(t, nil)
	r := w.do(200, "POST", "/x/parcel/check", `{"depot":"no-id","weight":0}`)
	want := `"checks":[` +
		`{"check":"depot does not exist","outcome":"failed","status":404,"problem":"/problems/unknown-depot","title":"unknown-depot","errors":[{"pointer":"/depot","reason":"names no depot"}]},` +
		`{"check":"depot is closed","outcome":"not evaluated"},` +
		`{"check":"label is taken","outcome":"passed"},` +
		`{"check":"weight is not above 0","outcome":"failed","status":400,`
	if text := r.Body.String(); !strings.Contains(text, want) || !strings.HasPrefix(text, `{"admissible":false,`) {
		t.Errorf("verdict %s\nwant %s", text, want)
	}
	r = w.do(200, "POST", "/x/parcel/check", w.body(""))
	if r.body["admissible"] != true || !strings.Contains(r.Body.String(), `"facts":{"depot":{"id":`) {
		t.Errorf("verdict %s", r.Body)
	}
	if r := w.do(200, "GET", "/parcel", ""); r.Body.String() != "[]" {
		t.Errorf("a dry run wrote %s", r.Body)
	}
	w.store.find = errDown
	w.do(503, "POST", "/x/parcel/check", w.body(`"label":"L"`))
}
