package auth_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/organisation"
)

// TestTheClaimNamesTheOrganisation has tokens with each form of the claim that a provider, or somebody who attacks one,
// may write.
func TestTheClaimNamesTheOrganisation(t *testing.T) {
	private, _, path := rsaFile(t)
	s := settings(t, "--jwt-keys", path)
	s.Organisation = "https://exchange.example/org"
	v, err := auth.NewVerifier(t.Context(), s, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	token := func(claims string) string {
		return signText(t, private, `{"alg":"RS256"}`, fmt.Sprintf(
			`{"iss":"https://id.example","sub":"broker-1","org":"other","exp":%d%s}`,
			time.Now().Add(time.Hour).Unix(), claims))
	}
	claim := func(value string) string { return `,"https://exchange.example/org":` + value }
	for _, name := range []string{"acme", "ACME", "a", "0.-_", strings.Repeat("x", 64)} {
		for range 2 { // the second time the token is remembered
			caller, err := verify(v, token(claim(`"`+name+`"`)))
			if err != nil || caller.Organisation.Name() != name || caller.Issuer != "https://id.example" {
				t.Errorf("%s: %+v %v", name, caller, err)
			}
		}
	}
	const notOne, noName = "is not one string", "is no name of an organisation"
	for claims, want := range map[string]string{
		``:                                       "lacks the claim https://exchange.example/org",
		`,"HTTPS://exchange.example/org":"acme"`: "lacks the claim",
		claim(`["acme"]`):                        notOne,
		claim(`7`):                               notOne,
		claim(`null`):                            notOne,
		claim(`true`):                            notOne,
		claim(`{"acme":{"id":"x"}}`):             notOne,
		claim(`""`):                              noName,
		claim(`" acme"`):                         noName,
		claim(`"acme\n"`):                        noName,
		claim(`"acme\u0000"`):                    noName,
		claim(`"acm\u00e9"`):                     noName,
		claim(`"*"`):                             noName,
		claim(`"acme/zenith"`):                   noName,
		claim(`"` + strings.Repeat("x", 65) + `"`): noName,
		claim(`"acme"`) + claim(`"zenith"`):        "invalid_token",
	} {
		_, err := verify(v, token(claims))
		refused(t, err, want)
	}
	sole, err := verify(verifier(t, "--jwt-keys", path), token(claim(`["acme"]`)))
	if err != nil || sole.Organisation != organisation.Sole() || sole.Issuer != "" {
		t.Errorf("without the setting: %+v %v", sole, err)
	}
}

func TestClaimsWithAnotherMeaningNameNoOrganisation(t *testing.T) {
	public := signer(t).PublicFile()
	for _, claim := range []string{"sub", "iss", "aud", "client_id", "scope", "scp", "or g", "örg"} {
		s := settings(t, "--jwt-keys", public)
		s.Organisation = claim
		if _, err := auth.NewVerifier(t.Context(), s, slog.New(slog.DiscardHandler)); err == nil ||
			!strings.Contains(err.Error(), "setting org-claim") {
			t.Errorf("%s: error %v, want one about the setting", claim, err)
		}
	}
}

func TestSignersNameTheOrganisation(t *testing.T) {
	own := signer(t)
	s := settings(t, "--jwt-keys", own.PublicFile())
	s.Organisation = "org"
	v, err := auth.NewVerifier(t.Context(), s, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	caller, err := verify(v, issue(t, own, auth.Grant{
		Subject: "broker-1", Organisation: "acme", OrganisationClaim: "org", Lifetime: time.Hour,
	}))
	if err != nil || caller.Organisation.Name() != "acme" {
		t.Errorf("%+v %v", caller, err)
	}
	_, err = verify(v, issue(t, own, auth.Grant{Subject: "broker-1", Lifetime: time.Hour}))
	refused(t, err, "lacks the claim org")
}
