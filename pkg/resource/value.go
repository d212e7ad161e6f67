package resource

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Object is a JSON object: its members are values, or objects.
type Object map[string]any

// Put adds a value at a path. It reports whether there was room for it: neither a value nor an object is there, and no
// value is on the way.
func (o Object) Put(path []string, value jsontext.Value) bool {
	name := path[0]
	there, taken := o[name]
	if len(path) == 1 {
		if !taken {
			o[name] = value
		}
		return !taken
	}
	if !taken {
		there = Object{}
		o[name] = there
	}
	inner, is := there.(Object)
	return is && inner.Put(path[1:], value)
}

// Value returns the value of a cell in a column of a kind, as the interface writes it. A cell that has not that kind
// becomes a string, which the exchange refuses with a pointer to the member.
func Value(kind Kind, cell string) (jsontext.Value, error) {
	trimmed := strings.TrimSpace(cell)
	value := jsontext.Value(trimmed)
	is := func(kind jsontext.Kind) bool { return value.Kind() == kind && value.IsValid() }
	switch {
	case kind == Number && is(jsontext.KindNumber), kind == Free && value.IsValid(),
		is(jsontext.KindString), kind == List && is(jsontext.KindBeginArray):
		return value, nil
	case kind == Flag && (strings.EqualFold(trimmed, "true") || strings.EqualFold(trimmed, "false")):
		return jsontext.Value(strings.ToLower(trimmed)), nil
	case kind == List:
		texts := strings.Split(cell, ";")
		for i, text := range texts {
			texts[i] = strings.TrimSpace(text)
		}
		return json.Marshal(texts)
	default:
		return jsontext.AppendQuote(nil, cell)
	}
}
