package rest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest/query"
)

type listed struct {
	id   string
	Name string `json:"name"`
}

func (l *listed) RecordID() string      { return l.id }
func (l *listed) SetRecordID(id string) { l.id = id }

func listedRecords() *Records[*listed] {
	return Add(NewServer(Config{Now: time.Now}), Resource[*listed]{
		Name: "listed",
		Filters: []Filter[*listed]{
			Exact("code", func(l *listed) string { return l.Name }),
			Whole("line", func(l *listed) string { return l.Name }),
			Prefix("name", func(l *listed) string { return l.Name }),
			DateRange("day", func(l *listed) string { return l.Name }),
		},
	})
}

func TestQueryReportsEveryViolation(t *testing.T) {
	r := listedRecords()
	for raw, want := range map[string][]string{
		"limit=0&skip=-1":                      {"limit", "skip"},
		"code=%ff":                             {"code"},
		"limit=201":                            {"limit"},
		"limit=1&limit=2":                      {"limit"},
		"cursor=abc":                           {"cursor"},
		"colour=red&code=":                     {"code", "colour"},
		"line=motor&dayFrom=2026-02-30":        {"dayFrom", "line"},
		"name=a&name=b":                        {"name"},
		"dayTo=yesterday&dayFrom=2026-01-01&x": {"dayTo", "x"},
	} {
		_, _, err := r.query(raw)
		var p *problem.Error
		if !errors.As(err, &p) || p.Kind != problem.BadParameter {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		var names []string
		for _, violation := range p.Violations {
			names = append(names, violation.Parameter)
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s: violations of %q, want %q", raw, names, want)
		}
	}
}

func TestQueryReadsFilters(t *testing.T) {
	q, _, err := listedRecords().query(
		"code=A%201&line=007&name=SMI&dayFrom=2026-01-01&dayTo=2026-01-31&limit=7&skip=3")
	if err != nil {
		t.Fatal(err)
	}
	if q.Equal["code"] != "A 1" || q.Equal["line"] != "7" || q.Limit != 7 || q.Skip != 3 {
		t.Errorf("%+v", q)
	}
	for _, want := range []docstore.Range{
		{Index: "name", From: "smi", To: "smi\U0010FFFF"}, {Index: "day", From: "2026-01-01", To: "2026-01-31"},
	} {
		if !slices.Contains(q.Ranges, want) {
			t.Errorf("ranges %+v lack %+v", q.Ranges, want)
		}
	}
}

func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"", "limit=5", "cursor=AZNfd2t-cKmAgICAgICAgA", "name=%ff", "a=b;c=d",
		"dayFrom=2026-01-01&dayTo=x", "%zz", "code=" + "x"} {
		f.Add(seed)
	}
	r := listedRecords()
	f.Fuzz(func(t *testing.T, raw string) {
		q, _, err := r.query(raw)
		var p *problem.Error
		switch {
		case err != nil && (!errors.As(err, &p) || p.Kind.Status() != 400):
			t.Fatalf("%q: %v", raw, err)
		case err == nil && (q.Limit < 1 || q.Limit > MaxLimit || q.Skip < 0):
			t.Fatalf("%q: %+v", raw, q)
		}
	})
}

func TestNoParameters(t *testing.T) {
	for _, none := range []string{"", "&"} {
		if err := query.None(none); err != nil {
			t.Errorf("%q is refused: %v", none, err)
		}
	}
	for _, some := range []string{"limit=1", "x", "=", "%zz"} {
		var p *problem.Error
		if err := query.None(some); !errors.As(err, &p) || p.Kind.Status() != 400 {
			t.Errorf("%q returns %v", some, err)
		}
	}
}
