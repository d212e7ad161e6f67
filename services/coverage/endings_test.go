package coverage_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/servicetest"
)

// corrected replaces a policy by itself with another note.
func corrected(s *servicetest.Service, path string, turn int) {
	whole := s.Must(200, "GET", path, "").Text
	s.Must(200, "PUT", path, `{"turn`+strconv.Itoa(turn)+`":true,`+whole[1:])
}

// TestTheEndOfAPolicyIsKnownWhateverCameAfter corrects ended policies. Claims are judged by when they ended.
func TestTheEndOfAPolicyIsKnownWhateverCameAfter(t *testing.T) {
	clock := servicetest.At(t, "2026-06-01T00:00:00Z")
	s := start(t, clock)
	for i := range lines {
		for name, end := range map[string]func(path, number string){
			"cancelled": func(path, _ string) { s.Must(200, "POST", path+":cancel", "") },
			"lapsed":    func(_, number string) { s.Must(204, "POST", "/internal/lapse/"+number, "") },
		} {
			path, number := policy(t, s, i)
			if a := s.Must(200, "GET", "/internal/policy/"+number, ""); strings.Contains(a.Text, "endedAt") {
				t.Errorf("%s, not %s yet: %s", path, name, a.Text)
			}
			end(path, number)
			for turn := range 3 {
				clock.Pass(time.Hour)
				corrected(s, path, turn)
				if a := s.Must(200, "GET", "/internal/policy/"+number,
					""); a.Member("endedAt") != "2026-06-01T00:00:00Z" {
					t.Errorf("%s, %s: %s", path, name, a.Text)
				}
			}
			clock.Pass(-3 * time.Hour)
		}
	}
}

// TestAnExtensionIsKnownWhateverCameAfter extends policies year after year, and corrects them while they are extended.
func TestAnExtensionIsKnownWhateverCameAfter(t *testing.T) {
	clock := servicetest.At(t, "2026-06-01T00:00:00Z")
	s := start(t, clock)
	const year = 365 * 24 * time.Hour
	for i := range lines {
		path, _ := policy(t, s, i)
		for turn, until := range []string{"2028", "2029", "2030"} {
			s.Must(200, "POST", path+":endorse", strings.Replace(extension, "2028", until, 1))
			corrected(s, path, turn)
			corrected(s, path, turn+10)
			if is := s.Must(200, "GET", path, "").Member("status"); is != "extended" {
				t.Errorf("%s is %s until %s", path, is, until)
			}
			clock.Pass(year)
			if is := s.Must(200, "GET", path, "").Member("status"); is != "in force" {
				t.Errorf("%s is %s when its extension has begun", path, is)
			}
		}
		for at, was := range map[string]string{
			"2026-12-31T23:59:59Z": "extended", "2027-01-01T00:00:00Z": "in force",
			"2027-12-31T23:59:59Z": "extended", "2028-01-01T00:00:00Z": "in force",
		} {
			if a := s.Must(200, "GET", "/x/asof"+path+"?at="+at, ""); a.Member("status") != was {
				t.Errorf("%s at %s: %s", path, at, a.Text)
			}
		}
		clock.Pass(-3 * year)
	}
}
