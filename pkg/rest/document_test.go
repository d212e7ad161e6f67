package rest_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/problem"
)

// TestAProblemDocumentStaysSmall sends what would fill a problem document if it repeated it: very many violations,
// and very long names and values in every part of a request.
func TestAProblemDocumentStaysSmall(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	long := strings.Repeat(`<"\u0001é`, 4_000) // it grows when it is escaped
	name, err := json.Marshal(long)
	if err != nil {
		t.Fatal(err)
	}
	many := func(length int, element string) string {
		return "[" + strings.Repeat(element+",", length-1) + element + "]"
	}
	var filters []string
	for nth := range 40 {
		filters = append(filters, url.QueryEscape(strings.Repeat("<", 1_000)+strings.Repeat("x", nth))+"=1")
	}
	for what, r := range map[string]reply{
		"wrong types":              w.send("POST", "/parcel", `{"marks":`+many(10_000, "7")+`}`),
		"too many elements":        w.send("POST", "/parcel", `{"marks":`+many(500_000, "7")+`}`),
		"wrong values":             w.send("POST", "/parcel", w.body(`"marks":`+many(10_000, `"x"`))),
		"long wrong value":         w.send("POST", "/parcel", w.body(`"size":`+string(name))),
		"long name twice":          w.send("POST", "/parcel", `{`+string(name)+`:1,`+string(name)+`:2}`),
		"long name of a wrong end": w.send("POST", "/parcel", `{`+string(name)+`:`),
		"long reference":           w.send("POST", "/parcel", `{"depot":`+string(name)+`}`),
		"long id":                  w.send("GET", "/parcel/"+url.PathEscape(long), ""),
		"long action":              w.send("POST", path+":"+url.PathEscape(long), ""),
		"long filter":              w.send("GET", "/parcel?"+url.QueryEscape(long)+"=1", ""),
		"many filters":             w.send("GET", "/parcel?"+strings.Repeat("colour=1&size=2&", 2_000), ""),
		"many long filters":        w.send("GET", "/parcel?"+strings.Join(filters, "&"), ""),
		"long cursor":              w.send("GET", "/parcel?cursor="+url.QueryEscape(long), ""),
		"long key":                 w.send("POST", "/parcel", w.body(""), "Idempotency-Key", long),
		"long precondition":        w.send("PUT", path, w.body(""), "If-Match", `"`+strings.Repeat("x", 30_000)+`"`),
		"long media type":          w.send("POST", "/parcel", w.body(""), "Content-Type", strings.Repeat("x", 30_000)),
	} {
		var document struct{ Type string }
		if err := json.Unmarshal(r.Body.Bytes(), &document); err != nil || r.Code < 400 || r.Code >= 500 ||
			!strings.HasPrefix(document.Type, "/problems/") {
			t.Errorf("%s: status %d, %.200s, %v", what, r.Code, r.Body, err)
		}
		if r.Body.Len() > problem.MaxDocument {
			t.Errorf("%s: a document of %d bytes", what, r.Body.Len())
		}
	}
}
