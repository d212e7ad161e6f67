package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	lru "github.com/hashicorp/golang-lru/v2"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// Verifier tells callers by their bearer tokens (RFC 6750, RFC 9068). It is safe for concurrent use.
type Verifier struct {
	keyring  *keyring
	parser   *jwt.Parser
	leeway   time.Duration
	verified *lru.Cache[string, verified]
}

// verified is what a good token says. It is remembered by the token itself: hashing it first would keep the token out of
// the memory, but takes ten times as long as the rest of the look-up on processors without SHA instructions.
type verified struct {
	caller request.Caller
	until  time.Time
}

// NewVerifier makes a verifier and looks at the key source once. A key file must be readable; an identity provider may
// be down, then tokens get 503 until it is back. Run keeps the keys fresh. Errors name the setting.
func NewVerifier(ctx context.Context, s Settings, log *slog.Logger) (*Verifier, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	cache, err := lru.New[string, verified](s.Remember)
	if err != nil {
		return nil, fmt.Errorf("setting jwt-remember: %w", err)
	}
	v := &Verifier{leeway: s.Leeway, verified: cache}
	v.keyring = &keyring{
		load: fromFile(s.KeyFile), every: s.Refresh, soonest: s.RefreshUnknown,
		// A withdrawn key takes the tokens it signed with it.
		log: log, changed: cache.Purge,
	}
	if s.JWKSURL != "" {
		v.keyring.load = fromURL(&http.Client{Timeout: fetchTimeout}, s.JWKSURL)
	}
	v.parser = jwt.NewParser(parserOptions(s)...)
	if err := v.keyring.refresh(ctx); err != nil && s.KeyFile != "" {
		return nil, fmt.Errorf("setting jwt-keys: %w", err)
	}
	return v, nil
}

func parserOptions(s Settings) []jwt.ParserOption {
	options := []jwt.ParserOption{
		jwt.WithValidMethods(s.Algorithms), jwt.WithExpirationRequired(), jwt.WithLeeway(s.Leeway),
	}
	if s.Issuer != "" {
		options = append(options, jwt.WithIssuer(s.Issuer))
	}
	if len(s.Audience) > 0 {
		options = append(options, jwt.WithAudience(s.Audience...))
	}
	return options
}

// Run keeps the keys fresh until ctx ends; it answers nil.
func (v *Verifier) Run(ctx context.Context) error {
	v.keyring.run(ctx)
	return nil
}

// Ready answers an error while no key is known.
func (v *Verifier) Ready(context.Context) error {
	if len(v.keyring.keys()) == 0 {
		return errNoKeys
	}
	return nil
}

// Verify answers the caller whom the Authorization header names. Errors are problems: 401 with a challenge where there
// is no good token, 503 where the keys to tell cannot be had.
func (v *Verifier) Verify(ctx context.Context, header http.Header) (request.Caller, error) {
	token, err := bearer(header)
	if err != nil {
		return request.Caller{}, err
	}
	if known, ok := v.verified.Get(token); ok && time.Now().Before(known.until) {
		return known.caller, nil
	}
	var claims claims
	if _, err := v.parser.ParseWithClaims(token, &claims, v.keysFor(ctx)); err != nil {
		if errors.Is(err, errNoKeys) {
			return request.Caller{}, problem.Outage(err)
		}
		return request.Caller{}, invalidToken(reason(err), err)
	}
	caller := claims.caller()
	if caller.Subject == "" {
		// Idempotency keys are kept for each subject: callers without one would share theirs.
		return request.Caller{}, invalidToken("it names no subject", nil)
	}
	// The token is part of a text with all headers of its request, which need not be kept.
	v.verified.Add(strings.Clone(token), verified{caller: caller, until: claims.ExpiresAt.Add(v.leeway)})
	return caller, nil
}

// bearer answers the token of the one Authorization header.
func bearer(header http.Header) (string, error) {
	values := header["Authorization"]
	if len(values) > 1 {
		return "", invalidToken("there is more than one Authorization header", nil)
	}
	if len(values) == 0 {
		return "", missingToken()
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", missingToken()
	}
	return token, nil
}

// keysFor answers the keys a token may be signed with, after a fresh look at the source where none is known.
func (v *Verifier) keysFor(ctx context.Context) jwt.Keyfunc {
	return func(token *jwt.Token) (any, error) {
		id, _ := token.Header["kid"].(string)
		found := candidates(v.keyring.keys(), id, token.Method)
		if len(found) == 0 {
			cause := v.keyring.refreshFor(ctx)
			if v.keyring.keys() == nil {
				return nil, errors.Join(errNoKeys, cause)
			}
			found = candidates(v.keyring.keys(), id, token.Method)
		}
		if len(found) == 0 {
			return nil, errors.New("no key of this id and algorithm is known")
		}
		return jwt.VerificationKeySet{Keys: found}, nil
	}
}

// reason says in the words of a caller why a token was refused.
func reason(err error) string {
	switch {
	case errors.Is(err, jwt.ErrTokenMalformed):
		return "it is malformed"
	case errors.Is(err, jwt.ErrTokenUnverifiable), errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return "its signature or algorithm is not accepted"
	case errors.Is(err, jwt.ErrTokenExpired):
		return "it has expired"
	case errors.Is(err, jwt.ErrTokenNotValidYet), errors.Is(err, jwt.ErrTokenUsedBeforeIssued):
		return "it is not valid yet"
	case errors.Is(err, jwt.ErrTokenInvalidAudience):
		return "it is for another audience"
	case errors.Is(err, jwt.ErrTokenInvalidIssuer):
		return "it is of another issuer"
	default:
		return "a claim is missing or wrong"
	}
}
