package coverage_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
)

// part returns the ids of the records in a part of a policy, and whether there are more.
func part(t *testing.T, a servicetest.Response, name string) (ids []string, more bool) {
	t.Helper()
	of, is := a.Body[name].(map[string]any)
	if !is {
		t.Fatalf("there is no %s in %s", name, a.Text)
	}
	for _, r := range of["records"].([]any) {
		ids = append(ids, r.(map[string]any)["id"].(string))
	}
	return ids, of["more"].(bool)
}

func idOf(path string) string { return path[strings.LastIndex(path, "/")+1:] }

// TestAPolicyKnowsItsRenewals renews each line three times, one of the renewals twice, and changes what is renewed.
func TestAPolicyKnowsItsRenewals(t *testing.T) {
	s := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"))
	for line, l := range lines {
		path, _ := policy(t, s, line)
		if l.name == "travelCoverage" {
			continue
		}
		ids, numbers := []string{idOf(path)}, []string{}
		for _, of := range []int{0, 1, 1, 2} {
			a := s.Must(201, "POST", "/"+l.name+"/"+strings.ToUpper(ids[of])+":renew", "")
			ids, numbers = append(ids, a.Member("id")), append(numbers, a.Member("policyNumber"))
			s.Must(200, "POST", "/"+l.name+"/"+a.Member("id")+":endorse", `{"endorsementType":"addition","more":1}`)
		}
		a := s.Must(200, "GET", "/internal/policy-records/"+numbers[0], "")
		before, _ := part(t, a, "renewalsBefore")
		after, _ := part(t, a, "renewalsAfter")
		if !slices.Equal(before, ids[:1]) || !slices.Equal(after, ids[2:]) {
			t.Errorf("%s: before %v, after %v, want %v and %v", l.name, before, after, ids[:1], ids[2:])
		}
		a = s.Must(200, "GET", "/internal/policy-records/"+numbers[3]+"?part=renewalsBefore&skip=1", "")
		if before, _ = part(t, a, "renewalsBefore"); !slices.Equal(before, []string{ids[1], ids[0]}) {
			t.Errorf("%s: before the second %v", l.name, before)
		}
	}
}

// TestLongPartsOfAPolicyEnd reads what a policy of 120 travellers covers, part after part.
func TestLongPartsOfAPolicyEnd(t *testing.T) {
	s := start(t, nil)
	var ids []string
	for i := range 120 {
		ids = append(ids, s.Create("traveller", fmt.Sprintf(`{"firstName":"T%d"}`, i)))
	}
	a := s.Must(201, "POST", "/travelCoverage", `{"policyholderId":"`+holder+`","isGroup":true,"destination":826,`+
		`"travellerIds":["`+strings.Join(ids, `","`)+`"]}`)
	path := "/internal/policy-records/" + a.Member("policyNumber")
	var read []string
	for more := true; more; {
		var some []string
		a := s.Must(200, "GET", fmt.Sprintf("%s?part=insured&skip=%d", path, len(read)), "")
		if some, more = part(t, a, "insured"); len(some) > 50 || a.Body["renewalsAfter"] != nil {
			t.Fatalf("%d records: %.200s", len(some), a.Text)
		}
		read = append(read, some...)
	}
	if !slices.Equal(read, ids) {
		t.Errorf("read %d travellers, want %d", len(read), len(ids))
	}
	for query, status := range map[string]int{"?part=rows": 400, "?skip=1": 400, "?part=insured&skip=10001": 400,
		"?part=insured&skip=200": 200} {
		s.Must(status, "GET", path+query, "")
	}
	if a := s.Must(404, "GET", "/internal/policy-records/POL-NONE", ""); a.Member("type") !=
		"/problems/policy-not-found" {
		t.Error(a.Text)
	}
}

// TestATrialKnowsWhatIsToBeWritten tries creations that refer to each other, and to a party that is assumed.
func TestATrialKnowsWhatIsToBeWritten(t *testing.T) {
	s := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"))
	body := func(licence string) string {
		return `{"operations":[
		{"ref":"v","resource":"vehicle","key":"k#0","body":{"vin":"V1"}},
		{"ref":"d","resource":"driver","key":"k#1","body":{"licence":{"expiryDate":"` + licence + `"}}},
		{"ref":"c","resource":"motorCoverage","key":"k#2","body":{"policyholderId":"@p.id","vehicleId":"@v.id",
			"driverId":"@d.id","perils":["fire"],` + term + `}}],
		"known":{"p":{"id":"01930000-0000-7000-8000-000000000002"}},
		"assumed":{"/internal/party/01930000-0000-7000-8000-000000000002":{"id":"x","resource":"personal"}}}`
	}
	a := s.Must(200, "POST", "/internal/trial", body("2050-01-01"))
	if strings.Count(a.Text, `"outcome":"admissible"`) != 3 || !strings.Contains(a.Text, `"/internal/policy/POL-`) ||
		!strings.Contains(a.Text, `"covers":["fire"]`) {
		t.Error(a.Text)
	}
	a = s.Must(200, "POST", "/internal/trial", body("2026-05-31"))
	if strings.Count(a.Text, `"outcome":"refused"`) != 1 ||
		!strings.Contains(a.Text, `"problem":"/problems/driver-licence-expired-or-missing"`) {
		t.Error(a.Text)
	}
	a = s.Must(200, "POST", "/internal/trial", strings.Replace(body("2050-01-01"), `"known":{"p"`, `"known":{"q"`, 1))
	if !strings.Contains(a.Text, `{"outcome":"untried"}`) {
		t.Error(a.Text)
	}
	for _, resource := range []string{"vehicle", "driver", "motorCoverage"} {
		if list := s.Must(200, "GET", "/"+resource, ""); list.Text != "[]" {
			t.Errorf("the trials wrote %s", list.Text)
		}
	}
	// What the key has made is found again, and nothing else is made with it.
	made := s.Must(201, "POST", "/vehicle", `{"vin":"V1"}`, "Idempotency-Key", "k#0").Member("id")
	a = s.Must(200, "POST", "/internal/trial", body("2050-01-01"))
	if !strings.Contains(a.Text, `{"outcome":"made","values":{"id":"`+made+`"}}`) {
		t.Error(a.Text)
	}
	a = s.Must(200, "POST", "/internal/trial", strings.Replace(body("2050-01-01"), `"V1"`, `"V2"`, 1))
	if !strings.Contains(a.Text, `"status":422,"problem":"/problems/idempotency-key-reused"`) {
		t.Error(a.Text)
	}
	s.Must(404, "POST", "/internal/trial", `{"operations":[{"resource":"claim","key":"k","body":{}}]}`)
	s.Must(400, "POST", "/internal/trial", `{"operations":7}`)
	s.Must(http.StatusBadRequest, "POST", "/internal/trial?x=1", body("2050-01-01"))
}
