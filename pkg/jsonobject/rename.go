package jsonobject

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/problem"
)

// Rename renames the members of body that were sent under another accepted name. aliases maps the name sent to the name
// of the record, or to "" for a member that is dropped. The members of the objects named in flatten become members of
// the record itself. sent maps the name of the record to the path that was sent, without its leading slash. A member
// that was sent twice is accepted if both values are the same; null counts as absent. It returns the errors of Decode.
func Rename(
	body []byte, aliases map[string]string, flatten []string,
) (renamed []byte, sent map[string]string, p *problem.Error) {
	if !mentions(body, aliases, flatten) {
		return body, nil, nil
	}
	if _, p := precheck(body); p != nil {
		return nil, nil, p
	}
	if p := syntax(body); p != nil {
		return nil, nil, p
	}
	all, err := Members(body)
	if err != nil {
		return nil, nil, problem.From(err)
	}
	r := renaming{at: make(map[string]int, len(all)), sent: map[string]string{}}
	for _, m := range all {
		name, alias := aliases[m.Name]
		switch {
		case slices.Contains(flatten, m.Name):
			p = r.addEach(m)
		case !alias:
			p = r.add(m.Name, "", m.Value)
		case name != "":
			p = r.add(name, jsontext.Pointer("").AppendToken(m.Name), m.Value)
		}
		if p != nil {
			return nil, nil, p
		}
	}
	return Of(r.kept), r.sent, nil
}

// renaming is the record that Rename puts together.
type renaming struct {
	kept []Member
	at   map[string]int // the place of a member in kept, by its name
	sent map[string]string
}

// add adds a member of the record. pointer is where it was sent, empty for its own name.
func (r *renaming) add(name string, pointer jsontext.Pointer, value jsontext.Value) *problem.Error {
	i, twice := r.at[name]
	switch {
	case !twice:
		i = len(r.kept)
		r.at[name] = i
		r.kept = append(r.kept, Member{Name: name})
	case value.Kind() == jsontext.KindNull:
		return nil
	case r.kept[i].Value.Kind() == jsontext.KindNull:
	case !Equal(r.kept[i].Value, value):
		elsewhere := pointer
		if elsewhere == "" {
			elsewhere = jsontext.Pointer("/" + r.sent[name])
		}
		return at(problem.New(problem.Invalid, name+" was sent twice, with two values."), elsewhere,
			"differs from "+name)
	case pointer != "":
		return nil // both values are the same; the one under the record's name stays
	}
	r.kept[i].Value = value
	delete(r.sent, name)
	if pointer != "" {
		r.sent[name] = string(pointer[1:])
	}
	return nil
}

// addEach adds the members of an object that is flattened.
func (r *renaming) addEach(object Member) *problem.Error {
	pointer := jsontext.Pointer("").AppendToken(object.Name)
	switch object.Value.Kind() {
	case jsontext.KindNull:
		return nil
	case jsontext.KindBeginObject:
	default:
		return at(problem.New(problem.Invalid, ""), pointer, "must be an object")
	}
	inner, err := Members(object.Value)
	if err != nil {
		return problem.From(err)
	}
	for _, m := range inner {
		if p := r.add(m.Name, pointer.AppendToken(m.Name), m.Value); p != nil {
			return p
		}
	}
	return nil
}

// mentions reports whether the text may have a member of one of the names. It does not parse: a text with an escape may
// have any.
func mentions(body []byte, aliases map[string]string, flatten []string) bool {
	if len(aliases)+len(flatten) > 0 && bytes.IndexByte(body, '\\') >= 0 {
		return true
	}
	for _, name := range flatten {
		if bytes.Contains(body, []byte(`"`+name+`"`)) {
			return true
		}
	}
	for alias := range aliases {
		if bytes.Contains(body, []byte(`"`+alias+`"`)) {
			return true
		}
	}
	return false
}
