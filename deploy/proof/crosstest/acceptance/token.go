package acceptance

import (
	"testing"
	"time"

	"insurance.example/exchange/pkg/auth"
)

// The issuer and the audience of the tokens that the exchange under test accepts.
const (
	Issuer   = "exchange-local"
	Audience = "insurance-exchange"
)

// Token returns a bearer token with scopes for two hours, which the signer signs.
func Token(t *testing.T, signer *auth.Signer, scopes ...string) string {
	t.Helper()
	token, err := signer.Issue(auth.Grant{
		Subject: "crosstest", Scopes: scopes, Issuer: Issuer, Audience: []string{Audience}, Lifetime: 2 * time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	return token
}
