package rest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// meant returns the details of the warnings of a response.
func (r reply) meant() string {
	var all []string
	warnings, _ := r.body["warnings"].([]any)
	for _, w := range warnings {
		warning, _ := w.(map[string]any)
		all = append(all, fmt.Sprint(warning["detail"]))
	}
	return strings.Join(all, " ")
}

func TestAMisspeltMemberIsAWarning(t *testing.T) {
	w := start(t, nil)
	for sent, meant := range map[string]string{
		"Label": "label", "lable": "label", "markz": "marks", "CONTENTS": "contents", "depotID": "depotId",
		"measure": "measures", "meazurez": "measures", "x-more": "", "marking": "", "warning": "", "sizes": "size",
		"sises": "", "id2": "id", "idea": "",
	} {
		want := ""
		if meant != "" {
			want = "No field is named " + sent + ". Is " + meant + " meant?"
		}
		member := `"` + sent + `":null`
		path := "/parcel/"
		r := w.do(201, "POST", "/parcel", w.body(member))
		path += r.text("id")
		for _, r := range []reply{
			r, w.do(200, "PUT", path, w.body(member)), w.do(200, "POST", path+":amend", w.body(member)),
			w.do(200, "POST", "/x/parcel/check", w.body(member)),
		} {
			if r.meant() != want {
				t.Errorf("%s: warned %q, want %q", sent, r.meant(), want)
			}
		}
	}
	path := w.parcel("")
	// What is sent back is not stored.
	w.do(200, "PUT", path, w.body(`"warnings":[1]`))
	if r := w.do(200, "GET", path, ""); r.body["warnings"] != nil {
		t.Errorf("stored %s", r.Body)
	}
}

// violations returns the violations of a refusal: of each the pointer and the reason.
func (r reply) violations() string {
	var all []string
	for _, v := range r.body["errors"].([]any) {
		all = append(all, fmt.Sprint(v.(map[string]any)["pointer"], " ", v.(map[string]any)["reason"]))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// TestAnActionHasNoOtherMembers sends actions members that they do not have: the record stays as it was.
func TestAnActionHasNoOtherMembers(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	was := w.do(200, "GET", path, "").Body.String()
	for _, sent := range []struct{ action, body, violations string }{
		{":deliver", `{"signature":"S","tip":1,"tips":2}`, "/tips is not known here; is tip meant?"},
		{":deliver", `{"signature":"S","tip":1,"date":null}`, "/date is not known here; the members are signature, tip"},
		{":hold", `{"Other":1,"":2}`,
			"/ is not known here; the members are other /Other is not known here; is other meant?"},
		{"/scan", `{"contents":"books"}`, "/contents is not known here; the members are other"},
		{":amend", `{"contents":"books","signature":"S"}`, "/signature is not known here"},
	} {
		r := w.do(400, "POST", path+sent.action, sent.body)
		w.wants(r, problem.Invalid, r.pointers()...)
		if got := r.violations(); got != sent.violations {
			t.Errorf("%s %s: %s", sent.action, sent.body, got)
		}
	}
	if is := w.do(200, "GET", path, "").Body.String(); is != was {
		t.Errorf("the record was changed: %s", is)
	}
	if r := w.do(200, "POST", path+":amend", `{"x-signature":"S","Signature":"S"}`); r.meant() != "" {
		t.Errorf("an amendment with members of its own: %s", r.Body)
	}
}

// TestWarningsOfOneBodyAreBounded sends thousands of members that are all like a field. Each one that is compared with
// the fields shows in the response: comparing is what takes long.
func TestWarningsOfOneBodyAreBounded(t *testing.T) {
	w := start(t, nil)
	var members strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&members, `,"contents%c%c":0`, 'ぁ'+i/90, 'ぁ'+i%90)
	}
	for prefer, want := range map[string]int{"handling=lenient": 64, "handling=strict": problem.MaxViolations} {
		r := w.send("POST", "/parcel", w.body(members.String()[1:]), "Prefer", prefer)
		if n := strings.Count(r.Body.String(), `meant?"`); n != want {
			t.Errorf("%s: %d members were compared with the fields, want %d", prefer, n, want)
		}
	}
}

func TestStrictHandlingRefusesEveryUnknownMember(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	body := w.body(`"lable":"L","x-more":{"a":1},"measures":{"widht":1,"size":"small"}`)
	for _, prefer := range []string{"handling=strict", `wait=5, Handling = "strict"; x=1`} {
		for _, request := range [][2]string{{"POST", "/parcel"}, {"PUT", path}, {"POST", path + ":amend"},
			{"POST", "/x/parcel/check"}} {
			r := w.do(400, request[0], request[1], body, "Prefer", prefer)
			w.wants(r, problem.Invalid, "/lable", "/x-more", "/measures/widht")
			if r.Header().Get("Preference-Applied") != "handling=strict" ||
				!strings.Contains(r.Body.String(), "is label meant?") {
				t.Errorf("%v %s", r.Header(), r.Body)
			}
		}
	}
	w.wants(w.do(400, "POST", path+":hold", `{"depot":1}`, "Prefer", "handling=strict"), problem.Invalid, "/depot")
	r := w.do(201, "POST", "/parcel", w.body(`"warnings":[],"measures":{"size":"small"}`), "Prefer", "handling=strict")
	if r.Header().Get("Preference-Applied") != "handling=strict" {
		t.Errorf("%v", r.Header())
	}
	r = w.do(201, "POST", "/parcel", w.body(`"x-more":1`), "Prefer", "handling=lenient, handling=strict")
	if r.Header().Get("Preference-Applied") != "" {
		t.Errorf("%v", r.Header())
	}
}

func TestPointersNameWhatIsSent(t *testing.T) {
	w := start(t, nil)
	for body, want := range map[string]string{
		`{"weight":5}`:                 "depotId is required.",
		`{"depot":""}`:                 "depot is required.",
		`{"depotId":""}`:               "depotId is required.",
		`{"depotID":"x"}`:              "depotId is required; depotID was sent.",
		`{"Depot":"x"}`:                "depotId is required; Depot was sent.",
		`{"depotId":"x"}`:              "depotId names no depot.",
		`{"depot":"x","depotId":null}`: "depot names no depot.",
	} {
		r := w.send("POST", "/parcel", body)
		member, _, _ := strings.Cut(want, " ")
		if r.text("detail") != want || len(r.pointers()) != 1 || r.pointers()[0] != "/"+member {
			t.Errorf("%s: %s, want %s", body, r.Body, want)
		}
	}
	// An empty string is not a value of a required member, whatever its type.
	body := strings.Replace(w.body(""), `"weight":5`, `"weight":""`, 1)
	w.wants(w.do(400, "POST", "/parcel", body), problem.Required, "/weight")
	w.wants(w.do(400, "POST", "/parcel", strings.Replace(body, "{", `{"marks":1,`, 1)), problem.Invalid,
		"/marks", "/weight")
	// An action that amends the record, and a merging replacement.
	merging := start(t, func(r *rest.Resource[*parcel]) { r.Merge = true })
	path := merging.parcel("")
	for _, method := range []string{"PUT " + path, "POST " + path + ":amend"} {
		verb, path, _ := strings.Cut(method, " ")
		merging.wants(merging.do(404, verb, path, `{"depotId":"x"}`), unknownDepot, "/depotId")
		merging.wants(merging.do(404, verb, path, `{"depot":"x"}`), unknownDepot, "/depot")
		merging.wants(merging.do(400, verb, path, `{"measures":{"weight":0}}`), tooLight, "/measures/weight")
	}
}
