package jsonobject

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/problem"
)

// Member is one member of a JSON object, its value as written.
type Member struct {
	Name  string
	Value jsontext.Value
}

// Members returns the members of a JSON object in order. The text has been decoded before, so that an error cannot
// come from a caller.
func Members(object []byte) ([]Member, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(object))
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	var all []Member
	for dec.PeekKind() != jsontext.KindEndObject {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		text := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		all = append(all, Member{text, value.Clone()})
	}
	return all, nil
}

// Of writes members as a JSON object.
func Of(all []Member) []byte {
	out := []byte{'{'}
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

// Rename gives the members of body that were sent under another accepted name the name that the record uses, and
// returns which were: name of the record -> name sent. Both names at once are accepted if they say the same. Names that
// stand for "" are dropped.
func Rename(body []byte, aliases map[string]string, hoist []string) (renamed []byte, sent map[string]string, p *problem.Error) {
	if !mentions(body, aliases, hoist) {
		return body, nil, nil
	}
	if p := precheck(body); p != nil {
		return nil, nil, p
	}
	if p := syntax(body); p != nil {
		return nil, nil, p
	}
	all, err := Members(body)
	if err != nil {
		return nil, nil, problem.From(err)
	}
	sent = map[string]string{}
	if all, p = hoisted(all, hoist, sent); p != nil {
		return nil, nil, p
	}
	values := make(map[string]jsontext.Value, len(all))
	for _, m := range all {
		values[m.Name] = m.Value
	}
	kept := all[:0]
	for _, m := range all {
		if name, is := aliases[m.Name]; is {
			if name == "" {
				continue
			}
			if own, both := values[name]; both {
				if !Equal(own, m.Value) {
					return nil, nil, problem.New(problem.Invalid, m.Name+" and "+name+" are one member and were sent with two values.").
						At("/"+m.Name, "differs from "+name)
				}
				continue
			}
			sent[name] = m.Name
			m.Name = name
			values[name] = m.Value
		}
		kept = append(kept, m)
	}
	return Of(kept), sent, nil
}

// hoisted returns the members with those of the objects in hoist in place of the objects. It notes in sent where a
// member was sent.
func hoisted(all []Member, hoist []string, sent map[string]string) ([]Member, *problem.Error) {
	var flat []Member
	for _, m := range all {
		switch {
		case !slices.Contains(hoist, m.Name):
			flat = append(flat, m)
			continue
		case m.Value.Kind() == jsontext.KindNull:
			continue
		case m.Value.Kind() != jsontext.KindBeginObject:
			return nil, problem.New(problem.Invalid, "").At("/"+m.Name, "must be an object")
		}
		inner, err := Members(m.Value)
		if err != nil {
			return nil, problem.From(err)
		}
		for _, i := range inner {
			at := slices.IndexFunc(all, func(o Member) bool { return o.Name == i.Name })
			if at >= 0 && !Equal(all[at].Value, i.Value) {
				return nil, problem.New(problem.Invalid, i.Name+" was sent twice, with two values.").
					At("/"+m.Name+"/"+i.Name, "differs from "+i.Name)
			}
			if at < 0 {
				sent[i.Name] = m.Name + "/" + i.Name
				flat = append(flat, i)
			}
		}
	}
	return flat, nil
}

// mentions reports whether the text may have a member of one of the names; it looks no closer than that needs.
func mentions(body []byte, aliases map[string]string, hoist []string) bool {
	for _, name := range hoist {
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
