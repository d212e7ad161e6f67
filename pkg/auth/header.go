package auth

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// tokenHeader holds the members of a token's header (RFC 7515, section 4.1) that are checked before its signature.
type tokenHeader struct {
	Algorithm string         `json:"alg"`
	KeyID     string         `json:"kid"`
	Type      string         `json:"typ"`
	Critical  jsontext.Value `json:"crit"`
	Encoded   *bool          `json:"b64"`
}

// errHeader means that the header of a token is refused, whatever its signature.
var errHeader = errors.New("auth: the token's header is refused")

// checkHeader refuses a header that the token library would accept although it must not: with a member that comes
// twice, with an extension that this verifier would have to understand (crit, RFC 7515, section 4.1.11; b64, RFC
// 7797), or with another typ than the ones that are allowed. Without allowed types, typ is not checked.
func checkHeader(token string, types []string) error {
	encoded, _, _ := strings.Cut(token, ".")
	text, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return fmt.Errorf("%w: %w", errHeader, err)
	}
	var header tokenHeader
	if err := json.Unmarshal(text, &header); err != nil {
		return fmt.Errorf("%w: %w", errHeader, err)
	}
	switch {
	case header.Critical != nil:
		return fmt.Errorf("%w: it has crit", errHeader)
	case header.Encoded != nil && !*header.Encoded:
		return fmt.Errorf("%w: its payload is not encoded", errHeader)
	case len(types) > 0 &&
		!slices.ContainsFunc(types, func(allowed string) bool { return sameType(header.Type, allowed) }):
		return fmt.Errorf("%w: its typ is %q", errHeader, header.Type)
	}
	return nil
}

// sameType reports whether two values of typ name the same media type: without case, and without "application/",
// which is left out by convention (RFC 7515, section 4.1.9).
func sameType(a, b string) bool {
	short := func(text string) string { return strings.TrimPrefix(strings.ToLower(text), "application/") }
	return short(a) == short(b)
}
