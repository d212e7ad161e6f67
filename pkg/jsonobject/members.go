package jsonobject

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/jsonobject/jsonmember"
)

// Member is one member of a JSON object, its value as written: a part of the object's text, which must not change.
type Member struct {
	Name  string
	Value jsontext.Value
}

// decoder returns a decoder that reads the text where it is: a bytes.Buffer, unlike other readers, is not copied.
func decoder(text []byte, options ...jsontext.Options) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(text), options...)
}

// Members returns the members of a JSON object in order. The text has been decoded before, so that an error cannot
// come from a caller.
func Members(object []byte) ([]Member, error) {
	var all []Member
	members := jsonmember.Read(object)
	for members.Next() {
		name, err := members.Name()
		if err != nil {
			return nil, err
		}
		all = append(all, Member{name, members.Value()})
	}
	return all, members.Err()
}

// uniqueNames skips the search for duplicate names, for a text that is known to have none.
var uniqueNames = jsontext.AllowDuplicateNames(true)

// Of writes members as a JSON object.
func Of(all []Member) []byte {
	size := 2
	for _, m := range all {
		size += len(m.Name) + len(m.Value) + len(`"":,`)
	}
	out := append(make([]byte, 0, size), '{')
	for _, m := range all {
		out = appendMember(out, m.Name, m.Value)
	}
	return append(out, '}')
}

// appendMember adds a member to an object that has not been closed.
func appendMember(open []byte, name string, value []byte) []byte {
	if len(open) > 1 {
		open = append(open, ',')
	}
	open, _ = jsontext.AppendQuote(open, name)
	open = append(open, ':')
	return append(open, value...)
}

// Overlay returns the object base with the members of over in place of its own or after them. null is absent, and so
// changes nothing.
func Overlay(base, over []byte) ([]byte, error) {
	below, err := Members(base)
	if err != nil {
		return nil, err
	}
	above, err := Members(over)
	if err != nil {
		return nil, err
	}
	at := make(map[string]int, len(below))
	for i, m := range below {
		at[m.Name] = i
	}
	for _, m := range above {
		if m.Value.Kind() == jsontext.KindNull {
			continue
		}
		if i, known := at[m.Name]; known {
			below[i].Value = m.Value
		} else {
			below = append(below, m)
		}
	}
	return Of(below), nil
}

// Difference returns the members of after that before lacks or has otherwise, and those that after lacks, as null.
func Difference(before, after []byte) (jsontext.Value, error) {
	was, err := Members(before)
	if err != nil {
		return nil, err
	}
	is, err := Members(after)
	if err != nil {
		return nil, err
	}
	old := make(map[string]jsontext.Value, len(was))
	for _, m := range was {
		old[m.Name] = m.Value
	}
	var change []Member
	for _, m := range is {
		if value, had := old[m.Name]; !had || !Equal(value, m.Value) {
			change = append(change, m)
		}
		delete(old, m.Name)
	}
	for _, m := range was {
		if _, gone := old[m.Name]; gone {
			change = append(change, Member{m.Name, jsontext.Value("null")})
		}
	}
	return Of(change), nil
}
