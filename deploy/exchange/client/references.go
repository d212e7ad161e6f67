package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/resource"
)

// references writes ref: and the caller's own name of a record in place of its id or number, so that the record that
// names it can be imported where the other one has another id.
type references struct {
	caller *caller
	// targets are those of the members of a resource that name records.
	targets map[string][]string
	// names are what was looked up: by target and id, empty for a record without a name of its own.
	names map[string]string
	// left are how many values stay as they are, because their record has no such name.
	left int
}

func newReferences(c *caller, of resource.Resource) *references {
	r := &references{caller: c, targets: map[string][]string{}, names: map[string]string{}}
	for _, m := range of.Members {
		sent := slices.ContainsFunc(of.Sent, func(s resource.Member) bool { return s.Path == m.Path })
		if len(m.Targets) > 0 && sent {
			r.targets[m.Path] = m.Targets
		}
	}
	return r
}

// in returns a record with the names.
func (r *references) in(ctx context.Context, record jsontext.Value) (jsontext.Value, error) {
	var members []struct {
		name  string
		value jsontext.Value
	}
	dec := jsontext.NewDecoder(strings.NewReader(string(record)))
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	for dec.PeekKind() != jsontext.KindEndObject {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		member := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		if targets := r.targets[resource.Join("", member)]; targets != nil {
			if value, err = r.value(ctx, targets, value); err != nil {
				return nil, err
			}
		}
		members = append(members, struct {
			name  string
			value jsontext.Value
		}{member, value.Clone()})
	}
	var text strings.Builder
	out := jsontext.NewEncoder(&text)
	err := out.WriteToken(jsontext.BeginObject)
	for _, m := range members {
		err = errors.Join(err, out.WriteToken(jsontext.String(m.name)), out.WriteValue(m.value))
	}
	err = errors.Join(err, out.WriteToken(jsontext.EndObject))
	return jsontext.Value(strings.TrimSpace(text.String())), err
}

// value returns what a member holds, an id or several, with the names.
func (r *references) value(ctx context.Context, targets []string, value jsontext.Value) (jsontext.Value, error) {
	if value.Kind() == jsontext.KindBeginArray {
		var all []string
		if err := json.Unmarshal(value, &all); err != nil {
			return value, nil //nolint:nilerr // it is no list of ids, and stays as it is
		}
		for i, one := range all {
			var err error
			if all[i], err = r.name(ctx, targets, one); err != nil {
				return nil, err
			}
		}
		return json.Marshal(all)
	}
	var one string
	if err := json.Unmarshal(value, &one); err != nil || one == "" {
		return value, nil //nolint:nilerr // it is no id, and stays as it is
	}
	name, err := r.name(ctx, targets, one)
	if err != nil {
		return nil, err
	}
	return json.Marshal(name)
}

// name returns what names a record: ref: and its own name, or what it was named by if it has none.
func (r *references) name(ctx context.Context, targets []string, id string) (string, error) {
	key := targets[0] + " " + id
	name, known := r.names[key]
	if !known {
		var err error
		if name, err = r.find(ctx, targets, id); err != nil {
			return "", err
		}
		r.names[key] = name
	}
	if name == "" {
		r.left++
		return id, nil
	}
	return "ref:" + name, nil
}

// find returns the name of a record of one of some resources; empty if it has none.
func (r *references) find(ctx context.Context, targets []string, id string) (string, error) {
	for _, target := range targets {
		name, number, byNumber := strings.Cut(target, ".")
		of := []string{name}
		if name == "policy" {
			of = nil
			for _, one := range r.caller.catalog.All() {
				if strings.HasSuffix(one.Name, "Coverage") {
					of = append(of, one.Name)
				}
			}
		}
		for _, resource := range of {
			records, err := r.read(ctx, resource, number, byNumber, id)
			if err != nil {
				return "", err
			}
			if len(records) > 0 {
				return records[0].ExternalReference, nil
			}
		}
	}
	return "", nil
}

type namedRecord struct {
	ExternalReference string `json:"externalReference"`
}

func (r *references) read(
	ctx context.Context, resource, number string, byNumber bool, id string,
) (all []namedRecord, err error) {
	asked := Request{Method: http.MethodGet, Path: "/" + resource + "/" + url.PathEscape(id)}
	if byNumber {
		asked.Path, asked.Query = "/"+resource, url.Values{number: {id}, "limit": {"1"}}
	}
	got, err := r.caller.send(ctx, asked)
	if refused, is := errors.AsType[*refusal](err); is && refused.status == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !byNumber {
		all = make([]namedRecord, 1)
		err = json.Unmarshal(got.body, &all[0])
	} else {
		err = json.Unmarshal(got.body, &all)
	}
	if err != nil {
		return nil, r.caller.failed(err)
	}
	return all, nil
}
