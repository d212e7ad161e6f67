package rest_test

import (
	"strings"
	"testing"

	"insurance.example/exchange/pkg/problem"
)

const composed, decomposed = "caf\u00e9-1", "cafe\u0301-1"

func TestIdentityValuesAreComparedInOneForm(t *testing.T) {
	for _, forms := range [][2]string{{composed, decomposed}, {decomposed, composed}, {decomposed, decomposed}} {
		w := start(t, nil)
		first := w.do(201, "POST", "/parcel", w.body(`"label":"`+forms[0]+`"`))
		if first.text("label") != forms[0] {
			t.Errorf("%q is returned as %q", forms[0], first.text("label"))
		}
		second := w.body(`"label":"` + forms[1] + `"`)
		if r := w.do(409, "POST", "/parcel", second); r.text("existingId") != first.text("id") {
			t.Errorf("%s", r.Body)
		}
		w.do(409, "PUT", w.parcel(""), second)
		w.do(200, "PUT", "/parcel/"+first.text("id"), second)
		list := w.do(200, "GET", "/parcel?label="+strings.ReplaceAll(forms[0], "\u0301", "%CC%81"), "")
		if !strings.Contains(list.Body.String(), first.text("id")) {
			t.Errorf("the filter finds %s", list.Body)
		}
	}
}

func TestIdentityValuesHoldNothingInvisible(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	for _, bad := range []string{
		" L", "L ", "\u00a0L", "L\u3000", " ", "L\\t1", "\\u0000L", "L\u200bM", "\ufeffL",
		"L\u00adM", "L\u202eM", "L\u2028M",
		"L\ufe0f", "L\u034fM", "\u3164", "L\u0085M",
	} {
		body := w.body(`"label":"` + bad + `"`)
		w.wants(w.do(400, "POST", "/parcel", body), problem.Invalid, "/label")
		w.wants(w.do(400, "PUT", path, body), problem.Invalid, "/label")
		w.wants(w.do(400, "POST", path+":amend", body), problem.Invalid, "/label")
	}
	for _, good := range []string{"A B 1", "\u00e9\u4e2d", "a/b-c.d"} {
		w.do(201, "POST", "/parcel", w.body(`"label":"`+good+`"`))
	}
	body := strings.Replace(w.body(""), "books", " x\u200b ", 1)
	if r := w.do(201, "POST", "/parcel", body); r.text("contents") == "" {
		t.Errorf("%s", r.Body)
	}
}
