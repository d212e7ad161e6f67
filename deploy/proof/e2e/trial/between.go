package trial

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
)

// Between returns the Via of a Composition in which proxies stand between the replicas of a process and those that they
// call. before sees each request of a caller to a URL, and after each response. With an error of either the caller gets
// no response; with one of before the other process does not get the request. Both may be nil.
func Between(
	t testing.TB, process string, before func(caller, to string, request *http.Request) error,
	after func(caller, to string, response *http.Response) error,
) func(caller, to string) string {
	return func(caller, to string) string {
		if !strings.HasPrefix(caller, process) {
			return to
		}
		target, err := url.Parse(to)
		if err != nil {
			t.Fatal(err)
		}
		proxy := &httputil.ReverseProxy{
			Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(target) },
			ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		}
		if after != nil {
			proxy.ModifyResponse = func(response *http.Response) error { return after(caller, to, response) }
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if before != nil && before(caller, to, r) != nil {
				panic(http.ErrAbortHandler)
			}
			proxy.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
}
