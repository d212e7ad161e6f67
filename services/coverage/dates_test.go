package coverage_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/servicetest"
)

// cyberLine is the place of cyberLiabilityCoverage in lines.
const cyberLine = 1

// endorsed endorses a policy so that it covers one cause, from an effective date on; "" for none.
func endorsed(s *servicetest.Service, path, effective, scope string) servicetest.Response {
	body := `{"endorsementType":"addition",`
	if effective != "" {
		body += `"effectiveDate":"` + effective + `",`
	}
	return s.Must(http.StatusOK, http.MethodPost, path+":endorse", body+`"scope":["`+scope+`"]}`)
}

// counting returns what claims are judged by at an instant: what the policy with a number covers.
func counting(s *servicetest.Service, number, at string) string {
	a := s.Must(http.StatusOK, http.MethodGet, "/internal/policy/"+number+"?at="+url.QueryEscape(at), "")
	covers, _ := a.Body["covers"].([]any)
	if len(covers) != 1 {
		return a.Text
	}
	return covers[0].(string)
}

// TestAnEndorsementCountsFromItsEffectiveDate endorses a policy with dates, without one and with the same one again,
// corrects it and extends it.
func TestAnEndorsementCountsFromItsEffectiveDate(t *testing.T) {
	clock := servicetest.At(t, "2026-06-01T00:00:00Z")
	s := start(t, clock)
	path, number := policy(t, s, cyberLine)
	want := map[string]string{}
	check := func(what string) {
		t.Helper()
		for at, scope := range want {
			if is := counting(s, number, at); is != scope {
				t.Errorf("%s: at %s the policy covers %s, not %s", what, at, is, scope)
			}
		}
		clock.Pass(time.Hour)
	}
	endorsed(s, path, "", "Breach of privacy")
	want["2026-01-01T00:00:00Z"] = "Breach of privacy"
	check("without a date it counts from the beginning")

	if a := endorsed(s, path, "2026-04-01T00:00:00+02:00", "Business interruption"); !strings.HasSuffix(a.Text,
		`,"effectiveDate":"2026-03-31T22:00:00Z"}`) {
		t.Error(a.Text)
	}
	want["2026-03-31T21:59:59.999999999Z"] = "Breach of privacy"
	want["2026-03-31T22:00:00Z"], want["2026-12-31T00:00:00Z"] = "Business interruption", "Business interruption"
	check("with a date it counts from there")

	if a := endorsed(s, path, "", "Reputational damage"); strings.Contains(a.Text, "effectiveDate") {
		t.Error(a.Text)
	}
	want["2026-03-31T22:00:00Z"], want["2026-12-31T00:00:00Z"] = "Reputational damage", "Reputational damage"
	check("without a date it counts from where the one before does")

	endorsed(s, path, "2026-09-01T00:00:00Z", "Legal and defence costs")
	endorsed(s, path, "2026-09-01T00:00:00Z", "Errors and omissions")
	want["2026-09-01T00:00:00Z"], want["2026-12-31T00:00:00Z"] = "Errors and omissions", "Errors and omissions"
	want["2026-08-31T23:59:59Z"] = "Reputational damage"
	check("of two with one date the later counts")

	whole := s.Must(200, "GET", path, "").Text
	s.Must(200, "PUT", path, strings.Replace(whole, "Errors and omissions", "Professional indemnity", 1))
	want["2026-09-01T00:00:00Z"], want["2026-12-31T00:00:00Z"] = "Professional indemnity", "Professional indemnity"
	check("a replacement counts from where the last endorsement does")

	s.Must(200, "POST", path+":endorse", strings.Replace(extension, "{", `{"scope":["Breach of privacy"],`, 1))
	want["2026-12-31T23:59:59Z"], want["2027-01-01T00:00:00Z"] = "Professional indemnity", "Breach of privacy"
	check("an extension counts from the expiryDate before it")

	if a := s.Must(200, "GET", "/x/history"+path, ""); strings.Count(a.Text,
		`"effectiveDate":"2026-09-01T00:00:00Z","change"`) != 2 ||
		!strings.Contains(a.Text, `"effectiveDate":"2027-01-01T00:00:00Z","change"`) {
		t.Errorf("the history is %s", a.Text)
	}
	if a := s.Must(200, "GET", "/internal/policy-records/"+number, ""); a.Member(
		"effectiveDate") != "2027-01-01T00:00:00Z" {
		t.Errorf("what belongs to the policy is %s", a.Text)
	}
	if a := s.Must(200, "GET", "/internal/changes/oldest?limit=200", ""); !strings.Contains(a.Text,
		`"effectiveDate":"2026-03-31T22:00:00Z"`) {
		t.Errorf("the log of changes is %s", a.Text)
	}
}

// TestAnEffectiveDateThatCannotBe sends dates that no endorsement or cancellation can have. Nothing is written.
func TestAnEffectiveDateThatCannotBe(t *testing.T) {
	s := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"))
	path, _ := policy(t, s, cyberLine)
	endorsed(s, path, "2026-04-01T00:00:00Z", "Breach of privacy")
	const tooEarly, beyond = "2025-12-31T23:59:59.999999999Z", "2027-01-01T00:00:00.000000001Z"
	for _, wrong := range []struct {
		action, date, more, problem string
		status                      int
	}{
		{"cancel", tooEarly, "", "invalid-policy-term", 400}, {"cancel", beyond, "", "invalid-policy-term", 400},
		{"endorse", tooEarly, `,"endorsementType":"addition"`, "invalid-policy-term", 400},
		{"endorse", "2027-01-01T00:00:00Z", `,"endorsementType":"addition"`, "invalid-policy-term", 400},
		{"endorse", "2026-03-31T23:59:59.999999999Z", `,"endorsementType":"addition"`, "out-of-sequence", 409},
		{"endorse", "2026-12-01T00:00:00Z", `,"endorsementType":"policy extension","expiryDate":"2028-01-01T00:00:00Z"`,
			"invalid-field", 400},
		{"endorse", "2026-02-30T00:00:00Z", `,"endorsementType":"addition"`, "invalid-field", 400},
		{"cancel", "tomorrow", "", "invalid-field", 400},
	} {
		was := s.Must(200, "GET", path, "")
		a := s.Must(wrong.status, "POST", path+":"+wrong.action, `{"effectiveDate":"`+wrong.date+`"`+wrong.more+`}`)
		if a.Member("type") != "/problems/"+wrong.problem || !strings.Contains(a.Text, `"pointer":"/effectiveDate"`) {
			t.Errorf(":%s with %s is %s", wrong.action, wrong.date, a.Text)
		}
		if wrong.problem == "out-of-sequence" && (a.Member("effectiveDate") != "2026-04-01T00:00:00Z" ||
			!strings.Contains(a.Text, `"endorsement":2`)) {
			t.Errorf("the refusal does not name the last endorsement: %s", a.Text)
		}
		if is := s.Must(200, "GET", path, ""); is.Text != was.Text || is.Header.Get("ETag") != was.Header.Get("ETag") {
			t.Errorf(":%s with %s has changed the policy to %s", wrong.action, wrong.date, is.Text)
		}
	}
}

// TestCoverEndsAtTheEffectiveDate cancels policies, and lets them lapse, from past, present and future dates.
func TestCoverEndsAtTheEffectiveDate(t *testing.T) {
	const now, inception, expiry = "2026-06-01T00:00:00Z", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"
	const past, future = "2026-02-01T00:00:00Z", "2026-12-01T00:00:00Z"
	for name, of := range map[string]struct{ now, sent, ends, kept string }{
		"in the past":                     {now, past, past, past},
		"in the future":                   {now, future, future, future},
		"void from the beginning":         {now, inception, inception, inception},
		"the end of the term":             {now, expiry, expiry, expiry},
		"now, if it is left out":          {now, "", now, ""},
		"left out before the term begins": {"2025-06-01T00:00:00Z", "", inception, inception},
		"left out after the term":         {"2027-06-01T00:00:00Z", "", expiry, expiry},
		"left out at expiryDate":          {expiry, "", expiry, ""},
	} {
		t.Run(name, func(t *testing.T) {
			clock := servicetest.At(t, of.now)
			s := start(t, clock)
			body := "{}"
			if of.sent != "" {
				body = `{"effectiveDate":"` + of.sent + `"}`
			}
			for state, end := range map[string]func(path, number string){
				"cancelled": func(path, _ string) {
					a := s.Must(200, "POST", path+":cancel", body)
					if strings.Contains(a.Text, "coverEnds") != (of.sent != "") {
						t.Errorf("the response is %s", a.Text)
					}
				},
				"lapsed": func(_, number string) { s.Must(204, "POST", "/internal/lapse/"+number, body) },
			} {
				path, number := policy(t, s, cyberLine)
				end(path, number)
				if is := s.Must(200, "GET", path, "").Member("status"); is != state {
					t.Errorf("the policy is %s, not %s", is, state)
				}
				clock.Pass(time.Hour)
				// A later term re-judges nothing.
				whole := s.Must(200, "GET", path, "").Text
				s.Must(200, "PUT", path, strings.Replace(whole, "2027-01-01", "2028-01-01", 1))
				if a := s.Must(200, "GET", "/internal/policy/"+number, ""); a.Member("endedAt") != of.ends {
					t.Errorf("%s: cover ends at %s, not %s", state, a.Member("endedAt"), of.ends)
				}
				if a := s.Must(200, "GET", "/internal/policy-records/"+number, ""); a.Member("coverEnds") != of.kept {
					t.Errorf("%s: the policy has coverEnds %s, not %s", state, a.Member("coverEnds"), of.kept)
				}
				clock.Pass(-time.Hour)
			}
		})
	}
}

// TestAMemberFromBeforeThereWereDates stays what it is, in reads of the past and after an action, and counts nothing.
func TestAMemberFromBeforeThereWereDates(t *testing.T) {
	clock := servicetest.At(t, "2026-06-01T00:00:00Z")
	s := start(t, clock)
	path, number := policy(t, s, cyberLine)
	whole := s.Must(200, "GET", path, "").Text
	s.Must(200, "PUT", path, `{"effectiveDate":["kept"],"coverEnds":7,`+whole[1:])
	a := s.Must(200, "POST", path+":cancel", `{"effectiveDate":"2026-03-01T00:00:00Z"}`)
	clock.Pass(time.Second)
	for _, read := range []servicetest.Response{
		a, s.Must(200, "GET", path, ""), s.Must(200, "GET", "/x/asof"+path+"?at=2026-06-01T00:00:00Z", ""),
	} {
		if !strings.Contains(read.Text, `"effectiveDate":["kept"]`) || strings.Count(read.Text, "coverEnds") != 1 {
			t.Error(read.Text)
		}
	}
	if a := s.Must(200, "GET", "/internal/policy/"+number, ""); a.Member("endedAt") != "2026-03-01T00:00:00Z" {
		t.Error(a.Text)
	}
}

// TestThePastInEffect reads what counted at an instant, as it was known at another.
func TestThePastInEffect(t *testing.T) {
	clock := servicetest.At(t, "2026-06-01T00:00:00Z")
	s := start(t, clock)
	path, _ := policy(t, s, cyberLine)
	endorsed(s, path, "", "Breach of privacy")
	clock.Pass(time.Hour)
	endorsed(s, path, "2026-03-01T00:00:00Z", "Business interruption")
	clock.Pass(time.Hour)
	s.Must(200, "POST", path+":cancel", `{"effectiveDate":"2026-05-01T00:00:00Z"}`)
	clock.Pass(time.Hour)
	for query, want := range map[string]struct{ scope, status, dates string }{
		"effective=2026-02-01T00:00:00Z": {"Breach of privacy", "in force",
			`,"coverEnds":"2026-05-01T00:00:00Z"`},
		"effective=2026-03-01T00:00:00Z": {"Business interruption", "cancelled",
			`,"coverEnds":"2026-05-01T00:00:00Z","effectiveDate":"2026-03-01T00:00:00Z"`},
		"effective=2030-03-01T00:00:00Z&at=2026-06-01T00:00:00Z": {"Breach of privacy", "in force", ""},
		"effective=2030-03-01T00:00:00Z&at=2026-06-01T01:30:00Z": {"Business interruption", "in force",
			`,"effectiveDate":"2026-03-01T00:00:00Z"`},
		"at=2026-06-01T01:30:00Z": {"Business interruption", "in force",
			`,"effectiveDate":"2026-03-01T00:00:00Z"`},
		"at=2026-06-01T00:30:00Z": {"Breach of privacy", "in force", ""},
	} {
		a := s.Must(200, "GET", "/x/asof"+path+"?"+query, "")
		ends := `"scope":["` + want.scope + `"]` + want.dates + "}"
		if a.Member("status") != want.status || !strings.HasSuffix(a.Text, ends) {
			t.Errorf("%s is %s", query, a.Text)
		}
	}
	s.Must(404, "GET", "/x/asof"+path+"?effective=2025-12-31T23:59:59.999999999Z", "")
	for _, wrong := range []string{"", "effective=", "effective=soon", "effective=2026-02-01T00:00:00Z&at=soon",
		"effective=2026-02-01T00:00:00Z&effective=2026-02-01T00:00:00Z", "effective=2026-02-01T00:00:00Z&limit=1"} {
		s.Must(400, "GET", "/x/asof"+path+"?"+wrong, "")
	}
}
