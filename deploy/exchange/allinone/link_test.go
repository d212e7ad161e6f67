package allinone

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestLink follows a link in all the ways that must fail, then once, then again.
func TestLink(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	token := func(who string) (string, error) { return "TOKEN of " + who, nil }
	link := newLinks(token, func() time.Time { return now })
	follow := func(code string, change ...func(*http.Request)) (int, string) {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080/console/sign-in", strings.NewReader(code))
		r.RemoteAddr = "127.0.0.1:50000"
		for _, c := range change {
			c(r)
		}
		w := httptest.NewRecorder()
		link.ServeHTTP(w, r)
		if cache := w.Header().Get("Cache-Control"); w.Code == http.StatusOK && cache != "no-store" {
			t.Errorf("the token may be kept: Cache-Control is %q", cache)
		}
		return w.Code, w.Body.String()
	}
	if code, _ := follow(""); code != http.StatusNotFound {
		t.Errorf("before there is a link: %d", code)
	}
	code, is := strings.CutPrefix(link.URL("http://a", "anna", time.Minute), "http://a/console#sign-in=")
	if !is {
		t.Errorf("the link has %s", code)
	}
	for what, change := range map[string]func(*http.Request){
		"from another machine": func(r *http.Request) { r.RemoteAddr = "192.0.2.1:50000" },
		"behind a proxy":       func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2.1") },
		"behind a newer proxy": func(r *http.Request) { r.Header.Set("Forwarded", "for=192.0.2.1") },
		"by another name":      func(r *http.Request) { r.Host = "rebound.example" },
		"from another page":    func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"from no address":      func(r *http.Request) { r.RemoteAddr = "" },
	} {
		if status, _ := follow(code, change); status != http.StatusNotFound {
			t.Errorf("%s: status %d", what, status)
		}
	}
	now = now.Add(time.Minute + time.Second)
	if status, _ := follow(code); status != http.StatusNotFound {
		t.Errorf("too late: %d", status)
	}
	now = now.Add(-time.Second)
	for _, wrong := range []string{"", code[1:], code + "A", strings.Repeat("A", 1<<20)} {
		if status, _ := follow(wrong); status != http.StatusNotFound {
			t.Errorf("a wrong code of %d bytes: status %d", len(wrong), status)
		}
	}
	if status, body := follow(code); status != http.StatusOK || body != `{"token":"TOKEN of anna"}`+"\n" {
		t.Errorf("followed: %d %s", status, body)
	}
	if status, _ := follow(code); status != http.StatusNotFound {
		t.Errorf("followed twice: %d", status)
	}
	codes := map[string]string{}
	for _, who := range []string{"bob", "carl"} {
		_, codes[who], _ = strings.Cut(link.URL("", who, time.Hour), "=")
	}
	now = now.Add(time.Hour)
	for who, code := range codes {
		if status, body := follow(code); status != http.StatusOK || !strings.Contains(body, "of "+who) {
			t.Errorf("one of two links, followed late: %d %s", status, body)
		}
	}
}

// TestSeed fills only for a page of this machine, with the caller's token, and says what failed.
func TestSeed(t *testing.T) {
	var got string
	var fails error
	filled := seed(func(_ context.Context, token string) error { got = token; return fails })
	ask := func(from, authorization string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "http://localhost:8080/console/seed", nil)
		r.RemoteAddr = from
		r.Header.Set("Authorization", authorization)
		w := httptest.NewRecorder()
		filled.ServeHTTP(w, r)
		return w
	}
	if w := ask("[::1]:50000", "Bearer T"); w.Code != http.StatusNoContent || got != "T" {
		t.Errorf("status %d, token %q", w.Code, got)
	}
	if w := ask("192.0.2.1:50000", "Bearer T"); w.Code != http.StatusNotFound {
		t.Errorf("from another machine: %d", w.Code)
	}
	if w := ask("127.0.0.1:50000", ""); w.Code != http.StatusUnauthorized {
		t.Errorf("without a token: %d", w.Code)
	}
	fails = errors.New("no disk")
	if w := ask("127.0.0.1:50000", "Bearer T"); w.Code != http.StatusServiceUnavailable ||
		!strings.Contains(w.Body.String(), "no disk") {
		t.Errorf("a failure: %d %s", w.Code, w.Body)
	}
}
