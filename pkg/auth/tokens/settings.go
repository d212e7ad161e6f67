// Package tokens holds the settings that say which bearer tokens are accepted. It is apart from package auth, so that
// a program that only has to know the names of these settings does not contain what verifies tokens.
package tokens

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/setting"
)

// algorithms holds the signature algorithms that can be allowed. Symmetric algorithms and "none" are not among them,
// because a verifier has only public keys.
var algorithms = []string{
	"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
}

// registered holds the claims that have a meaning of their own.
var registered = []string{"", "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "client_id"}

// Settings describes which tokens are accepted.
type Settings struct {
	// JWKSURL is the URL at which the identity provider publishes its keys. KeyFile is a file with keys (JWKS, or
	// public keys in PEM). Exactly one of the two is given.
	JWKSURL, KeyFile string
	// Issuer is the iss that a token must have. If it is empty, iss is not checked.
	Issuer string
	// Audience holds accepted values of aud; a token must have one of them. If it is empty, aud is not checked.
	Audience []string
	// Types holds accepted values of typ; a token must have one of them. If it is empty, typ is not checked.
	Types []string
	// Scopes holds the names of the claims that may hold the scopes of a token. The first one that has any decides.
	Scopes []string
	// Organisation is the claim that names the organisation of the caller, which a token must have. If it is empty,
	// organisations do not share the exchange. It follows from a setting of every process.
	Organisation string
	// Operators is the scope of those who read what all organisations have, where the exchange is shared. No setting
	// gives it.
	Operators string
	// Metadata is the URL of the exchange's metadata (RFC 9728), which challenges name; empty if it publishes none.
	// It follows from a setting of the gateway.
	Metadata string
	// Algorithms holds the signature algorithms that are allowed.
	Algorithms []string
	// Leeway is by how much the clocks of the issuer and of this process may differ.
	Leeway time.Duration
	// Refresh is the pause between two readings of the key source.
	Refresh time.Duration
	// RefreshUnknown is the least pause between two readings of the key source because of an unknown key id.
	RefreshUnknown time.Duration
	// Remember is the number of verified tokens that are remembered until they expire.
	Remember int
}

// Register declares the settings.
func (s *Settings) Register(flags *pflag.FlagSet) {
	flags.StringVar(&s.JWKSURL, "jwks-url", "", "URL of the identity provider's key set (JWKS)")
	flags.StringVar(&s.KeyFile, "jwt-keys", "", "file with the verification keys, JWKS or PEM, in place of --jwks-url")
	flags.StringVar(&s.Issuer, "jwt-issuer", "", "issuer (iss) that tokens must have; not checked if not given")
	flags.StringSliceVar(&s.Audience, "jwt-audience", nil,
		"audience (aud) of which tokens must have one; not checked if not given")
	flags.StringSliceVar(&s.Types, "jwt-type", nil,
		"type (typ) of which tokens must have one, such as at+jwt (RFC 9068); not checked if not given")
	flags.StringSliceVar(&s.Scopes, "jwt-scopes", []string{"scope", "scp"},
		"claims that may hold the scopes of a token; the first that has any decides")
	flags.StringSliceVar(&s.Algorithms, "jwt-algorithms", algorithms,
		"signature algorithms allowed; symmetric ones never are")
	setting.DurationVar(flags, &s.Leeway, "jwt-leeway", 10*time.Second, 0,
		"how much the clocks of the issuer and of this process may differ, at most 5m")
	setting.DurationVar(flags, &s.Refresh, "jwks-refresh", 5*time.Minute, time.Nanosecond,
		"pause between two readings of the verification keys")
	setting.DurationVar(flags, &s.RefreshUnknown, "jwks-refresh-unknown", 10*time.Second, time.Nanosecond,
		"least pause between two readings of the verification keys because of an unknown key id")
	setting.IntVar(flags, &s.Remember, "jwt-remember", 10_000, 1, 10_000_000,
		"number of verified tokens that are remembered until they expire")
}

// Check returns an error that names a wrong setting.
func (s *Settings) Check() error {
	switch {
	case s.JWKSURL == "" && s.KeyFile == "":
		return fmt.Errorf(
			"setting jwks-url: the keys of the identity provider are needed; give --jwks-url or --jwt-keys")
	case s.JWKSURL != "" && s.KeyFile != "":
		return fmt.Errorf("setting jwt-keys: give --jwks-url or --jwt-keys, not both")
	case len(s.Algorithms) == 0:
		return fmt.Errorf("setting jwt-algorithms: give at least one of %s", strings.Join(algorithms, ", "))
	case len(s.Scopes) == 0:
		return fmt.Errorf("setting jwt-scopes: give at least one claim, such as scope")
	case s.Leeway > 5*time.Minute:
		return fmt.Errorf("setting jwt-leeway: %s is too long; give at most 5m", s.Leeway)
	}
	for _, algorithm := range s.Algorithms {
		if !slices.Contains(algorithms, algorithm) {
			return fmt.Errorf("setting jwt-algorithms: %q is not allowed; give some of %s", algorithm,
				strings.Join(algorithms, ", "))
		}
	}
	for _, claim := range s.Scopes {
		if slices.Contains(registered, claim) {
			return fmt.Errorf("setting jwt-scopes: the claim %q has another meaning; give the claims that hold "+
				"scopes, such as scope", claim)
		}
	}
	if slices.Contains(registered[1:], s.Organisation) || slices.Contains(s.Scopes, s.Organisation) {
		return fmt.Errorf("setting org-claim: the claim %q has another meaning; give the claim that names the "+
			"organisation, such as org", s.Organisation)
	}
	if strings.ContainsFunc(s.Organisation, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("setting org-claim: %q has other characters than visible ASCII", s.Organisation)
	}
	if s.JWKSURL == "" {
		return nil
	}
	if u, err := url.Parse(s.JWKSURL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("setting jwks-url: %q is not an http or https URL", s.JWKSURL)
	}
	return nil
}
