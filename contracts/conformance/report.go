package conformance

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"time"
)

// Outcome says how a rule ended.
type Outcome string

// The outcomes. A rule is skipped if it could not be tried; Result.Why then has the reason.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped"
)

// Result is the result of one rule. Request and Response are those at which it failed, shortened.
type Result struct {
	Area     string        `json:"area"`
	Rule     string        `json:"rule"`
	Outcome  Outcome       `json:"outcome"`
	Why      string        `json:"why,omitempty"`
	Request  string        `json:"request,omitempty"`
	Response string        `json:"response,omitempty"`
	Elapsed  time.Duration `json:"nanoseconds"`
}

// Report is the result of a run.
type Report struct {
	Base    string        `json:"base"`
	Began   time.Time     `json:"began"`
	Elapsed time.Duration `json:"nanoseconds"`
	Results []Result      `json:"results"`
}

// Count returns how many rules of an area had an outcome. The area "" means all areas.
func (r Report) Count(area string, outcome Outcome) (n int) {
	for _, result := range r.Results {
		if (area == "" || result.Area == area) && result.Outcome == outcome {
			n++
		}
	}
	return n
}

// Formats are the formats of a report by their names: text, json and junit.
var Formats = map[string]func(Report, io.Writer) error{"text": Report.text, "json": Report.json, "junit": Report.junit}

// text writes what failed and what was skipped, and the numbers of each area.
func (r Report) text(w io.Writer) error {
	out := &lines{to: w}
	for _, outcome := range []Outcome{Skipped, Failed} {
		for _, result := range r.Results {
			if result.Outcome != outcome {
				continue
			}
			out.print("%-7s  %s: %s\n         %s\n", outcome, result.Area, result.Rule, result.Why)
			if result.Request != "" {
				out.print("         > %s\n         < %s\n", result.Request, result.Response)
			}
		}
	}
	out.print("\n%-12s %7s %7s %7s\n", "area", Passed, Failed, Skipped)
	for _, area := range Areas() {
		if passed, failed, skipped := r.Count(area, Passed), r.Count(area, Failed), r.Count(area,
			Skipped); passed+failed+skipped > 0 {
			out.print("%-12s %7d %7d %7d\n", area, passed, failed, skipped)
		}
	}
	out.print("%-12s %7d %7d %7d   %s in %.1f s\n", "all", r.Count("", Passed), r.Count("", Failed),
		r.Count("", Skipped),
		r.Base, r.Elapsed.Seconds())
	return out.err
}

// lines writes lines until one cannot be written.
type lines struct {
	to  io.Writer
	err error
}

func (l *lines) print(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.to, format, args...)
	}
}

func (r Report) json(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}

// The elements of a JUnit report.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Seconds float64       `xml:"time,attr"`
		Failure *junitMessage `xml:"failure"`
		Skipped *junitMessage `xml:"skipped"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

func (r Report) junit(w io.Writer) error {
	var all junitSuites
	for _, area := range Areas() {
		suite := junitSuite{Name: area, Failures: r.Count(area, Failed), Skipped: r.Count(area, Skipped)}
		for _, result := range r.Results {
			if result.Area != area {
				continue
			}
			c := junitCase{Class: "conformance." + area, Name: result.Rule, Seconds: result.Elapsed.Seconds()}
			switch message := (&junitMessage{Message: result.Why}); result.Outcome {
			case Failed:
				message.Text = "> " + result.Request + "\n< " + result.Response
				c.Failure = message
			case Skipped:
				c.Skipped = message
			}
			suite.Cases = append(suite.Cases, c)
		}
		if suite.Tests = len(suite.Cases); suite.Tests > 0 {
			all.Suites = append(all.Suites, suite)
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return err
	}
	return encoder.Close()
}
