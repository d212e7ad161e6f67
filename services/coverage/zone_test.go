package coverage_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/calendar"
	"insurance.example/exchange/pkg/chance"
	"insurance.example/exchange/pkg/servicetest"
)

// renew renews a policy with a body and returns the path of the new one and the end of its term.
func renew(s *servicetest.Service, path, body string) (renewed, ends string) {
	a := s.Must(201, "POST", path+":renew", body)
	return "/motorCoverage/" + a.Member("id"), a.Member("expiryDate")
}

func TestRenewalsKeepWhatPeopleMean(t *testing.T) {
	inZone := map[string]*servicetest.Service{}
	for _, c := range []struct {
		name, zone, begins, ends string
		renewed                  []string
	}{
		{"half years of London", "Europe/London", "2026-01-01T00:00:00Z", "2026-06-30T23:00:00Z",
			[]string{"2027-01-01T00:00:00Z", "2027-06-30T23:00:00Z", "2028-01-01T00:00:00Z"}},
		{"half years of Berlin", "Europe/Berlin", "2025-12-31T23:00:00Z", "2026-06-30T22:00:00Z",
			[]string{"2026-12-31T23:00:00Z", "2027-06-30T22:00:00Z", "2027-12-31T23:00:00Z"}},
		{"half years of UTC, in London", "Europe/London", "2026-01-01T00:00:00Z", "2026-07-01T00:00:00Z",
			[]string{"2026-12-29T00:00:00Z"}},
		{"from 29 February", "UTC", "2024-02-29T00:00:00Z", "2025-02-28T00:00:00Z",
			[]string{"2026-02-28T00:00:00Z", "2027-02-28T00:00:00Z", "2028-02-29T00:00:00Z", "2029-02-28T00:00:00Z"}},
		{"months from the 31st", "UTC", "2026-01-31T00:00:00Z", "2026-02-28T00:00:00Z",
			[]string{"2026-03-31T00:00:00Z", "2026-04-30T00:00:00Z", "2026-05-31T00:00:00Z"}},
		{"a year until a second before midnight", "UTC", "2026-01-01T00:00:00Z", "2026-12-31T23:59:59Z",
			[]string{"2027-12-31T23:59:59Z", "2028-12-31T23:59:59Z", "2029-12-31T23:59:59Z"}},
		{"half years until a millisecond before midnight", "UTC", "2026-01-01T00:00:00Z", "2026-06-30T23:59:59.999Z",
			[]string{"2026-12-31T23:59:59.999Z", "2027-06-30T23:59:59.999Z"}},
		{"months from the 30th but for a second", "UTC", "2026-01-30T00:00:00Z", "2026-02-27T23:59:59Z",
			[]string{"2026-03-29T23:59:59Z", "2026-04-29T23:59:59Z"}},
		{"until 30 June", "UTC", "2026-01-01T00:00:00Z", "2026-06-30T00:00:00Z",
			[]string{"2026-12-31T00:00:00Z", "2027-06-30T00:00:00Z", "2027-12-31T00:00:00Z"}},
		{"until 31 December", "UTC", "2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z",
			[]string{"2027-12-31T00:00:00Z", "2028-12-31T00:00:00Z"}},
		{"quarters until the last day", "UTC", "2026-01-01T00:00:00Z", "2026-03-31T00:00:00Z",
			[]string{"2026-06-30T00:00:00Z", "2026-09-30T00:00:00Z", "2026-12-31T00:00:00Z", "2027-03-31T00:00:00Z"}},
		{"a time that a summer leaves out", "Europe/Berlin", "2025-03-29T01:30:00Z", "2026-03-29T01:00:00Z",
			[]string{"2027-03-29T00:30:00Z", "2028-03-29T00:30:00Z"}},
		{"into a time that a summer leaves out", "Europe/Berlin", "2024-03-29T01:30:00Z", "2025-03-29T01:30:00Z",
			[]string{"2026-03-29T01:00:00Z", "2027-03-29T00:30:00Z", "2028-03-29T00:30:00Z"}},
		{"into a time that comes twice", "Europe/London", "2026-08-25T00:30:00Z", "2026-09-25T00:30:00Z",
			[]string{"2026-10-25T00:30:00Z", "2026-11-25T01:30:00Z", "2026-12-25T01:30:00Z"}},
		{"from the second time that it comes", "Europe/London", "2026-10-25T01:30:00Z", "2026-11-25T01:30:00Z",
			[]string{"2026-12-25T01:30:00Z", "2027-01-25T01:30:00Z"}},
	} {
		s := inZone[c.zone]
		if s == nil {
			s = start(t, nil, "--time-zone", c.zone)
			inZone[c.zone] = s
		}
		t.Run(c.name, func(t *testing.T) {
			path := motorFrom(s, c.begins, c.ends)
			for _, want := range c.renewed {
				var ends string
				if path, ends = renew(s, path, ""); ends != want {
					t.Fatalf("a renewal ends at %s, want %s", ends, want)
				}
			}
		})
	}
}

// TestRenewalsDoNotDrift renews terms of whole months, chosen at random, twenty times. Each keeps its day, its time of
// the day and its length, and what it is short of them.
func TestRenewalsDoNotDrift(t *testing.T) {
	random := rand.New(rand.NewPCG(chance.Seed(t), 0))
	for _, name := range []string{
		"UTC", "Asia/Kolkata", "Europe/London", "Europe/Berlin", "America/New_York", "America/St_Johns",
		"America/Havana", "Atlantic/Azores", "Australia/Lord_Howe", "Australia/Sydney",
	} {
		zone, err := calendar.Zone(name)
		if err != nil {
			t.Fatal(err)
		}
		s := start(t, nil, "--time-zone", name)
		for range 6 {
			day := calendar.Day{Year: 2020 + random.IntN(20), Month: time.Month(1 + random.IntN(12))}.
				InMonth(0, 1+random.IntN(31))
			begins := calendar.At(zone, day, []time.Duration{
				0, 2 * time.Hour, 2*time.Hour + 30*time.Minute, time.Duration(random.IntN(24*60)) * time.Minute,
			}[random.IntN(4)])
			first, clock := calendar.Of(zone, begins)
			months := []int{1, 3, 6, 12, 1 + random.IntN(40)}[random.IntN(5)]
			days := random.IntN(2)
			by := []time.Duration{0, time.Second, time.Millisecond}[random.IntN(3)] * time.Duration(1-days)
			end := func(term int) string {
				return calendar.At(zone, first.InMonth(term*months, first.Day).Add(-days), clock).Add(-by).UTC().
					Format(time.RFC3339Nano)
			}
			path := motorFrom(s, begins.UTC().Format(time.RFC3339Nano), end(1))
			for term := range 20 {
				var ends string
				if path, ends = renew(s, path, ""); ends != end(term+2) {
					t.Fatalf("%d months from %s until %s in %s: renewal %d ends at %s, want %s", months, begins, end(1),
						name, term+1, ends, end(term+2))
				}
			}
		}
	}
}

// TestADateEndsTheChain changes the term of a policy that was renewed from 29 February. From then on the term has the
// day that it shows; whatever else changes, it comes back to 29 February.
func TestADateEndsTheChain(t *testing.T) {
	const leap = "2028-02-29T00:00:00Z"
	s := start(t, nil)
	for name, c := range map[string]struct {
		change func(path string) (changed string)
		want   string
	}{
		"nothing": {func(path string) string { return path }, leap},
		"a correction without a new date": {func(path string) string {
			s.Must(200, "PUT", path, s.Must(200, "GET", path, "").Text)
			return path
		}, leap},
		"an endorsement": {func(path string) string {
			s.Must(200, "POST", path+":endorse", `{"endorsementType":"addition","x-more":1}`)
			return path
		}, leap},
		"a correction of the term": {func(path string) string {
			s.Must(200, "PUT", path, strings.NewReplacer(`"inceptionDate":"2025`, `"inceptionDate":"2026`,
				`"expiryDate":"2026`, `"expiryDate":"2027`).Replace(s.Must(200, "GET", path, "").Text))
			return path
		}, "2028-02-28T00:00:00Z"},
		"a date in the body": {func(path string) string {
			renewed, _ := renew(s, path, `{"inceptionDate":"2026-02-28T00:00:00Z"}`)
			return renewed
		}, "2028-02-28T00:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			path, _ := renew(s, motorFrom(s, "2024-02-29T00:00:00Z", "2025-02-28T00:00:00Z"), "")
			path = c.change(path)
			ends := ""
			for ends < "2028" {
				path, ends = renew(s, path, "")
			}
			if ends != c.want {
				t.Errorf("after %s it ends at %s, want %s", name, ends, c.want)
			}
			for _, shown := range []string{path, "/x/history" + path} {
				if text := s.Must(200, "GET", shown, "").Text; strings.Contains(text, "clock") {
					t.Errorf("%s shows the anchor: %s", shown, text)
				}
			}
		})
	}
}

// TestALicenceExpiresInTheZone insures drivers late in the evening of UTC.
func TestALicenceExpiresInTheZone(t *testing.T) {
	for zone, last := range map[string]string{
		"UTC": "2026-06-30", "Europe/Berlin": "2026-07-01", "America/New_York": "2026-06-30",
	} {
		s := start(t, servicetest.At(t, "2026-06-30T22:30:00Z"), "--time-zone", zone)
		for _, expires := range []string{"2026-06-29", "2026-06-30", "2026-07-01"} {
			status := 201
			if expires < last {
				status = 400
			}
			driver := s.Create("driver", `{"licence":{"expiryDate":"`+expires+`"}}`)
			s.Must(status, "POST", "/motorCoverage", `{"policyholderId":"`+holder+`","vehicleId":"`+
				s.Create("vehicle", `{}`)+`","driverId":"`+driver+`","perils":["fire"],"inceptionDate":"2026-01-01T00:00:00Z","expiryDate":"2027-01-01T00:00:00Z"}`)
		}
	}
}
