package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	lru "github.com/hashicorp/golang-lru/v2"

	"insurance.example/exchange/pkg/auth/tokens"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/patience"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// Verifier identifies callers by their bearer tokens (RFC 6750, RFC 9068). It is safe for concurrent use.
type Verifier struct {
	keyring *keyring
	parser  *jwt.Parser
	types   []string
	scopes  []string // the claims that hold scopes
	// organisation is the claim that names the organisation; empty if organisations do not share the exchange.
	organisation string
	// operators is the scope of those who read what all organisations have.
	operators string
	metadata  string
	leeway    time.Duration
	foreign   foreign
	verified  *lru.Cache[string, verified]
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
	load := fromFile(s.KeyFile)
	if s.JWKSURL != "" {
		load = fromURL(&http.Client{Timeout: patience.Times(fetchTimeout)}, s.JWKSURL)
	}
	v, err := newVerifier(s, load, log)
	if err != nil {
		return nil, err
	}
	if err := v.keyring.refresh(ctx); err != nil && s.KeyFile != "" {
		return nil, fmt.Errorf("setting jwt-keys: %w", err)
	}
	return v, nil
}

// newVerifier returns a verifier that has not read its key source yet.
func newVerifier(
	s tokens.Settings, load func(context.Context) ([]byte, error), log *slog.Logger,
) (*Verifier, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	cache, err := lru.New[string, verified](s.Remember)
	if err != nil {
		return nil, fmt.Errorf("setting jwt-remember: %w", err)
	}
	v := &Verifier{
		types: s.Types, scopes: s.Scopes, organisation: s.Organisation, operators: s.Operators,
		metadata: s.Metadata, leeway: s.Leeway, verified: cache, foreign: foreign{log: log, want: s.Issuer},
	}
	v.keyring = &keyring{
		load: load, every: s.Refresh, soonest: s.RefreshUnknown, local: s.KeyFile != "", log: log,
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

// Known returns the caller that the token in the header Authorization names, if the token has been verified before.
// That is a look-up: it costs next to nothing.
func (v *Verifier) Known(header http.Header) (caller request.Caller, known bool) {
	token, err := challenge{}.bearer(header)
	if err != nil {
		return request.Caller{}, false
	}
	return v.knows(token)
}

func (v *Verifier) knows(token string) (caller request.Caller, known bool) {
	of, known := v.verified.Get(token)
	if !known || of.keys != v.keyring.current.Load() || !time.Now().Before(of.until) {
		return request.Caller{}, false
	}
	return of.caller, true
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
	if caller, known := v.knows(token); known {
		return caller, nil
	}
	if err := checkHeader(token, v.types); err != nil {
		return request.Caller{}, challenge.invalidToken(reason(err), err)
	}
	var claims claims
	if _, err := v.parser.ParseWithClaims(token, &claims, v.keysFor(ctx)); err != nil {
		if errors.Is(err, errNoKeys) {
			return request.Caller{}, undecided(err)
		}
		if errors.Is(err, jwt.ErrTokenInvalidIssuer) {
			v.foreign.says(claims.Issuer)
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
	if caller.Organisation = organisation.Sole(); v.organisation != "" {
		caller.Issuer = claims.Issuer
		if caller.Has(v.operators) {
			// Whatever else the token says: who may read everything writes nothing.
			caller.Organisation = organisation.Operator()
		} else if caller.Organisation, err = claims.organisation(v.organisation); err != nil {
			return request.Caller{}, challenge.invalidToken(err.Error(), err)
		}
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

// keysFor returns a function that finds the keys that may verify a token. If there is none, it looks whether the source
// has one by now. A token is refused only if it certainly has none.
func (v *Verifier) keysFor(ctx context.Context) jwt.Keyfunc {
	return func(token *jwt.Token) (any, error) {
		id, _ := token.Header["kid"].(string)
		keys := candidates(v.keyring.keys(), id, token.Method)
		if len(keys) == 0 {
			err := v.keyring.refreshFor(ctx)
			// Others may have read it meanwhile, whatever became of this look-up.
			keys = candidates(v.keyring.keys(), id, token.Method)
			if len(keys) == 0 && err != nil {
				return nil, errors.Join(errNoKeys, err)
			}
		}
		if len(keys) == 0 {
			return nil, errors.New("no key of this id and algorithm is known")
		}
		return jwt.VerificationKeySet{Keys: keys}, nil
	}
}

// undecided returns the problem 503 of a token whose key could not be looked up.
func undecided(cause error) *problem.Error {
	var held heldBack
	if !errors.As(cause, &held) {
		return problem.Outage(cause)
	}
	seconds := int64((held.left + time.Second - 1) / time.Second)
	return problem.New(problem.Unavailable, "The key of the token is not known here, and whether the identity "+
		"provider has it by now cannot be asked yet. Nothing was done; send the request again.").
		WithHeader("Retry-After", strconv.FormatInt(seconds, 10)).Because(cause)
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
