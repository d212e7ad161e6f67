package rest

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/problem"
)

// member is one member of a JSON object, its value as written.
type member struct {
	name  string
	value jsontext.Value
}

// members answers the members of a JSON object in order. The text has been decoded before, so that an error cannot
// come from a caller.
func members(object []byte) ([]member, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(object))
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	var all []member
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
		all = append(all, member{text, value.Clone()})
	}
	return all, nil
}

// object writes members as a JSON object.
func object(all []member) []byte {
	out := []byte{'{'}
	for _, m := range all {
		out = appendMember(out, m.name, m.value)
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

// lay answers the object base with the members of over in place of its own or after them. null is absent, and so
// changes nothing.
func lay(base, over []byte) ([]byte, error) {
	below, err := members(base)
	if err != nil {
		return nil, err
	}
	above, err := members(over)
	if err != nil {
		return nil, err
	}
	at := make(map[string]int, len(below))
	for i, m := range below {
		at[m.name] = i
	}
	for _, m := range above {
		if m.value.Kind() == jsontext.KindNull {
			continue
		}
		if i, known := at[m.name]; known {
			below[i].value = m.value
		} else {
			below = append(below, m)
		}
	}
	return object(below), nil
}

// changed answers the members of after that before lacks or has otherwise, and those that after lacks, as null.
func changed(before, after []byte) (jsontext.Value, error) {
	was, err := members(before)
	if err != nil {
		return nil, err
	}
	is, err := members(after)
	if err != nil {
		return nil, err
	}
	old := make(map[string]jsontext.Value, len(was))
	for _, m := range was {
		old[m.name] = m.value
	}
	var change []member
	for _, m := range is {
		if value, had := old[m.name]; !had || !sameValue(value, m.value) {
			change = append(change, m)
		}
		delete(old, m.name)
	}
	for _, m := range was {
		if _, gone := old[m.name]; gone {
			change = append(change, member{m.name, jsontext.Value("null")})
		}
	}
	return object(change), nil
}

// rename gives the members of body that were sent under another accepted name the name that the record uses, and
// answers which were: name of the record -> name sent. Both names at once are accepted if they say the same. Names that
// stand for "" are dropped.
func rename(body []byte, aliases map[string]string, hoist []string) (renamed []byte, sent map[string]string, p *problem.Error) {
	if !mentions(body, aliases, hoist) {
		return body, nil, nil
	}
	if p := precheck(body); p != nil {
		return nil, nil, p
	}
	if p := syntax(body); p != nil {
		return nil, nil, p
	}
	all, err := members(body)
	if err != nil {
		return nil, nil, problem.From(err)
	}
	sent = map[string]string{}
	if all, p = hoisted(all, hoist, sent); p != nil {
		return nil, nil, p
	}
	values := make(map[string]jsontext.Value, len(all))
	for _, m := range all {
		values[m.name] = m.value
	}
	kept := all[:0]
	for _, m := range all {
		if name, is := aliases[m.name]; is {
			if name == "" {
				continue
			}
			if own, both := values[name]; both {
				if !sameValue(own, m.value) {
					return nil, nil, problem.New(problem.Invalid, m.name+" and "+name+" are one member and were sent with two values.").
						At("/"+m.name, "differs from "+name)
				}
				continue
			}
			sent[name] = m.name
			m.name = name
			values[name] = m.value
		}
		kept = append(kept, m)
	}
	return object(kept), sent, nil
}

// hoisted answers the members with those of the objects in hoist in place of the objects. It notes in sent where a
// member was sent.
func hoisted(all []member, hoist []string, sent map[string]string) ([]member, *problem.Error) {
	var flat []member
	for _, m := range all {
		switch {
		case !slices.Contains(hoist, m.name):
			flat = append(flat, m)
			continue
		case m.value.Kind() == jsontext.KindNull:
			continue
		case m.value.Kind() != jsontext.KindBeginObject:
			return nil, problem.New(problem.Invalid, "").At("/"+m.name, "must be an object")
		}
		inner, err := members(m.value)
		if err != nil {
			return nil, problem.From(err)
		}
		for _, i := range inner {
			at := slices.IndexFunc(all, func(o member) bool { return o.name == i.name })
			if at >= 0 && !sameValue(all[at].value, i.value) {
				return nil, problem.New(problem.Invalid, i.name+" was sent twice, with two values.").
					At("/"+m.name+"/"+i.name, "differs from "+i.name)
			}
			if at < 0 {
				sent[i.name] = m.name + "/" + i.name
				flat = append(flat, i)
			}
		}
	}
	return flat, nil
}

// mentions tells whether the text may have a member of one of the names; it looks no closer than that needs.
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
