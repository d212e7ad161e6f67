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

	"insurance.example/exchange/pkg/jsonobject/jsonmember"
	"insurance.example/exchange/pkg/problem"
)

// Decode reads one JSON object into v, a pointer to a struct. null is absent, but as an element of a list: only a
// list of values that are kept as they are takes it. Errors are problem documents: problem.Malformed for text that is
// no JSON object (syntax, duplicate names, invalid UTF-8, trailing data) or is beyond the bounds of this package,
// problem.Invalid for members of the wrong type, all of them, each with its JSON pointer.
func Decode(body []byte, v any) *problem.Error {
	text, p := precheck(body)
	if p != nil {
		return p
	}
	err := json.Unmarshal(body, v)
	if err == nil && !text.nullElement {
		return nil
	}
	if err != nil {
		// A wrong type may stand before a syntax error; syntax is checked first.
		if p := syntax(body); p != nil {
			return p
		}
	}
	p = problem.New(problem.Invalid, "Members of the body have the wrong type or format.").Because(err)
	violations(p, body, reflect.TypeOf(v).Elem(), "")
	switch {
	case len(p.Violations) > 0:
		return p
	case err != nil:
		return at(p, "", "has the wrong type")
	default:
		return nil
	}
}

// precheck refuses what need not be parsed to be refused.
func precheck(body []byte) (scan, *problem.Error) {
	text := bytes.TrimLeft(body, " \t\r\n")
	switch {
	case len(text) == 0:
		return scan{}, at(problem.New(problem.Malformed, "The body is empty; a JSON object is required."),
			"", "is empty")
	case bytes.HasPrefix(body, []byte("\ufeff")):
		return scan{}, at(problem.New(problem.Malformed, "The body begins with a byte order mark; JSON has none."), "",
			"byte order mark")
	case text[0] != '{':
		// null, too, which would be read as a record without members.
		return scan{}, at(problem.New(problem.Malformed, "The body must be a JSON object."), "", "must be an object")
	}
	s := scan{text: body}
	return s, s.bounds()
}

// syntax returns what is wrong with the text as JSON, nil if nothing is.
func syntax(body []byte) *problem.Error {
	dec := decoder(body)
	_, err := dec.ReadValue()
	if err == nil {
		if rest := bytes.TrimLeft(body[dec.InputOffset():], " \t\r\n"); len(rest) > 0 {
			return at(problem.New(problem.Malformed,
				fmt.Sprintf("Something follows the JSON object, at byte %d.", len(body)-len(rest))),
				"", "trailing data")
		}
		return nil
	}
	var wrong *jsontext.SyntacticError
	if !errors.As(err, &wrong) {
		// ReadValue reports an early end as io.ErrUnexpectedEOF.
		return at(problem.New(problem.Malformed, "The JSON text ends too early.").Because(err), "", "truncated")
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
	p := problem.New(problem.Malformed,
		fmt.Sprintf("The body is no valid JSON text: %s at byte %d.", reason, wrong.ByteOffset))
	return at(p.Because(err), wrong.JSONPointer, reason)
}

// maxPointer is the most bytes of a JSON pointer in a problem; a longer one is cut to what contains it.
const maxPointer = 256

// at adds a violation at a JSON pointer.
func at(p *problem.Error, pointer jsontext.Pointer, reason string) *problem.Error {
	for len(pointer) > maxPointer {
		pointer = pointer.Parent()
	}
	return p.At(string(pointer), reason)
}

// Shape is the names of the members that an object may have, each with the shape of its value, or of the elements of
// its value where that is a list. The shape of a value that has no named members is nil.
type Shape map[string]Shape

// ShapeOf returns the shape of the values of a type. Only structs have one.
func ShapeOf(t reflect.Type) Shape {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var shape Shape
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous || !field.IsExported() || name == "" || name == "-" {
			continue
		}
		if shape == nil {
			shape = Shape{}
		}
		shape[name] = ShapeOf(field.Type)
	}
	return shape
}

// Unnamed is a member that the shape of its object does not name.
type Unnamed struct {
	// In is the pointer of the object, Name that of the member, and Known the shape.
	In    jsontext.Pointer
	Name  string
	Known Shape
}

// Unnamed returns the members of an object that the shape does not name, and those of the objects in it, up to a number
// of them. The text has been decoded before.
func (s Shape) Unnamed(object []byte, most int) []Unnamed {
	w := walk{most: most}
	w.object(object, "", s)
	return w.found
}

type walk struct {
	most  int
	found []Unnamed
}

func (w *walk) object(text []byte, at jsontext.Pointer, shape Shape) {
	members := jsonmember.Read(text)
	for len(w.found) < w.most && members.Next() {
		quoted := members.Quoted()
		inner, named := shape[string(quoted[1:max(1, len(quoted)-1)])] // without a copy of the name
		if named && inner == nil {
			continue
		}
		name, err := members.Name()
		if err != nil {
			return
		}
		if inner, named = shape[name]; named {
			w.value(members.Value(), at.AppendToken(name), inner)
		} else {
			w.found = append(w.found, Unnamed{at, name, shape})
		}
	}
}

// value looks for objects in the value of a member.
func (w *walk) value(text jsontext.Value, at jsontext.Pointer, shape Shape) {
	switch {
	case shape == nil:
	case text.Kind() == jsontext.KindBeginObject:
		w.object(text, at, shape)
	case text.Kind() == jsontext.KindBeginArray:
		for i, n := 1, 0; i < len(text); {
			switch c := text[i]; c {
			case ' ', '\t', '\r', '\n', ',', ']':
				i++
				continue
			}
			end := jsonmember.EndOfValue(text, i)
			if text[i] == '{' {
				w.object(text[i:end], at.AppendToken(strconv.Itoa(n)), shape)
			}
			i, n = end, n+1
		}
	}
}
