package coverage_test

import (
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
)

// replacing creates a policy of the cyber line with a member replaces.
func replacing(s *servicetest.Service, status int, replaces string) servicetest.Response {
	l := lines[cyberLine]
	body := strings.Replace(l.body, "{object}", s.Create(l.object, l.objectBody), 1)
	return s.Must(status, "POST", "/"+l.name, `{"policyholderId":"`+holder+`","replaces":`+replaces+`,`+body+`}`)
}

// TestAPolicyReplacesAnother creates policies in place of one that was void from the beginning. Both say so, the one
// that was replaced is as it was, and neither a correction nor a renewal changes what replaces what.
func TestAPolicyReplacesAnother(t *testing.T) {
	s := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"))
	path, number := policy(t, s, 0)
	s.Must(200, "POST", path+":cancel", `{"effectiveDate":"2026-01-01T00:00:00Z"}`)
	was := s.Must(200, "GET", path, "").Text
	first, second := replacing(s, 201, `"`+number+`"`), replacing(s, 201, `"`+number+`"`)
	whole := func(of string) servicetest.Response { return s.Must(200, "GET", "/internal/policy-records/"+of, "") }
	check := func() {
		t.Helper()
		if a := whole(number); !strings.Contains(a.Text, `"replacedBy":["`+first.Member("policyNumber")+`","`+
			second.Member("policyNumber")+`"]`) {
			t.Errorf("what was replaced says %s", a.Text)
		}
		if a := whole(first.Member("policyNumber")); a.Member("replaces") != number {
			t.Errorf("what replaces it says %s", a.Text)
		}
	}
	check()
	if a := s.Must(200, "GET", path, ""); a.Text != was {
		t.Errorf("the policy that was replaced is %s", a.Text)
	}
	replacement := "/cyberLiabilityCoverage/" + first.Member("id")
	body := s.Must(200, "GET", replacement, "").Text
	for _, sent := range []string{strings.Replace(body, `"replaces":"`+number+`",`, "", 1),
		strings.Replace(body, number, "POL-NONE", 1), strings.Replace(body, `"`+number+`"`, "7", 1)} {
		if a := s.Must(200, "PUT", replacement, sent); a.Member("replaces") != number {
			t.Errorf("after a correction it replaces %s", a.Text)
		}
		check()
	}
	s.Must(400, "POST", replacement+":endorse", `{"endorsementType":"addition","replaces":"POL-NONE"}`)
	renewed := s.Must(201, "POST", replacement+":renew", "")
	if a := whole(renewed.Member("policyNumber")); strings.Contains(renewed.Text, "replaces") ||
		a.Member("replaces") != "" {
		t.Errorf("the renewal is %s, and what belongs to it %s", renewed.Text, a.Text)
	}
	check()
	// What is sent later for a policy that replaces none is a member like any other, and means nothing.
	other, otherNumber := policy(t, s, cyberLine)
	was = s.Must(200, "GET", other, "").Text
	for _, sent := range []string{`"` + number + `"`, `"POL-NONE"`, "7"} {
		a := s.Must(200, "PUT", other, strings.Replace(was, "{", `{"replaces":`+sent+`,`, 1))
		if is := whole(otherNumber); !strings.Contains(a.Text, `"replaces":`+sent) || is.Member("replaces") != "" {
			t.Errorf("a correction with %s returns %s, and the policy says %s", sent, a.Text, is.Text)
		}
		check()
	}
	for replaces, problem := range map[string]string{
		`"POL-NONE"`: "policy-not-found", `""`: "policy-not-found", "7": "invalid-field",
		`["` + number + `"]`: "invalid-field",
	} {
		status := map[string]int{"policy-not-found": 404, "invalid-field": 400}[problem]
		if a := replacing(s, status, replaces); a.Member("type") != "/problems/"+problem ||
			!strings.Contains(a.Text, `"pointer":"/replaces"`) {
			t.Errorf("replaces %s is %s", replaces, a.Text)
		}
	}
}
