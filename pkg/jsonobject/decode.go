// Package jsonobject reads and compares JSON objects as text: it decodes a body into a struct with every violation
// named by its JSON pointer, and takes objects apart and puts them together without losing a digit.
package jsonobject

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/problem"
)

// Bounds on one body, beside its size.
const (
	maxDepth      = 64        // levels of nesting
	maxString     = 64 * 1024 // bytes of one string or member name, as written
	maxViolations = 32        // wrongly typed members told at once
)

// Decode reads one JSON object into v, a pointer to a struct. Errors are problem documents: problem.Malformed for text
// that is no JSON object (syntax, duplicate names, invalid UTF-8, trailing data, too deep), problem.Invalid for members
// of the wrong type, all of them, each with its JSON pointer.
func Decode(body []byte, v any) *problem.Error {
	if p := precheck(body); p != nil {
		return p
	}
	err := json.Unmarshal(body, v)
	if err == nil {
		return nil
	}
	// A wrong type may stand before a syntax error; syntax is checked first.
	if p := syntax(body); p != nil {
		return p
	}
	return wrongTypes(body, v, err)
}

// precheck refuses what need not be parsed to be refused.
func precheck(body []byte) *problem.Error {
	text := bytes.TrimLeft(body, " \t\r\n")
	switch {
	case len(text) == 0:
		return problem.New(problem.Malformed, "The body is empty; a JSON object is required.").At("", "is empty")
	case bytes.HasPrefix(body, []byte("\ufeff")):
		return problem.New(problem.Malformed, "The body begins with a byte order mark; JSON has none.").At("", "byte order mark")
	case text[0] != '{':
		// null, too, which would be read as a record without members.
		return problem.New(problem.Malformed, "The body must be a JSON object.").At("", "must be an object")
	}
	return bounds(body)
}

// bounds refuses text that is nested too deep or has a string that is too long. It reads the text once, without
// parsing it, so that parsing is never more work than the bounds allow.
func bounds(body []byte) *problem.Error {
	depth, start := 0, -1
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case start >= 0 && c == '\\':
			i++
		case start >= 0 && c == '"':
			if i-start > maxString {
				reason := fmt.Sprintf("longer than %d bytes", maxString)
				return problem.New(problem.Malformed, "A string is "+reason+".").At(pointerAt(body, start), reason)
			}
			start = -1
		case start >= 0:
		case c == '"':
			start = i
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				reason := fmt.Sprintf("nested deeper than %d levels", maxDepth)
				return problem.New(problem.Malformed, "The body is "+reason+".").At(pointerAt(body, i), reason)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// pointerAt answers the JSON pointer of the value that begins at an offset, or of the last one before it.
func pointerAt(body []byte, offset int) string {
	dec := jsontext.NewDecoder(bytes.NewReader(body))
	for {
		if _, err := dec.ReadToken(); err != nil || dec.InputOffset() > int64(offset) {
			return string(dec.StackPointer())
		}
	}
}

// syntax answers what is wrong with the text as JSON, nil if nothing is.
func syntax(body []byte) *problem.Error {
	dec := jsontext.NewDecoder(bytes.NewReader(body))
	_, err := dec.ReadValue()
	if err == nil {
		if rest := bytes.TrimLeft(body[dec.InputOffset():], " \t\r\n"); len(rest) > 0 {
			return problem.New(problem.Malformed, fmt.Sprintf("Something follows the JSON object, at byte %d.", len(body)-len(rest))).
				At("", "trailing data")
		}
		return nil
	}
	var wrong *jsontext.SyntacticError
	if !errors.As(err, &wrong) {
		// ReadValue reports an early end as io.ErrUnexpectedEOF.
		return problem.New(problem.Malformed, "The JSON text ends too early.").At("", "truncated").Because(err)
	}
	reason := "malformed JSON"
	switch {
	case errors.Is(wrong.Err, jsontext.ErrDuplicateName):
		reason = "duplicate member name"
	case !utf8.Valid(body):
		reason = "invalid UTF-8"
	case strings.Contains(wrong.Err.Error(), "EOF"):
		reason = "truncated"
	}
	return problem.New(problem.Malformed, fmt.Sprintf("The body is no valid JSON text: %s at byte %d.", reason, wrong.ByteOffset)).
		At(string(wrong.JSONPointer), reason).Because(err)
}

// wrongTypes collects every member of the wrong type: each one found is taken for null, which every member accepts, and
// the rest is read again.
func wrongTypes(body []byte, v any, err error) *problem.Error {
	p := problem.New(problem.Invalid, "Members of the body have the wrong type or format.").Because(err)
	seen := map[jsontext.Pointer]bool{}
	for len(p.Violations) < maxViolations {
		var wrong *json.SemanticError
		if !errors.As(err, &wrong) || seen[wrong.JSONPointer] {
			break
		}
		seen[wrong.JSONPointer] = true
		p.At(string(wrong.JSONPointer), reasonFor(wrong))
		var path []string
		for token := range wrong.JSONPointer.Tokens() {
			path = append(path, token)
		}
		body = nullAt(body, path)
		fresh := reflect.New(reflect.TypeOf(v).Elem()).Interface()
		if err = json.Unmarshal(body, fresh); err == nil {
			break
		}
	}
	return p
}

// reasonFor says in words what a member must be.
func reasonFor(wrong *json.SemanticError) string {
	if wrong.GoType == nil {
		return "has the wrong type"
	}
	t := wrong.GoType
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if wrong.Err != nil && reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return wrong.Err.Error() // the type's own words
	}
	switch t.Kind() {
	case reflect.String:
		return "must be a string"
	case reflect.Bool:
		return "must be true or false"
	case reflect.Slice:
		return "must be an array"
	case reflect.Struct, reflect.Map:
		return "must be an object"
	default:
		return "has the wrong type"
	}
}

// nullAt answers value with null in place of what stands at path.
func nullAt(value jsontext.Value, path []string) jsontext.Value {
	if len(path) == 0 {
		return jsontext.Value("null")
	}
	var out bytes.Buffer
	enc, dec := jsontext.NewEncoder(&out), jsontext.NewDecoder(bytes.NewReader(value))
	open, err := dec.ReadToken()
	if err != nil {
		return value
	}
	_ = enc.WriteToken(open)
	for i := 0; dec.PeekKind() != jsontext.KindEndObject && dec.PeekKind() != jsontext.KindEndArray; i++ {
		name := strconv.Itoa(i)
		if open.Kind() == jsontext.KindBeginObject {
			token, err := dec.ReadToken()
			if err != nil {
				return value
			}
			name = token.String()
			_ = enc.WriteToken(token)
		}
		member, err := dec.ReadValue()
		if err != nil {
			return value
		}
		if name == path[0] {
			member = nullAt(member, path[1:])
		}
		_ = enc.WriteValue(member)
	}
	if closing, err := dec.ReadToken(); err == nil {
		_ = enc.WriteToken(closing)
	}
	return out.Bytes()
}
