// Package reference finds and replaces texts that stand for a value of an earlier operation of the same request, such
// as "@p.id".
package reference

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// The members that a reference can name.
const (
	ID           = "id"
	PolicyNumber = "policyNumber"
	ClaimNumber  = "claimNumber"
)

// Members returns the members that a reference can name.
func Members() []string { return []string{ID, PolicyNumber, ClaimNumber} }

// form is the form of a reference: every text of this form with one of Members is one.
var form = regexp.MustCompile(`^@([A-Za-z0-9_-]{1,64})\.([A-Za-z]+)$`)

// name is the form of the name of an operation that others refer to.
var name = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Named reports whether a text may be the name of an operation: 1 to 64 letters, digits, hyphens and underscores.
func Named(text string) bool { return name.MatchString(text) }

// Reference is a text in a JSON value that stands for a member of what an operation makes.
type Reference struct {
	// Pointer is where it is in the value, To the name of the operation, and Member that of the member.
	Pointer    jsontext.Pointer
	To, Member string
}

// Find returns the references in a JSON value, in their order, and apart from them the texts that would be one with
// another member. Errors: the value is no JSON.
func Find(value []byte) (references, others []Reference, err error) {
	_, err = resolve(value, func(r Reference) (string, bool) {
		if slices.Contains(Members(), r.Member) {
			references = append(references, r)
		} else {
			others = append(others, r)
		}
		return "", false
	})
	return references, others, err
}

// Resolve returns a JSON value with a text in place of each reference. All else stays as it is. Errors: the value is no
// JSON.
func Resolve(value []byte, text func(Reference) string) ([]byte, error) {
	return resolve(value, func(r Reference) (string, bool) {
		if !slices.Contains(Members(), r.Member) {
			return "", false
		}
		return text(r), true
	})
}

// resolve is Resolve for the texts of the form of a reference for which text returns true.
func resolve(value []byte, text func(Reference) (string, bool)) ([]byte, error) {
	in := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true))
	var out []byte
	copied := 0
	for {
		if in.PeekKind() != jsontext.KindString || isName(in) {
			if _, err := in.ReadToken(); err != nil {
				if errors.Is(err, io.EOF) {
					return append(out, value[copied:]...), nil
				}
				return nil, err
			}
			continue
		}
		raw, err := in.ReadValue()
		if err != nil {
			return nil, err
		}
		end := int(in.InputOffset())
		begin := end - len(raw)
		plain, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return nil, err
		}
		parts := form.FindSubmatch(plain)
		if parts == nil {
			continue
		}
		stands, is := text(Reference{in.StackPointer(), string(parts[1]), string(parts[2])})
		if !is {
			continue
		}
		out = append(out, value[copied:begin]...)
		if out, err = jsontext.AppendQuote(out, stands); err != nil {
			return nil, err
		}
		copied = end
	}
}

// isName reports whether the next token is the name of a member.
func isName(in *jsontext.Decoder) bool {
	kind, length := in.StackIndex(in.StackDepth())
	return kind == jsontext.KindBeginObject && length%2 == 0
}
