package document

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"insurance.example/exchange/pkg/rest"
)

const (
	// changesSuffix ends the name of the schema of a change: some members of a record.
	changesSuffix = "Changes"
	// resultSuffix ends the name of a record with the members that a creation returns with it.
	resultSuffix = "Result"
	// entrySuffix ends the name of an element of a list that is part of the service.
	entrySuffix = "Entry"
)

// record returns the schema of a resource's records as they are returned: what every record has is required.
func (s *schemas) record(r rest.Description) *openapi3.SchemaRef {
	if r.Static {
		s.names[r.Record] = r.Resource + entrySuffix
		return s.component(r.Record, false)
	}
	s.names[r.Record] = r.Resource
	ref := s.component(r.Record, false)
	s.all[r.Resource].Value.Required = always(r)
	return ref
}

// always returns the members that every record of a resource has: its id, the members that a creation requires, and the
// members that the exchange issues.
func always(r rest.Description) []string {
	all := []string{"id"}
	for _, name := range append(slices.Clone(r.Issued), requires(r)...) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// result returns the schema of the response to a creation in one flat object: the record, and members such as warnings.
func (s *schemas) result(r rest.Description) *openapi3.SchemaRef {
	if len(r.Extra) == 0 && !warns(r) {
		return refTo(r.Resource)
	}
	record := s.all[r.Resource].Value
	result := *record
	result.Properties = openapi3.Schemas{}
	result.Required = slices.Clone(record.Required)
	for name, member := range record.Properties {
		result.Properties[name] = member
	}
	for name, value := range r.Extra {
		of, known := r.Aliases[name]
		if !known || of == "" {
			s.errs = append(s.errs,
				fmt.Errorf("%s: %s is returned with a record and is no other name of a member", r.Resource, name))
			continue
		}
		member := s.of(reflect.TypeOf(value), false)
		if set := s.setOfMember(r, of); set != "" {
			member = s.set(set)
		}
		result.Properties[name] = described(member, "The same as `"+of+"`.")
		result.Required = append(result.Required, name)
	}
	if r.Dated {
		date := func(means string) *openapi3.SchemaRef {
			return described(openapi3.NewDateTimeSchema().NewRef(), means)
		}
		result.Properties["effectiveDate"] = date("The instant from which on what was written last counts. It is " +
			"there after an endorsement that sends it, and in reads of the past.")
		result.Properties["coverEnds"] = date("The instant at which cover ends. It is there after a cancellation " +
			"that sends effectiveDate, and in reads of the past.")
	}
	if warns(r) {
		result.Properties["warnings"] = described(s.of(reflect.TypeFor[[]rest.Warning](), false),
			"What is unusual about the record. Absent if nothing is.")
	}
	return s.add(r.Resource+resultSuffix, &result)
}

// warns reports whether the responses of a resource may carry warnings: it drops those that a caller sends back.
func warns(r rest.Description) bool {
	name, known := r.Aliases["warnings"]
	return known && name == ""
}

// setOfMember returns the name of the value set of a member, or "" if it has none.
func (s *schemas) setOfMember(r rest.Description, name string) string {
	for _, field := range members(r.Record) {
		if jsonName(field) == name {
			return setOf(field)
		}
	}
	return ""
}

func jsonName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// input returns the schema of a whole record as a caller sends it, in one flat object. It has every member that a
// caller may set, under each of its names, and requires what a creation requires.
func (s *schemas) input(r rest.Description) *openapi3.SchemaRef {
	schema := s.sent(r)
	schema.Description = s.words.of(r.Record)
	s.require(schema, r.Aliases, requires(r))
	return s.add(r.Resource+inputSuffix, schema)
}

// changes returns the schema of a change of a record. It requires none of the members.
func (s *schemas) changes(r rest.Description) *openapi3.SchemaRef {
	if _, made := s.all[r.Resource+changesSuffix]; made {
		return refTo(r.Resource + changesSuffix)
	}
	schema := s.sent(r)
	schema.Description = "Members of a " + r.Resource + " record. The members that are not sent stay as they are."
	return s.add(r.Resource+changesSuffix, schema)
}

// sent returns the members of a record that a caller may send.
func (s *schemas) sent(r rest.Description) *openapi3.Schema {
	schema := openapi3.NewObjectSchema()
	for _, field := range members(r.Record) {
		if !ofExchange(field) {
			schema.WithPropertyRef(jsonName(field), described(s.member(field, true), s.words.member(r.Record, field)))
		}
	}
	for _, field := range members(r.Record) {
		for alias, name := range r.Aliases {
			if name == jsonName(field) && !ofExchange(field) {
				schema.WithPropertyRef(alias,
					described(s.member(field, true), "Another name of `"+name+"`, the name that is returned."))
			}
		}
	}
	for _, name := range r.Flatten {
		object := openapi3.NewObjectSchema()
		object.Type = &openapi3.Types{"object", "null"}
		object.Description = "Holds members of the record. They are returned as members of the record itself."
		schema.WithProperty(name, object)
	}
	return schema
}

// require makes members required. A member with several names is required under one of them: if none of the other
// names is sent, then the first is required. Generators of clients cannot express this as a type, so they take such
// members as optional.
func (s *schemas) require(schema *openapi3.Schema, aliases map[string]string, names []string) {
	for _, name := range names {
		var others []string
		for alias, of := range aliases {
			if of == name {
				others = append(others, alias)
			}
		}
		slices.Sort(others)
		switch {
		case len(others) == 0 && !slices.Contains(schema.Required, name):
			schema.Required = append(schema.Required, name)
			schema.Properties[name] = notNull(schema.Properties[name])
		case len(others) > 0:
			sent := with(others[0])
			for _, other := range others[1:] {
				sent = &openapi3.Schema{AnyOf: openapi3.SchemaRefs{sent.NewRef(), with(other).NewRef()}}
			}
			schema.If = (&openapi3.Schema{Not: sent.NewRef()}).NewRef()
			schema.Then = with(name).NewRef()
			for _, each := range append(others, name) {
				property := schema.Properties[each].Value
				property.Description += " One of `" + strings.Join(append([]string{name}, others...), "` and `") +
					"` is required."
			}
		}
	}
}

// with returns the schema of objects that have a member.
func with(name string) *openapi3.Schema {
	return (&openapi3.Schema{Properties: openapi3.Schemas{name: openapi3.NewSchema().NewRef()}}).
		WithRequired([]string{name})
}

// actionBody returns the schema of an action's body, in one flat object.
func (s *schemas) actionBody(r rest.Description, a rest.ActionDescription) *openapi3.SchemaRef {
	if !a.Amends {
		if a.Body.NumField() == 0 {
			return openapi3.NewObjectSchema().WithoutAdditionalProperties().NewRef()
		}
		ref := s.closed(a.Body)
		s.require(s.all[strings.TrimPrefix(ref.Ref, schemaRef)].Value, nil, a.Requires)
		return ref
	}
	schema := s.sent(r)
	schema.Description = "Members of a " + r.Resource + " record. The members that are not sent stay as they are."
	for name, own := range s.object(a.Body, true).Properties {
		schema.Properties[name] = own
	}
	s.require(schema, nil, a.Requires)
	return s.add(r.Resource+upper(a.Name), schema)
}

// listOf returns the schema of a page of records.
func listOf(record *openapi3.SchemaRef) *openapi3.SchemaRef {
	return list(record, false)
}
