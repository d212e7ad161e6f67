package process_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
)

// TestCredentialFileIsFollowed changes the secrets of a running process.
func TestCredentialFileIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "credential")
		write := func(text string) {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write("\n  the-first-secret-of-all \r\n\n")
		p, journal := openInMemory(t, func(s *process.Settings) { s.Secrets, s.SecretFile = nil, file })
		credentials, err := p.Credentials()
		if err != nil {
			t.Fatal(err)
		}
		engine := p.Engine("claims")
		engine.GET("/claim", request.RequireGateway(request.Trust{Credentials: credentials}), func(c *gin.Context) {
			c.Status(http.StatusOK)
		})
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- p.Serve(ctx, engine) }()
		status := func(secret string) int {
			asked, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+p.Address()+"/claim", nil)
			if err != nil {
				t.Fatal(err)
			}
			asked.Header.Set(request.CredentialHeader, secret)
			response, err := newTransport().RoundTrip(asked)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			return response.StatusCode
		}
		sent := func() string {
			header := http.Header{}
			credentials.Identify(header, request.Caller{})
			return header.Get(request.CredentialHeader)
		}
		const first, second = "the-first-secret-of-all", "the-second-secret-of-all"
		if status(first) != http.StatusOK || status(second) != http.StatusUnauthorized || sent() != first {
			t.Errorf("at first: %d, %d, sent %q", status(first), status(second), sent())
		}
		write(first + "\n" + second + "\n")
		eventually(t, func() bool { return status(second) == http.StatusOK })
		if status(first) != http.StatusOK || sent() != first {
			t.Errorf("with a second one: %d, sent %q", status(first), sent())
		}
		failures := func() (n int) {
			for _, line := range journal.lines() {
				if line["level"] == "ERROR" && line["setting"] == "credential-file" {
					n++
				}
			}
			return n
		}
		for n, unusable := range []string{"", "short\n" + second} {
			write(unusable)
			eventually(t, func() bool { return failures() == n+1 })
			if status(first) != http.StatusOK || status(second) != http.StatusOK || sent() != first {
				t.Errorf("after %q: %d, %d, sent %q", unusable, status(first), status(second), sent())
			}
		}
		write(second)
		eventually(t, func() bool { return sent() == second })
		if status(first) != http.StatusUnauthorized || status(second) != http.StatusOK {
			t.Errorf("at last: %d, %d", status(first), status(second))
		}
		for _, line := range journal.lines() {
			for _, value := range line {
				if text, ok := value.(string); ok && strings.Contains(text, "secret-of-all") {
					t.Errorf("the log shows a secret: %v", line)
				}
			}
		}
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

func TestCredentialFileIsRefused(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	absent := filepath.Join(folder, "absent")
	for want, args := range map[string][]string{
		"setting credential-file: open " + absent: {"--credential-file", absent},
		"setting credential-file: " + folder + "/empty: no shared secret": {
			"--credential-file", file("empty", "\n\n"),
		},
		"setting credential-file: " + folder + "/short: shared secret 2 is shorter": {
			"--credential-file", file("short", "the-first-secret-of-all\nsecret\n"),
		},
		"settings credential and credential-file: give one of them": {
			"--credential-file", file("good", "the-first-secret-of-all"), "--credential", "a-secret-of-the-exchange",
		},
		"setting credential: no shared secret is given; give --credential-file or EXC": nil,
	} {
		var stderr strings.Builder
		program := process.Program{Name: "claims", Run: func(_ context.Context, p *process.Process) error {
			_, err := p.Credentials()
			return err
		}}
		status := program.Execute(t.Context(), args, nil, io.Discard, &stderr)
		if status != 1 || !strings.Contains(stderr.String(), want) ||
			strings.Contains(stderr.String(), "the-first-secret") {
			t.Errorf("status %d, stderr %q, want %q", status, stderr.String(), want)
		}
	}
}
