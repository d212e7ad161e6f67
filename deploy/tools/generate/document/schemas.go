package document

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/jsonobject"
	"insurance.example/exchange/pkg/rest/external"
)

const (
	schemaRef = "#/components/schemas/"
	// inputSuffix ends the name of a struct as callers send it, where null is the same as absent.
	inputSuffix = "Input"
)

// schemas are the components made from Go types and value sets.
type schemas struct {
	all   openapi3.Schemas
	sets  *valuesets.Registry
	words *words
	names map[reflect.Type]string // of structs whose component is not named after their type
	types map[string]reflect.Type // of the components, by their names
	errs  []error                 // about types without a schema, and names that are taken
}

func newSchemas(sets *valuesets.Registry, root string) *schemas {
	return &schemas{all: openapi3.Schemas{}, sets: sets, names: map[reflect.Type]string{},
		types: map[string]reflect.Type{}, words: newWords(root)}
}

// add makes a component and returns a reference to it.
func (s *schemas) add(name string, schema *openapi3.Schema) *openapi3.SchemaRef {
	s.all[name] = schema.NewRef()
	return refTo(name)
}

func refTo(name string) *openapi3.SchemaRef { return &openapi3.SchemaRef{Ref: schemaRef + name} }

// checkNames adds an error for components whose names differ only in case: generators give their types the same name.
func (s *schemas) checkNames() {
	seen := map[string]string{}
	for name := range s.all {
		if other, taken := seen[strings.ToLower(name)]; taken {
			s.errs = append(s.errs, fmt.Errorf("the schemas %s and %s differ in case only", name, other))
		}
		seen[strings.ToLower(name)] = name
	}
}

// scalars are the schemas of types whose JSON form does not follow from their kind in Go.
var scalars = map[reflect.Type]func() *openapi3.Schema{
	reflect.TypeFor[scalar.Int]():     openapi3.NewInt64Schema,
	reflect.TypeFor[scalar.Integer](): integer,
	reflect.TypeFor[scalar.Decimal](): decimal,
	reflect.TypeFor[scalar.Figure]():  decimal,
	reflect.TypeFor[scalar.Digits]():  openapi3.NewStringSchema,
	reflect.TypeFor[scalar.Date](): func() *openapi3.Schema {
		return openapi3.NewStringSchema().WithFormat("date")
	},
	reflect.TypeFor[scalar.DateTime](): openapi3.NewDateTimeSchema,
	reflect.TypeFor[time.Time]():       openapi3.NewDateTimeSchema,
	reflect.TypeFor[scalar.ID]():       openapi3.NewUUIDSchema,
	reflect.TypeFor[scalar.JSON]():     openapi3.NewSchema,
	reflect.TypeFor[jsontext.Value]():  openapi3.NewSchema,

	reflect.TypeFor[scalar.Since[scalar.Int]]():      openapi3.NewInt64Schema,
	reflect.TypeFor[scalar.Since[scalar.DateTime]](): openapi3.NewDateTimeSchema,
	reflect.TypeFor[scalar.Since[string]]():          openapi3.NewStringSchema,
	reflect.TypeFor[scalar.Since[scalar.ID]]():       openapi3.NewUUIDSchema,
	reflect.TypeFor[scalar.Since[scalar.Date]](): func() *openapi3.Schema {
		return openapi3.NewStringSchema().WithFormat("date")
	},

	reflect.TypeFor[internalapi.Waits](): func() *openapi3.Schema { return enumeration(internalapi.AllWaits()) },
}

// figures are the schemas of what callers may send as a number or as a string. The generated client for Go has them
// in the form in which they are answered.
var figures = map[reflect.Type]func() *openapi3.Schema{
	reflect.TypeFor[scalar.Figure](): func() *openapi3.Schema { return figure("decimal", "json.Number") },
	reflect.TypeFor[scalar.Digits](): func() *openapi3.Schema {
		return figure("", "string").WithMaxLength(jsonobject.MaxString)
	},
}

func figure(format, inGo string) *openapi3.Schema {
	return &openapi3.Schema{
		Type: &openapi3.Types{"number", "string"}, Format: format,
		Extensions: map[string]any{"x-go-type": inGo},
	}
}

// hasFigures reports whether a struct has members that callers may send as a number or as a string.
func hasFigures(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && slices.ContainsFunc(members(t), func(f reflect.StructField) bool {
		return figures[f.Type] != nil
	})
}

// decimal returns the schema of a number that keeps its digits. In the OpenAPI registry, the format decimal means a
// number of any precision. oapi-codegen would otherwise generate a float32; it generates the type that x-go-type
// names.
func decimal() *openapi3.Schema {
	return &openapi3.Schema{
		Type: &openapi3.Types{"number"}, Format: "decimal", Extensions: map[string]any{"x-go-type": "json.Number"},
	}
}

// integer returns the schema of a whole number that may have more than 64 bits.
func integer() *openapi3.Schema {
	return &openapi3.Schema{Type: &openapi3.Types{"integer"}, Extensions: map[string]any{"x-go-type": "json.Number"}}
}

// of returns the schema of a type. sent says whether it is for requests or for responses.
func (s *schemas) of(t reflect.Type, sent bool) *openapi3.SchemaRef {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if figure := figures[t]; figure != nil && sent {
		schema := figure()
		*schema.Type = append(*schema.Type, "null")
		return schema.NewRef()
	}
	if schema, ok := scalars[t]; ok {
		return nullable(schema().NewRef(), sent)
	}
	switch t.Kind() {
	case reflect.String:
		text := openapi3.NewStringSchema()
		if sent {
			text.WithMaxLength(jsonobject.MaxString)
		}
		return nullable(text.NewRef(), sent)
	case reflect.Bool:
		return nullable(openapi3.NewBoolSchema().NewRef(), sent)
	case reflect.Int, reflect.Int64:
		return nullable(openapi3.NewInt64Schema().NewRef(), sent)
	case reflect.Slice:
		element := s.of(t.Elem(), false)
		if sent && hasFigures(t.Elem()) {
			element = s.listed(t.Elem())
		}
		return nullable(list(element, sent), sent)
	case reflect.Map:
		return openapi3.NewObjectSchema().WithAnyAdditionalProperties().NewRef()
	case reflect.Struct:
		return nullable(s.component(t, sent), sent)
	}
	s.errs = append(s.errs, fmt.Errorf("%s has no schema", t))
	return openapi3.NewSchema().NewRef()
}

// list returns the schema of a list. sent says whether it is for requests or for responses.
func list(of *openapi3.SchemaRef, sent bool) *openapi3.SchemaRef {
	schema := openapi3.NewArraySchema()
	schema.Items = of
	if sent {
		schema.WithMaxItems(jsonobject.MaxElements)
	}
	return schema.NewRef()
}

// nullable returns the schema of a member. In requests it also allows null, which means that the member is absent.
func nullable(ref *openapi3.SchemaRef, sent bool) *openapi3.SchemaRef {
	switch {
	case !sent:
		return ref
	case ref.Ref != "":
		either := openapi3.NewSchema()
		either.AnyOf = openapi3.SchemaRefs{ref, {Value: &openapi3.Schema{Type: &openapi3.Types{"null"}}}}
		return either.NewRef()
	case ref.Value.Type != nil:
		ref.Value.Type = &openapi3.Types{(*ref.Value.Type)[0], "null"}
	}
	return ref
}

// notNull reverses nullable, for a required member, which must not be null.
func notNull(ref *openapi3.SchemaRef) *openapi3.SchemaRef {
	switch {
	case ref.Ref != "":
		return ref
	case len(ref.Value.AnyOf) > 0:
		return described(ref.Value.AnyOf[0], ref.Value.Description)
	case ref.Value.Type != nil:
		ref.Value.Type = &openapi3.Types{(*ref.Value.Type)[0]}
	}
	return ref
}

// described returns a schema with a description. A reference can have a description next to it.
func described(ref *openapi3.SchemaRef, description string) *openapi3.SchemaRef {
	if ref.Ref != "" {
		return &openapi3.SchemaRef{Ref: ref.Ref, Extensions: map[string]any{"description": description}}
	}
	ref.Value.Description = description
	return ref
}

// component returns a reference to the component of a struct.
func (s *schemas) component(t reflect.Type, sent bool) *openapi3.SchemaRef {
	name := s.names[t]
	if name == "" {
		name = t.Name()
	}
	if sent {
		name += inputSuffix
	}
	if is, taken := s.types[name]; taken && is != t {
		// Another package has a type of this name. The first keeps it.
		from := path.Base(t.PkgPath())
		name = strings.ToUpper(from[:1]) + from[1:] + name
	}
	if _, made := s.all[name]; made {
		if s.types[name] != t {
			s.errs = append(s.errs, fmt.Errorf("%s and %s have one name; rename one of them", s.types[name], t))
		}
		return refTo(name)
	}
	s.types[name] = t
	s.all[name] = nil // a struct may have members of its own type
	schema := s.object(t, sent)
	schema.Description = s.words.of(t)
	return s.add(name, schema)
}

// listed returns a reference to the component of a struct in a list that callers send: as it is answered, but for its
// figures.
func (s *schemas) listed(t reflect.Type) *openapi3.SchemaRef {
	schema := s.object(t, false)
	schema.Description, schema.Extensions = s.words.of(t), nil
	for _, field := range members(t) {
		if figure := figures[field.Type]; figure != nil {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			schema.Properties[name] = described(figure().NewRef(), s.words.member(t, field))
		}
	}
	name := t.Name() + inputSuffix
	s.types[name] = t
	return s.add(name, schema)
}

// closed returns a reference to the component of a struct that callers send and that takes no other members.
func (s *schemas) closed(t reflect.Type) *openapi3.SchemaRef {
	ref := s.component(t, true)
	no := false
	s.all[path.Base(ref.Ref)].Value.AdditionalProperties.Has = &no
	return ref
}

// object returns the schema of a struct's members. In responses, the members that are never left out are required.
func (s *schemas) object(t reflect.Type, sent bool) *openapi3.Schema {
	schema := openapi3.NewObjectSchema()
	var order []string
	for _, field := range members(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		member := described(s.member(field, sent), s.words.member(t, field))
		if _, amount := field.Tag.Lookup("amount"); amount {
			extend(member, openapi.AmountExtension, true)
		}
		if targets := field.Tag.Get("refers"); targets != "" && !sent {
			extend(member, openapi.RefersExtension, strings.Split(targets, ","))
		}
		if always := field.Tag.Get("always"); always != "" && !sent {
			s.all[path.Base(member.Value.Items.Ref)].Value.Required = []string{always}
		}
		if _, deprecated := field.Tag.Lookup("deprecated"); deprecated && member.Ref != "" {
			member.Extensions["deprecated"] = true
		} else if deprecated {
			member.Value.Deprecated = true
		}
		schema.WithPropertyRef(name, member)
		if !sent && !strings.Contains(options, "omit") {
			schema.Required = append(schema.Required, name)
		}
		order = append(order, name)
	}
	if !sent {
		// JSON objects have no order. The client writes tables with the columns in the order in which the exchange
		// returns members.
		schema.Extensions = map[string]any{"x-property-order": order}
	}
	return schema
}

// extend adds a member that OpenAPI does not have to a schema, or beside the reference to one.
func extend(member *openapi3.SchemaRef, name string, value any) {
	to := &member.Extensions
	if member.Ref == "" {
		to = &member.Value.Extensions
	}
	*to = maps.Clone(*to)
	if *to == nil {
		*to = map[string]any{}
	}
	(*to)[name] = value
}

// members returns the fields of a struct that have a name in JSON, including those of embedded structs.
func members(t reflect.Type) []reflect.StructField {
	var all []reflect.StructField
	for _, field := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); !field.Anonymous && name != "" && name != "-" {
			all = append(all, field)
		}
	}
	return all
}

// member returns the schema of a field. If the field has a value set, it is the schema of the set.
func (s *schemas) member(field reflect.StructField, sent bool) *openapi3.SchemaRef {
	set := setOf(field)
	suggested := field.Tag.Get("suggests")
	_, refers := field.Tag.Lookup("refers")
	switch {
	case refers && sent && (field.Type == reflect.TypeFor[scalar.ID]() ||
		field.Type == reflect.TypeFor[scalar.Since[scalar.ID]]()):
		return nullable(reference(), sent)
	case refers && sent && field.Type == reflect.TypeFor[[]scalar.ID]():
		return nullable(list(reference(), sent), sent)
	case set == "" && suggested != "":
		// Any text is accepted. The set lists the usual values.
		text := s.of(field.Type, sent)
		for _, value := range s.sets.Accepted(suggested) {
			text.Value.Examples = append(text.Value.Examples, value)
		}
		return text
	case set == "":
		return s.of(field.Type, sent)
	case field.Type.Kind() == reflect.Slice:
		return nullable(list(s.set(set), sent), sent)
	}
	if _, is := field.Tag.Lookup("notNull"); is {
		return s.set(set) // a member that a release before required stays without null, which it did not take
	}
	return nullable(s.set(set), sent)
}

// reference returns the schema of a text by which a body names a record: its id, or a name of the caller's own. In the
// generated client for Go it stays the id that it was, so that programs still compile. It has no greatest length, which
// the id had not either.
func reference() *openapi3.SchemaRef {
	text := openapi3.NewStringSchema()
	text.Extensions = map[string]any{"x-go-type": "openapi_types.UUID"}
	text.Examples = []any{"0195a000-0000-7000-8000-000000000001", external.Prefix + "P-1001"}
	return text.NewRef()
}

// setOf returns the name of the value set of a field, or "" if it has none.
func setOf(field reflect.StructField) string {
	if set := field.Tag.Get("set"); set != "" {
		return set
	}
	return field.Tag.Get("issued")
}

// ofExchange reports whether the exchange sets a member. Otherwise the caller sets it.
func ofExchange(field reflect.StructField) bool {
	_, issued := field.Tag.Lookup("issued")
	_, kept := field.Tag.Lookup("kept")
	return issued || kept || field.Name == "ID" && field.Type == reflect.TypeFor[scalar.ID]()
}

// set returns a reference to the component of a value set.
func (s *schemas) set(name string) *openapi3.SchemaRef {
	schema := enumeration(s.sets.Accepted(name))
	schema.Description = "The value set " + name + ", as it is in force."
	return s.add(name, schema)
}
