package desk_test

import (
	"fmt"
	"testing"
)

// TestEvents does all that is an event of the desk, and reads its log of changes: each has one entry, in order.
func TestEvents(t *testing.T) {
	w, s := bookOfNovember(t, 1)
	december := "/x/bordereau/C/premium/2026-12"
	digest := s.Must(200, "GET", november+"/versions/1", "").Member("digest")
	for range 2 { // what is said again has no event of its own
		s.Must(200, "POST", november+"/versions/1:acknowledge", `{"digest":"`+digest+`"}`, caller, "carl")
	}
	w.policies["Q"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "", "in force"} // an error: nobody is insured
	w.record("Q", "new policy", 5, "")
	w.until(t, "2027-01-01T00:01:00Z")
	s.Must(201, "POST", december+":prepare", `{"type":"original"}`, caller, "anna")
	finding := s.Must(200, "GET", december+"/versions/1/findings", "").
		Body["findings"].([]any)[0].(map[string]any)["id"].(string)
	for _, reason := range []string{"known", "known to both"} {
		s.Must(200, "POST", december+"/versions/1/findings/"+finding+":waive", `{"reason":"`+reason+`"}`, caller, "carl")
	}
	s.Must(200, "POST", december+"/versions/1:reject", `{"reason":"wrong"}`, caller, "bob")
	s.Must(200, "PUT", profiles+"own", `{`+plain+`,`+ownColumns+`}`)
	export := s.Must(200, "GET", november+"/versions/1/lines.csv", "").Text
	run, _ := compared(t, s, send(t, s, "own", "text/csv", export).ID, "")

	of := func(version int, kind, status, href string) string {
		return fmt.Sprintf("%d %s %s %s", version, kind, status, href)
	}
	first, second := november+"/versions/1", december+"/versions/1"
	want := []string{
		of(1, "bordereau.prepared", "pending", first), of(2, "bordereau.approved", "approved", first),
		of(3, "bordereau.acknowledged", "approved", first), of(4, "bordereau.prepared", "pending", second),
		of(5, "bordereau.waived", "pending", second), of(6, "bordereau.waived", "pending", second),
		of(7, "bordereau.rejected", "rejected", second),
		of(1, "reconciliation.finished", "", runs+"/"+run.ID),
	}
	var page struct {
		Changes []struct {
			Resource string `json:"resource"`
			Type     string `json:"type"`
			Status   string `json:"status"`
			Href     string `json:"href"`
			Version  int    `json:"version"`
		} `json:"changes"`
	}
	read(t, s.Must(200, "GET", "/internal/changes/oldest", ""), &page)
	var got []string
	for _, c := range page.Changes {
		got = append(got, of(c.Version, c.Resource+"."+c.Type, c.Status, c.Href))
		s.Must(200, "GET", c.Href, "")
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("events\n%q\nwant\n%q", got, want)
	}
}

// TestEventsOfARefusedRequest asks for what is refused: nothing is logged.
func TestEventsOfARefusedRequest(t *testing.T) {
	_, s := bookOfNovember(t, 1)
	end := func() string { return s.Must(200, "GET", "/internal/changes/now", "").Member("next") }
	before := end()
	for _, request := range [][3]string{
		{"409", "POST " + november + ":prepare", `{"type":"original"}`},
		{"409", "POST " + november + "/versions/1:reject", `{"reason":"late"}`},
		{"409", "POST " + november + "/versions/1:acknowledge", `{"digest":"0"}`},
		{"400", "POST " + runs, `{"statement":"0195a000-0000-7000-8000-000000000001","against":{"contract":"C",
			"kind":"premium","period":"2026-11"}}`},
	} {
		var status int
		var method, path string
		_, _ = fmt.Sscan(request[0]+" "+request[1], &status, &method, &path)
		s.Must(status, method, path, request[2])
	}
	if after := end(); after != before {
		t.Errorf("the log was at %s and is at %s", before, after)
	}
}
