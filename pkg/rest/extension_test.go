package rest_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// mounted returns a server with one extension, or the reason why it cannot be had.
func mounted(t *testing.T, x rest.Extension) (*world, error) {
	t.Helper()
	gin.SetMode(gin.ReleaseMode)
	server, engine := rest.NewServer(rest.Config{Now: time.Now}), gin.New()
	x.Path, x.Method, x.Response = "/x/old", http.MethodGet, reflect.TypeFor[string]()
	server.Extend(x)
	return &world{t: t, handler: engine}, server.Mount(engine, ada)
}

// TestADeprecatedOperationSaysSo reads the headers of RFC 9745 and RFC 8594, also on a response that is a refusal.
func TestADeprecatedOperationSaysSo(t *testing.T) {
	since := time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)
	refuse := false
	x := rest.Extension{
		Deprecated: &rest.Deprecation{Since: since, Sunset: since.AddDate(1, 0, 0), Instead: "/docs/register"},
		Serve: func(*gin.Context, any) (any, error) {
			if refuse {
				return nil, problem.New(problem.NotFound, "")
			}
			return "old", nil
		},
	}
	w, err := mounted(t, x)
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{200, 404} {
		header := w.do(status, http.MethodGet, "/x/old", "").Header()
		for name, want := range map[string]string{
			"Deprecation": "@1795564800", "Sunset": "Thu, 25 Nov 2027 00:00:00 GMT",
			"Link": `</docs/register>; rel="deprecation"`,
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%d: %s is %q, want %q", status, name, got, want)
			}
		}
		refuse = true
	}
	x.Deprecated = nil
	if w, err = mounted(t, x); err != nil {
		t.Fatal(err)
	}
	if header := w.do(404, http.MethodGet, "/x/old", "").Header(); header.Get("Deprecation") != "" {
		t.Errorf("an operation that stays has %v", header)
	}
}

// TestADeprecationIsWhole has a start refused, with the operation's name, for a deprecation that says too little.
func TestADeprecationIsWhole(t *testing.T) {
	since := time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)
	for _, wrong := range []rest.Deprecation{
		{Sunset: since, Instead: "/docs"},
		{Since: since, Sunset: since, Instead: "/docs"},
		{Since: since, Sunset: since.Add(time.Hour)},
	} {
		_, err := mounted(t, rest.Extension{Deprecated: &wrong})
		if err == nil || !strings.Contains(err.Error(), "GET /x/old") {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}
