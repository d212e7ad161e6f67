package client_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// TestUnreachable calls exchanges that cannot be reached. A message says what to do, and soon: a client that waited for
// as long as it does for one that has responded before would send a request each few seconds, and log each.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	for name, c := range map[string]struct{ url, words string }{
		"nothing listens": {"http://" + trial.ClosedAddress(t), "`exchange run` starts an exchange"},
		"no machine":      {"http://exchange.invalid", "There is no machine of the name exchange.invalid"},
		"TLS where there is": {
			"http" + strings.TrimPrefix(secure.URL, "https"), "Give --url " + secure.URL + " instead",
		},
		"none where there is": {
			"https" + strings.TrimPrefix(plain.URL, "http"), "Give --url " + plain.URL + " instead",
		},
		"unknown authority": {secure.URL, "SSL_CERT_FILE"},
		"another server":    {plain.URL, "Is --url right?"},
		"not HTTP":          {"http://" + speaks(t, "220 mail.example ESMTP\r\n"), "does not speak HTTP"},
	} {
		t.Run(name, func(t *testing.T) {
			r := s.run(t, "list", "vehicle", "--verbose", "--url", c.url)
			if r.status == 0 || !strings.Contains(r.stderr, c.words) {
				t.Errorf("exit status %d, stderr lacks %q: %s", r.status, c.words, r.stderr)
			}
			if again := strings.Count(r.stderr, "trying again"); again > mostTries {
				t.Errorf("it tried again %d times: %s", again, r.stderr)
			}
		})
	}
}

// mostTries is how often a client tries again at most to reach an exchange that has never responded: it pauses for 100
// ms, and twice as long each time, until a second and a half have passed.
const mostTries = 5

// speaks listens for connections and writes a greeting to each. It returns its address.
func speaks(t *testing.T, greeting string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = fmt.Fprint(connection, greeting)
			t.Cleanup(func() { _ = connection.Close() })
		}
	}()
	return listener.Addr().String()
}

// TestSilence calls a server that accepts the connection and sends nothing. The client waits, and says so: twenty times
// as long as usual, as its environment says.
func TestSilence(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	cmd := s.command(t, nil, "list", "vehicle", "--url", "http://"+speaks(t, ""))
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, stderr, "has not answered yet; waiting on (--timeout 10m0s, --retry-for 10m0s)")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the command ended by itself")
	}
}
