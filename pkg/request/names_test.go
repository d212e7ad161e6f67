package request_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/request"
)

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

func TestSaneNamesArePassedOn(t *testing.T) {
	in := http.Header{"X-Request-Id": {"order-7.a_b:c"}, "Traceparent": {parent}, "Tracestate": {"a=1", "b=2"}}
	out := http.Header{"Tracestate": {"stale"}}
	request.NamesFrom(request.WithNames(t.Context(), request.ReadNames(in))).Write(out)
	for name, want := range map[string]string{"X-Request-Id": "order-7.a_b:c", "Traceparent": parent,
		"Tracestate": "a=1,b=2"} {
		if got := out[name]; len(got) != 1 || got[0] != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestOddIDsAreReplaced(t *testing.T) {
	for _, id := range []string{"", "a b", "a\nb", "é", `"`, strings.Repeat("x", 129)} {
		got := request.ReadNames(http.Header{"X-Request-Id": {id}}).ID
		if _, err := uuid.Parse(got); err != nil {
			t.Errorf("id %q became %q, want a UUID", id, got)
		}
	}
}

func TestMalformedTraceContextIsDropped(t *testing.T) {
	for _, bad := range []string{
		"x", parent[:54], parent + "-00", strings.ToUpper(parent), "ff" + parent[2:],
		strings.Replace(parent, "-", "_", 1),
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
	} {
		out := http.Header{}
		request.ReadNames(http.Header{"Traceparent": {bad}, "Tracestate": {"a=1"}}).Write(out)
		if out["Traceparent"] != nil || out["Tracestate"] != nil {
			t.Errorf("traceparent %q was passed on", bad)
		}
	}
}

func TestNoNamesInABareContext(t *testing.T) {
	out := http.Header{}
	request.NamesFrom(t.Context()).Write(out)
	if len(out) != 0 {
		t.Errorf("headers %v from nothing", out)
	}
}
