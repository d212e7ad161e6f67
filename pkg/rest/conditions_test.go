package rest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

func TestConditionsOfReadsAndChanges(t *testing.T) {
	w := start(t, nil)
	body := w.body("")
	path := "/parcel/" + w.do(201, "POST", "/parcel", body, "If-None-Match", "*", "If-Match", `"7"`).text("id")
	tag := w.do(200, "GET", path, "").Header().Get("ETag")
	for _, known := range []string{"*", tag, "W/" + tag} {
		w.wants(w.do(412, "PUT", path, body, "If-None-Match", known), problem.Changed)
		for _, action := range []string{":hold", ":return", "/scan"} {
			w.wants(w.do(412, "POST", path+action, "", "If-None-Match", known), problem.Changed)
		}
		w.do(304, "GET", path, "", "If-None-Match", known)
	}
	for _, method := range []string{"GET", "HEAD"} {
		w.do(412, method, path, "", "If-Match", `"7"`)
		w.do(412, method, path, "", "If-Match", "W/"+tag+`, "7"`)
		w.do(400, method, path, "", "If-Match", "W/"+tag)
		w.do(200, method, path, "", "If-None-Match", "1")
		w.do(200, method, path, "", "If-Match", tag)
		w.do(200, method, path, "", "If-Match", "*")
		// If-Match is judged first.
		w.do(412, method, path, "", "If-Match", `"7"`, "If-None-Match", tag)
		w.do(304, method, path, "", "If-Match", tag, "If-None-Match", tag)
	}
	if now := w.do(200, "GET", path, "").Header().Get("ETag"); now != tag {
		t.Errorf("a refused request changed the ETag from %s to %s", tag, now)
	}
	for _, none := range []string{"1", strings.Trim(tag, `"`), ""} {
		w.wants(w.do(400, "PUT", path, body, "If-Match", none), problem.BadHeader, "")
		w.wants(w.do(400, "PUT", path, body, "If-None-Match", none), problem.BadHeader, "")
		w.wants(w.do(400, "POST", path+":hold", "", "If-Match", none), problem.BadHeader, "")
	}
	weak := w.do(400, "PUT", path, body, "If-Match", "W/"+tag)
	if w.wants(weak, problem.BadHeader, ""); !strings.Contains(weak.text("detail"), "A proxy has weakened the ETag") {
		t.Errorf("a weak tag: %s", weak.Body)
	}
	if now := w.do(200, "GET", path, "").Header().Get("ETag"); now != tag {
		t.Errorf("a request without a tag changed the ETag from %s to %s", tag, now)
	}
	w.do(404, "PUT", "/parcel/none", body, "If-None-Match", "*")
	w.do(200, "PUT", path, body, "If-None-Match", `"7"`)
}

func TestWritesTakeNoParameters(t *testing.T) {
	w := start(t, nil)
	body := w.body("")
	path := w.parcel("")
	for _, query := range []string{"?dryRun=true", "?limit=1", "?%zz"} {
		for _, r := range []reply{
			w.do(400, "POST", "/parcel"+query, body), w.do(400, "PUT", path+query, body),
			w.do(400, "POST", path+":hold"+query, ""), w.do(400, "POST", "/x/parcel/check"+query, body),
		} {
			if r.text("type") != problem.URI(problem.BadParameter) {
				t.Errorf("%s: %s", query, r.Body)
			}
		}
	}
	if r := w.do(200, "GET", "/parcel", ""); strings.Count(r.Body.String(), `"id"`) != 1 {
		t.Errorf("a refused request made a record: %s", r.Body)
	}
}

func TestContentTypeIsSentOnce(t *testing.T) {
	w := start(t, nil)
	req := httptest.NewRequest(http.MethodPost, "/parcel", strings.NewReader(w.body("")))
	req.Header["Content-Type"] = []string{"application/json", "text/plain"}
	r := httptest.NewRecorder()
	w.handler.ServeHTTP(r, req)
	if r.Code != 400 || !strings.Contains(r.Body.String(), problem.URI(problem.BadHeader)) {
		t.Errorf("%d %s", r.Code, r.Body)
	}
}

func TestNoCacheKeepsARecord(t *testing.T) {
	w := start(t, nil)
	made := w.do(201, "POST", "/parcel", w.body(""))
	path := "/parcel/" + made.text("id")
	tag := made.Header().Get("ETag")
	for _, r := range []reply{
		made, w.do(200, "GET", path, ""), w.do(304, "GET", path, "", "If-None-Match", tag),
		w.do(200, "GET", "/parcel", ""), w.do(200, "PUT", path, w.body("")), w.do(200, "POST", path+":hold", ""),
		w.do(200, "GET", "/x/history"+path, ""), w.do(404, "GET", path+"0", ""),
	} {
		header := r.Header()
		if header.Get("Cache-Control") != "no-store" ||
			r.Code != http.StatusNotModified && header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%d: %v", r.Code, header)
		}
	}
}

func TestDryRunNamesAFaultOnce(t *testing.T) {
	w := start(t, func(r *rest.Resource[*parcel]) { r.Checks[4].Requires = []string{"weight"} })
	r := w.do(200, "POST", "/x/parcel/check", `{"depot":"`+w.depot("Ghent")+`","contents":"books"}`)
	if strings.Count(r.Body.String(), `"/weight"`) != 1 || r.body["admissible"] != false {
		t.Errorf("%s", r.Body)
	}
}
