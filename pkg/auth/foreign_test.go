package auth_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/auth"
)

func TestAnIssuerThatDiffersByASlashIsInTheLog(t *testing.T) {
	s, stranger := signer(t), signer(t)
	synctest.Test(t, func(t *testing.T) {
		var lines bytes.Buffer
		v, err := auth.NewVerifier(t.Context(), settings(t, "--jwt-keys", s.PublicFile(), "--jwt-issuer",
			"https://id.example/x", "--jwt-audience", "exchange"), slog.New(slog.NewTextHandler(&lines, nil)))
		if err != nil {
			t.Fatal(err)
		}
		grant := func(issuer string) auth.Grant {
			return auth.Grant{Subject: "broker-1", Scopes: []string{"std.admin"}, Issuer: issuer,
				Audience: []string{"exchange"}, Lifetime: time.Hour}
		}
		if _, err := verify(v, issue(t, s, grant("https://id.example/x"))); err != nil {
			t.Fatal(err)
		}
		// A token whose key is not known says nothing.
		_, err = verify(v, issue(t, stranger, grant("https://id.example/x/")))
		if refused(t, err, "signature"); lines.Len() > 0 {
			t.Errorf("of a key that is not known: %s", &lines)
		}
		for range 100 {
			_, err := verify(v, issue(t, s, grant("https://id.example/x/")))
			refused(t, err, "it is from another issuer")
		}
		for _, part := range []string{"level=WARN", "iss=https://id.example/x/ ", "jwt-issuer=https://id.example/x\n",
			"differ by a slash"} {
			if strings.Count(lines.String(), part) != 1 {
				t.Errorf("%q is not once in %s", part, &lines)
			}
		}
		lines.Reset()
		time.Sleep(time.Minute)
		_, err = verify(v, issue(t, s, grant(strings.Repeat("https://id.example/y", 1000))))
		refused(t, err, "it is from another issuer")
		if strings.Count(lines.String(), "\n") != 1 || strings.Contains(lines.String(), "slash") || lines.Len() > 1000 {
			t.Errorf("after a minute: %s", &lines)
		}
	})
}
