// Package auth verifies bearer tokens, and issues them for exchanges that have no identity provider.
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

	"insurance.example/exchange/pkg/auth/tokens"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// Verifier identifies callers by their bearer tokens (RFC 6750, RFC 9068). It is safe for concurrent use.
type Verifier struct {
	keyring  *keyring
	parser   *jwt.Parser
	types    []string
	scopes   []string // the claims that hold scopes
	metadata string
	leeway   time.Duration
	verified *lru.Cache[string, verified]
}

// verified holds what a verified token says. Its key in the cache is the token itself. A hash of it would keep the
// token out of memory, but takes ten times as long as the rest of the look-up on processors without SHA instructions.
type verified struct {
	caller request.Caller
	until  time.Time
	// keys are those that verified the token. It is verified again when there are others: the tokens of a withdrawn
	// key must not be accepted any longer.
	keys *[]key
}

// NewVerifier returns a verifier that has read the key source once. It fails if a key file cannot be read. An
// identity provider may be down: then requests get 503 until it is back. It logs a warning if the issuer or the
// audience of tokens is not checked. Errors name the setting.
func NewVerifier(ctx context.Context, s tokens.Settings, log *slog.Logger) (*Verifier, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	cache, err := lru.New[string, verified](s.Remember)
	if err != nil {
		return nil, fmt.Errorf("setting jwt-remember: %w", err)
	}
	v := &Verifier{types: s.Types, scopes: s.Scopes, metadata: s.Metadata, leeway: s.Leeway, verified: cache}
	v.keyring = &keyring{
		load: fromFile(s.KeyFile), every: s.Refresh, soonest: s.RefreshUnknown, log: log,
	}
	if s.JWKSURL != "" {
		v.keyring.load = fromURL(&http.Client{Timeout: fetchTimeout}, s.JWKSURL)
	}
	v.parser = jwt.NewParser(parserOptions(s)...)
	if s.Issuer == "" {
		log.Warn("tokens of any issuer are accepted if their key is known; set --jwt-issuer to the iss of your " +
			"identity provider")
	}
	if len(s.Audience) == 0 {
		log.Warn("tokens that were issued for other applications are accepted; set --jwt-audience to the aud of " +
			"this exchange")
	}
	if err := v.keyring.refresh(ctx); err != nil && s.KeyFile != "" {
		return nil, fmt.Errorf("setting jwt-keys: %w", err)
	}
	return v, nil
}

func parserOptions(s tokens.Settings) []jwt.ParserOption {
	options := []jwt.ParserOption{
		jwt.WithValidMethods(s.Algorithms), jwt.WithExpirationRequired(), jwt.WithLeeway(s.Leeway),
		jwt.WithStrictDecoding(),
	}
	if s.Issuer != "" {
		options = append(options, jwt.WithIssuer(s.Issuer))
	}
	if len(s.Audience) > 0 {
		options = append(options, jwt.WithAudience(s.Audience...))
	}
	return options
}

// Run refreshes the keys until ctx ends, and returns nil.
func (v *Verifier) Run(ctx context.Context) error {
	v.keyring.run(ctx)
	return nil
}

// Ready returns an error while no key is known.
func (v *Verifier) Ready(context.Context) error {
	if len(v.keyring.keys()) == 0 {
		return errNoKeys
	}
	return nil
}

// Verify returns the caller that the token in the header Authorization names. Its errors are problems: 401 if there
// is no valid token, with a challenge that names the scope that the request needs; 503 if no verification key could
// be read. Whether the caller has the scope is for the caller of Verify to decide.
func (v *Verifier) Verify(ctx context.Context, header http.Header, scope string) (request.Caller, error) {
	challenge := challenge{scope, v.metadata}
	token, err := challenge.bearer(header)
	if err != nil {
		return request.Caller{}, err
	}
	keys := v.keyring.current.Load()
	if known, ok := v.verified.Get(token); ok && known.keys == keys && time.Now().Before(known.until) {
		return known.caller, nil
	}
	if err := checkHeader(token, v.types); err != nil {
		return request.Caller{}, challenge.invalidToken(reason(err), err)
	}
	var claims claims
	if _, err := v.parser.ParseWithClaims(token, &claims, v.keysFor(ctx)); err != nil {
		if errors.Is(err, errNoKeys) {
			return request.Caller{}, problem.Outage(err)
		}
		return request.Caller{}, challenge.invalidToken(reason(err), err)
	}
	caller, err := claims.caller(v.scopes)
	if err != nil {
		return request.Caller{}, challenge.invalidToken("its scopes are malformed", err)
	}
	if caller.Subject == "" {
		// Idempotency keys are kept for each subject: callers without one would share theirs.
		return request.Caller{}, challenge.invalidToken("it names no subject", nil)
	}
	// A clone, because the token is a part of a string with all headers of the request, which would be kept with it.
	v.verified.Add(strings.Clone(token), verified{caller: caller, until: claims.Expires.Add(v.leeway), keys: keys})
	return caller, nil
}

// bearer returns the token in the header Authorization.
func (c challenge) bearer(header http.Header) (string, error) {
	values := header["Authorization"]
	if len(values) > 1 {
		return "", c.invalidToken("there is more than one Authorization header", nil)
	}
	if len(values) == 0 {
		return "", c.missingToken()
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", c.missingToken()
	}
	return token, nil
}

// keysFor returns a function that finds the keys that may verify a token, after a refresh if there is none. A refresh
// that was under way may have missed a new key, so there is a second one.
func (v *Verifier) keysFor(ctx context.Context) jwt.Keyfunc {
	return func(token *jwt.Token) (any, error) {
		id, _ := token.Header["kid"].(string)
		found := candidates(v.keyring.keys(), id, token.Method)
		for attempt := 0; len(found) == 0 && attempt < 2; attempt++ {
			if err := v.keyring.refreshFor(ctx); err != nil {
				return nil, errors.Join(errNoKeys, err)
			}
			found = candidates(v.keyring.keys(), id, token.Method)
		}
		if len(found) == 0 {
			return nil, errors.New("no key of this id and algorithm is known")
		}
		return jwt.VerificationKeySet{Keys: found}, nil
	}
}

// reason returns why a token was refused, in words for its caller.
func reason(err error) string {
	switch {
	case errors.Is(err, errHeader):
		return "its header is malformed, or of a type that is not accepted"
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
		return "it is from another issuer"
	default:
		return "a claim is missing or wrong"
	}
}
