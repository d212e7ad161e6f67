package auth

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/golang-jwt/jwt/v5"

	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/request"
)

// claims holds the members of a token that are read. It is decoded strictly: names are compared with their case, a
// member that comes twice is refused, and so is text that is not UTF-8. At an identity provider that lets its users
// set claims of their own, a claim named SCOPE must not grant anything.
type claims struct {
	Issuer    string      `json:"iss"`
	Subject   string      `json:"sub"`
	Audience  audience    `json:"aud"`
	Expires   numericDate `json:"exp"`
	NotBefore numericDate `json:"nbf"`
	IssuedAt  numericDate `json:"iat"`
	ClientID  string      `json:"client_id"`
	// Others holds the claims above excepted, those of the scopes among them.
	Others map[string]jsontext.Value `json:",embed"`
}

// UnmarshalJSON replaces the decoding of the token library, which is lenient.
func (c *claims) UnmarshalJSON(data []byte) error {
	type members claims
	return json.Unmarshal(data, (*members)(c))
}

// The methods by which the token library checks the claims.

func (c *claims) GetExpirationTime() (*jwt.NumericDate, error) { return c.Expires.NumericDate, nil }
func (c *claims) GetNotBefore() (*jwt.NumericDate, error)      { return c.NotBefore.NumericDate, nil }
func (c *claims) GetIssuedAt() (*jwt.NumericDate, error)       { return c.IssuedAt.NumericDate, nil }
func (c *claims) GetIssuer() (string, error)                   { return c.Issuer, nil }
func (c *claims) GetSubject() (string, error)                  { return c.Subject, nil }
func (c *claims) GetAudience() (jwt.ClaimStrings, error)       { return jwt.ClaimStrings(c.Audience), nil }

// caller returns the caller that the claims name: the subject, else the client (RFC 9068, section 2.2). The first claim
// named in scopes that has any scopes decides. The error says which claim is malformed. The caller acts for nobody yet.
func (c *claims) caller(scopes []string) (request.Caller, error) {
	caller := request.Caller{Subject: c.Subject, Client: c.ClientID}
	if caller.Client == "" {
		// Providers of OpenID Connect name the client so. Nothing is decided by it, so that another type is no error.
		_ = json.Unmarshal(c.Others["azp"], &caller.Client)
	}
	if caller.Subject == "" {
		caller.Subject = c.ClientID
	}
	for _, name := range scopes {
		value, ok := c.Others[name]
		if !ok {
			continue
		}
		list, err := readScopes(value)
		if err != nil {
			return request.Caller{}, fmt.Errorf("claim %s: %w", name, err)
		}
		if len(caller.Scopes) == 0 {
			caller.Scopes = list
		}
	}
	return caller, nil
}

// organisation returns the organisation that a claim names. The error says what is wrong with the claim, in words for
// the caller.
func (c *claims) organisation(claim string) (organisation.ID, error) {
	value, has := c.Others[claim]
	if !has {
		return organisation.ID{}, fmt.Errorf("it lacks the claim %s, which names the organisation of the caller", claim)
	}
	var name string
	if value.Kind() != jsontext.KindString || json.Unmarshal(value, &name) != nil {
		return organisation.ID{}, fmt.Errorf("its claim %s is not one string, the name of the caller's organisation",
			claim)
	}
	who, err := organisation.Named(name)
	if err != nil {
		return organisation.ID{}, fmt.Errorf("its claim %s is no name of an organisation, which has 1 to 64 letters, "+
			"digits, dots, underscores and hyphens", claim)
	}
	return who, nil
}

// latest is the last instant that a numeric date may name, in seconds since 1970: the end of the year 9999.
const latest = 253402300799

// numericDate is an instant in seconds since 1970 (RFC 7519, section 2); nil if the claim is absent.
type numericDate struct{ *jwt.NumericDate }

func (d *numericDate) UnmarshalJSON(data []byte) error {
	if jsontext.Value(data).Kind() == jsontext.KindNull {
		return nil
	}
	var seconds float64 // a string, such as "1700000000", is refused
	if err := json.Unmarshal(data, &seconds); err != nil {
		return err
	}
	if seconds < 0 || seconds > latest {
		return fmt.Errorf("%s is no date", data)
	}
	whole, fraction := math.Modf(seconds)
	d.NumericDate = jwt.NewNumericDate(time.Unix(int64(whole), int64(fraction*float64(time.Second))))
	return nil
}

// audience is one string or an array of them (RFC 7519, section 4.1.3).
type audience []string

func (a *audience) UnmarshalJSON(data []byte) (err error) {
	*a, err = oneOrMore(data, func(text string) []string { return []string{text} })
	return err
}

// readScopes reads scopes: one string with spaces between them (RFC 8693), or an array, as some providers write it.
func readScopes(data jsontext.Value) ([]string, error) {
	scopes, err := oneOrMore(data, strings.Fields)
	// A scope must fit into the header that carries scopes to a service, separated by spaces.
	return slices.DeleteFunc(scopes, func(scope string) bool {
		return scope == "" || strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' })
	}), err
}

// oneOrMore reads an array of strings, or one string that is taken apart. It returns nil for null.
func oneOrMore(data []byte, apart func(string) []string) ([]string, error) {
	switch jsontext.Value(data).Kind() {
	case jsontext.KindNull:
		return nil, nil
	case jsontext.KindString:
		var text string
		err := json.Unmarshal(data, &text)
		return apart(text), err
	case jsontext.KindBeginArray:
		var texts []*string
		if err := json.Unmarshal(data, &texts); err != nil {
			return nil, err
		}
		all := make([]string, len(texts))
		for i, text := range texts {
			if text == nil {
				return nil, errors.New("null among strings")
			}
			all[i] = *text
		}
		return all, nil
	default:
		return nil, errors.New("neither a string nor an array of strings")
	}
}
