package coverage_test

import (
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
)

// motorFrom creates a motor policy with a term and returns its path.
func motorFrom(s *servicetest.Service, begins, ends string) string {
	body := `{"policyholderId":"` + holder + `","vehicleId":"` + s.Create("vehicle", `{}`) + `","driverId":"` +
		s.Create("driver", `{"licence":{"expiryDate":"2050-01-01"}}`) + `","perils":["fire"],"inceptionDate":"` +
		begins + `","expiryDate":"` + ends + `"}`
	return "/motorCoverage/" + s.Create("motorCoverage", body)
}

func TestRenewalKeepsTheLength(t *testing.T) {
	s := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"))
	for _, c := range []struct{ name, begins, ends, renewed string }{
		{"a year before a leap year", "2026-03-01T00:00:00Z", "2027-03-01T00:00:00Z", "2028-03-01T00:00:00Z"},
		{"a year of a leap year", "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"},
		{"from 29 February", "2024-02-29T00:00:00Z", "2025-02-28T00:00:00Z", "2026-02-28T00:00:00Z"},
		{"from 29 February to the next", "2024-02-29T00:00:00Z", "2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"},
		{"to 29 February", "2027-02-28T00:00:00Z", "2028-02-28T00:00:00Z", "2029-02-28T00:00:00Z"},
		{"a month", "2026-04-15T10:30:00Z", "2026-05-15T10:30:00Z", "2026-06-15T10:30:00Z"},
		{"a month from the 31st", "2026-01-31T00:00:00Z", "2026-02-28T00:00:00Z", "2026-03-31T00:00:00Z"},
		{"a month from month end to month end", "2026-02-28T00:00:00Z", "2026-03-31T00:00:00Z", "2026-04-30T00:00:00Z"},
		{"a month from the 30th", "2026-01-30T00:00:00Z", "2026-02-28T00:00:00Z", "2026-03-30T00:00:00Z"},
		{"a quarter", "2025-11-30T00:00:00Z", "2026-02-28T00:00:00Z", "2026-05-30T00:00:00Z"},
		{"eighteen months", "2026-01-01T00:00:00Z", "2027-07-01T00:00:00Z", "2029-01-01T00:00:00Z"},
		{"a year but for a second", "2026-03-01T00:00:00Z", "2027-02-28T23:59:59Z", "2028-02-29T23:59:59Z"},
		{"a year but for two seconds", "2026-03-01T00:00:00Z", "2027-02-28T23:59:58Z", "2028-02-28T23:59:56Z"},
		{"ten days", "2026-03-01T00:00:00Z", "2026-03-11T00:00:00Z", "2026-03-21T00:00:00Z"},
		{"days and a fraction", "2026-03-01T00:00:00.75Z", "2026-03-11T00:00:00.5Z", "2026-03-21T00:00:00.25Z"},
		{"five centuries", "1500-01-01T00:00:00Z", "2000-01-01T00:00:00Z", "2500-01-01T00:00:00Z"},
		{"five centuries and a day", "1500-01-01T00:00:00Z", "2000-01-02T00:00:00Z", "2500-01-02T00:00:00Z"},
		{"from the first instant", "0001-01-01T00:00:00Z", "2001-01-01T00:00:00Z", "4001-01-01T00:00:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.Must(201, "POST", motorFrom(s, c.begins, c.ends)+":renew", "")
			if a.Member("inceptionDate") != c.ends || a.Member("expiryDate") != c.renewed {
				t.Errorf("%s to %s renews until %s: %s", c.begins, c.ends, c.renewed, a.Text)
			}
		})
	}
}

func TestARenewalThatLeavesTheCalendarIsRefused(t *testing.T) {
	s := start(t, nil)
	for _, ends := range []string{"9999-12-31T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "9000-01-01T00:00:00Z"} {
		path := motorFrom(s, "2026-01-01T00:00:00Z", ends)
		a := s.Must(400, "POST", path+":renew", "")
		if a.Member("title") != "invalid policy term" || !strings.Contains(a.Text, `"pointer":"/expiryDate"`) {
			t.Error(a.Text)
		}
		s.Must(400, "POST", path+":renew", `{"inceptionDate":"9998-01-01T00:00:00Z"}`)
		// The record is unchanged and still allows every action. So does its renewal with dates that were sent.
		renewed := s.Must(201, "POST", path+":renew",
			`{"inceptionDate":"9998-01-01T00:00:00Z","expiryDate":"9999-12-31T23:59:59Z"}`)
		s.Must(200, "POST", "/motorCoverage/"+renewed.Member("id")+":cancel", "")
		s.Must(200, "POST", path+":cancel", "")
	}
}

// TestADateThatIsSentCounts renews with the dates of the old term. Sent dates count, also if they are the old ones.
func TestADateThatIsSentCounts(t *testing.T) {
	s := start(t, nil)
	path := motorFrom(s, "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z")
	for body, want := range map[string]string{
		`{"inceptionDate":"2026-01-01T00:00:00Z"}`:                                     `"inceptionDate":"2026-01-01T00:00:00Z","expiryDate":"2027-01-01T00:00:00Z"`,
		`{"inceptionDate":"2026-01-01T00:00:00Z","expiryDate":"2027-01-01T00:00:00Z"}`: `"inceptionDate":"2026-01-01T00:00:00Z","expiryDate":"2027-01-01T00:00:00Z"`,
		`{"inceptionDate":"2026-12-01T00:00:00Z","expiryDate":"2027-01-01T00:00:00Z"}`: `"inceptionDate":"2026-12-01T00:00:00Z","expiryDate":"2027-01-01T00:00:00Z"`,
		`{"inceptionDate":null,"expiryDate":null}`:                                     `"inceptionDate":"2027-01-01T00:00:00Z","expiryDate":"2028-01-01T00:00:00Z"`,
	} {
		if a := s.Must(201, "POST", path+":renew", body); !strings.Contains(a.Text, want) {
			t.Errorf("%s: %s", body, a.Text)
		}
	}
	// The new term begins at the old expiryDate; it cannot end there.
	if a := s.Must(400, "POST", path+":renew",
		`{"expiryDate":"2027-01-01T00:00:00Z"}`); a.Member("title") != "invalid policy term" {
		t.Error(a.Text)
	}
}
