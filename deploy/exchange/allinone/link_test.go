package allinone

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/deploy/exchange/local"
)

// TestLink follows a link in all the ways that must fail, then once, then again.
func TestLink(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	token := func(who string) (string, error) { return "TOKEN of " + who, nil }
	data := t.TempDir()
	link := links{data: data, issue: token, now: func() time.Time { return now }}
	made := func(who string, lifetime time.Duration) (code string) {
		address, err := local.NewLink(data, "http://a/", who, now, lifetime)
		code, is := strings.CutPrefix(address, "http://a/console#sign-in=")
		if err != nil || !is {
			t.Fatalf("the link is %s: %v", address, err)
		}
		return code
	}
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
	code := made("anna", time.Minute)
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
	for _, wrong := range []string{"", code[1:], code + "A", "../keys/" + code, strings.Repeat("A", 1<<20)} {
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
		codes[who] = made(who, time.Hour)
	}
	ended := made("dora", 0)
	now = now.Add(time.Hour)
	for who, code := range codes {
		if status, body := follow(code); status != http.StatusOK || !strings.Contains(body, "of "+who) {
			t.Errorf("one of two links, followed late: %d %s", status, body)
		}
	}
	made("erik", time.Hour)
	if left, err := os.ReadDir(filepath.Join(data, "links")); err != nil || len(left) != 1 {
		t.Errorf("the links that nobody can follow, such as %s, are kept: %v, %v", ended, left, err)
	}
}

// TestTheCommandLink follows a link that the command prints for the data folder of an exchange that runs.
func TestTheCommandLink(t *testing.T) {
	data := t.TempDir()
	e := run(t, data)
	command := func(args ...string) (string, error) {
		var out bytes.Buffer
		c := local.LinkCommand([]string{"EXCHANGE_URL=" + e.base}, &out, "http://127.0.0.1:8080")
		c.SetArgs(args)
		c.SilenceErrors, c.SilenceUsage = true, true
		err := c.ExecuteContext(t.Context())
		return out.String(), err
	}
	said, err := command("--data", data, "--subject", "mary")
	code, is := strings.CutPrefix(strings.TrimSpace(said), e.base+"/console#sign-in=")
	if err != nil || !is {
		t.Fatalf("the command says %q: %v", said, err)
	}
	for _, want := range []int{http.StatusOK, http.StatusNotFound} {
		r, err := http.Post(e.base+"/console/sign-in", "text/plain", strings.NewReader(code))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		if r.Body.Close(); err != nil || r.StatusCode != want {
			t.Errorf("status %d, not %d: %s %v", r.StatusCode, want, body, err)
		}
		if want == http.StatusNotFound && !strings.Contains(string(body), "exchange link") {
			t.Errorf("the refusal does not say how one gets another link: %s", body)
		}
	}
	if _, err := command("--data", t.TempDir()); err == nil || !strings.Contains(err.Error(), "exchange run") {
		t.Errorf("a folder without an exchange: %v", err)
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
