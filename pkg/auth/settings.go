package auth

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// algorithms are the signature algorithms that can be allowed. Symmetric ones and "none" are not among them: a
// verifier holds public keys only.
var algorithms = []string{
	"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
}

// Settings say which tokens are good.
type Settings struct {
	// JWKSURL is where the identity provider publishes its keys; KeyFile is a file with them (JWKS or PEM public keys).
	// Exactly one of both is given.
	JWKSURL, KeyFile string
	// Issuer is the iss that a token must carry; any where empty.
	Issuer string
	// Audience are the values of which a token's aud must hold one; any where empty.
	Audience []string
	// Algorithms are the signature algorithms allowed.
	Algorithms []string
	// Leeway is how far the clocks of issuer and verifier may differ.
	Leeway time.Duration
	// Refresh is the pause between two looks at the key source.
	Refresh time.Duration
	// RefreshUnknown is the least pause between two looks at the key source for the sake of an unknown key id.
	RefreshUnknown time.Duration
	// Remember is how many verified tokens are remembered.
	Remember int
}

// Register declares the settings.
func (s *Settings) Register(flags *pflag.FlagSet) {
	flags.StringVar(&s.JWKSURL, "jwks-url", "", "URL of the identity provider's key set (JWKS)")
	flags.StringVar(&s.KeyFile, "jwt-keys", "", "file with the verification keys, JWKS or PEM, in place of --jwks-url")
	flags.StringVar(&s.Issuer, "jwt-issuer", "", "issuer (iss) that tokens must carry; unset: not checked")
	flags.StringSliceVar(&s.Audience, "jwt-audience", nil, "audience (aud) of which tokens must carry one; unset: not checked")
	flags.StringSliceVar(&s.Algorithms, "jwt-algorithms", algorithms, "signature algorithms allowed; symmetric ones never are")
	flags.DurationVar(&s.Leeway, "jwt-leeway", 10*time.Second, "difference of clocks allowed in exp and nbf")
	flags.DurationVar(&s.Refresh, "jwks-refresh", 5*time.Minute, "pause between two looks at the verification keys")
	flags.DurationVar(&s.RefreshUnknown, "jwks-refresh-unknown", 10*time.Second, "least pause between two looks at the verification keys because of an unknown key id")
	flags.IntVar(&s.Remember, "jwt-remember", 10_000, "number of verified tokens that are remembered until they expire")
}

// check answers an error that names the setting.
func (s *Settings) check() error {
	switch {
	case s.JWKSURL == "" && s.KeyFile == "":
		return fmt.Errorf("setting jwks-url: verification keys are needed; give --jwks-url or --jwt-keys")
	case s.JWKSURL != "" && s.KeyFile != "":
		return fmt.Errorf("setting jwt-keys: give --jwks-url or --jwt-keys, not both")
	case len(s.Algorithms) == 0:
		return fmt.Errorf("setting jwt-algorithms: at least one is needed")
	case s.Leeway < 0 || s.Leeway > 5*time.Minute:
		return fmt.Errorf("setting jwt-leeway: %s is not within 0s and 5m", s.Leeway)
	case s.Refresh <= 0:
		return fmt.Errorf("setting jwks-refresh: %s is not positive", s.Refresh)
	case s.RefreshUnknown <= 0:
		return fmt.Errorf("setting jwks-refresh-unknown: %s is not positive", s.RefreshUnknown)
	case s.Remember <= 0:
		return fmt.Errorf("setting jwt-remember: %d is not positive", s.Remember)
	}
	for _, algorithm := range s.Algorithms {
		if !slices.Contains(algorithms, algorithm) {
			return fmt.Errorf("setting jwt-algorithms: %q is not one of %s", algorithm, strings.Join(algorithms, ", "))
		}
	}
	if s.JWKSURL == "" {
		return nil
	}
	if u, err := url.Parse(s.JWKSURL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("setting jwks-url: %q is no http or https URL", s.JWKSURL)
	}
	return nil
}
