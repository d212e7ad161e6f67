package document

import (
	"fmt"
	"go/doc"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/rest"
)

const (
	schemaRef = "#/components/schemas/"
	// inputSuffix ends the name of a struct as it may be sent, where null is the same as absent.
	inputSuffix = "Input"
)

// schemas are the components made from Go types and value sets.
type schemas struct {
	all   openapi3.Schemas
	sets  *valuesets.Registry
	words *comments
	names map[reflect.Type]string // of records, which are named after their resource
	err   error                   // the first type that has no schema
}

func newSchemas(sets *valuesets.Registry, root string) *schemas {
	return &schemas{
		all: openapi3.Schemas{}, sets: sets, names: map[reflect.Type]string{},
		words: &comments{root: root, packages: map[string]*doc.Package{}},
	}
}

func (s *schemas) add(name string, schema *openapi3.Schema) *openapi3.SchemaRef {
	s.all[name] = schema.NewRef()
	return &openapi3.SchemaRef{Ref: schemaRef + name}
}

// scalars are the schemas of the types that are not what their kind says.
var scalars = map[reflect.Type]func() *openapi3.Schema{
	reflect.TypeFor[scalar.Int]():      openapi3.NewInt64Schema,
	reflect.TypeFor[scalar.Integer]():  openapi3.NewIntegerSchema,
	reflect.TypeFor[scalar.Decimal]():  func() *openapi3.Schema { return &openapi3.Schema{Type: &openapi3.Types{"number"}} },
	reflect.TypeFor[scalar.Date]():     func() *openapi3.Schema { return openapi3.NewStringSchema().WithFormat("date") },
	reflect.TypeFor[scalar.DateTime](): openapi3.NewDateTimeSchema,
	reflect.TypeFor[time.Time]():       openapi3.NewDateTimeSchema,
	reflect.TypeFor[scalar.ID]():       openapi3.NewUUIDSchema,
	reflect.TypeFor[scalar.JSON]():     anything,
	reflect.TypeFor[jsontext.Value]():  anything,
}

func anything() *openapi3.Schema {
	return &openapi3.Schema{Description: "Any JSON value, kept and returned as sent."}
}

// of answers the schema of a type; sent: as a caller may send it.
func (s *schemas) of(t reflect.Type, sent bool) *openapi3.SchemaRef {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if schema, ok := scalars[t]; ok {
		return nullable(schema().NewRef(), sent)
	}
	switch t.Kind() {
	case reflect.String:
		return nullable(openapi3.NewStringSchema().NewRef(), sent)
	case reflect.Bool:
		return nullable(openapi3.NewBoolSchema().NewRef(), sent)
	case reflect.Int, reflect.Int64:
		return nullable(openapi3.NewInt64Schema().NewRef(), sent)
	case reflect.Slice:
		list := openapi3.NewArraySchema()
		list.Items = s.of(t.Elem(), false)
		return nullable(list.NewRef(), sent)
	case reflect.Map:
		return openapi3.NewObjectSchema().WithAnyAdditionalProperties().NewRef()
	case reflect.Struct:
		return nullable(s.component(t, sent), sent)
	}
	if s.err == nil {
		s.err = fmt.Errorf("%s has no schema", t)
	}
	return openapi3.NewSchema().NewRef()
}

// nullable lets a caller send null for absent.
func nullable(ref *openapi3.SchemaRef, sent bool) *openapi3.SchemaRef {
	switch {
	case !sent:
		return ref
	case ref.Ref != "" || ref.Value.Type == nil && ref.Value.AnyOf != nil:
		either := openapi3.NewSchema()
		either.AnyOf = openapi3.SchemaRefs{ref, {Value: &openapi3.Schema{Type: &openapi3.Types{"null"}}}}
		return either.NewRef()
	case ref.Value.Type != nil:
		ref.Value.Type = &openapi3.Types{(*ref.Value.Type)[0], "null"}
	}
	return ref
}

// component answers a reference to the component of a struct.
func (s *schemas) component(t reflect.Type, sent bool) *openapi3.SchemaRef {
	name := s.names[t]
	if name == "" {
		name = t.Name()
	}
	if sent {
		name += inputSuffix
	}
	if _, made := s.all[name]; !made {
		s.add(name, openapi3.NewObjectSchema()) // ends a recursion
		schema := s.object(t, sent)
		schema.Description = s.words.of(t)
		s.add(name, schema)
	}
	return &openapi3.SchemaRef{Ref: schemaRef + name}
}

// object describes the members of a struct.
func (s *schemas) object(t reflect.Type, sent bool) *openapi3.Schema {
	schema := openapi3.NewObjectSchema().WithAnyAdditionalProperties()
	var order []string
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous || name == "" {
			continue
		}
		schema.WithPropertyRef(name, s.member(field, sent))
		if !sent && !strings.Contains(options, "omit") {
			schema.Required = append(schema.Required, name)
		}
		order = append(order, name)
	}
	if !sent && len(order) > 0 {
		// JSON objects have no order; tables of records have the one in which the exchange returns members.
		schema.Extensions = map[string]any{"x-property-order": order}
	}
	return schema
}

// member describes a field, by its value set if it has one.
func (s *schemas) member(field reflect.StructField, sent bool) *openapi3.SchemaRef {
	set, issued := field.Tag.Get("set"), field.Tag.Get("issued")
	switch {
	case set != "" && field.Type.Kind() == reflect.Slice:
		list := openapi3.NewArraySchema()
		list.Items = s.set(set)
		return nullable(list.NewRef(), sent)
	case set != "":
		return nullable(s.set(set), sent)
	case issued != "" && !sent:
		return s.set(issued)
	}
	if suggested := field.Tag.Get("suggests"); suggested != "" {
		// Any text is taken; the set says which is likely.
		text := openapi3.NewStringSchema()
		for _, value := range s.sets.Accepted(suggested) {
			text.Examples = append(text.Examples, value)
		}
		return nullable(text.NewRef(), sent)
	}
	return s.of(field.Type, sent)
}

// set answers a reference to the component of a value set.
func (s *schemas) set(name string) *openapi3.SchemaRef {
	schema := enumeration(s.sets.Accepted(name))
	schema.Description = "The value set " + name + ", as it is in force."
	return s.add(name, schema)
}

// record answers the schema of a resource's records as they are answered.
func (s *schemas) record(r rest.Description) *openapi3.SchemaRef {
	s.names[r.Record] = r.Resource
	ref := s.component(r.Record, false)
	if !r.Static {
		s.all[r.Resource].Value.Required = []string{"id"}
	}
	return ref
}

// input answers the schema of a resource's records as they may be sent: every member under each of its names.
func (s *schemas) input(r rest.Description) *openapi3.SchemaRef {
	ref := s.component(r.Record, true)
	schema := s.all[r.Resource+inputSuffix].Value
	for alias, name := range r.Aliases {
		if name == "" {
			schema.WithProperty(alias, &openapi3.Schema{Description: "Part of an answer; left out of the record where it is sent back."})
			continue
		}
		other := openapi3.NewAllOfSchema()
		other.AllOf = openapi3.SchemaRefs{schema.Properties[name]}
		other.Description = "Another name of `" + name + "`, the name that comes back."
		schema.WithProperty(alias, other)
	}
	for _, name := range r.Flatten {
		object := openapi3.NewObjectSchema().WithAnyAdditionalProperties()
		object.Type = &openapi3.Types{"object", "null"}
		object.Description = "Its members are those of the record, where they come back."
		schema.WithProperty(name, object)
	}
	return ref
}

// requiring answers a schema with required members, each under one of its names.
func (s *schemas) requiring(r rest.Description, members []string, of *openapi3.SchemaRef) *openapi3.SchemaRef {
	if len(members) == 0 {
		return of
	}
	whole, required := openapi3.NewAllOfSchema(), openapi3.NewSchema()
	whole.AllOf = openapi3.SchemaRefs{of, required.NewRef()}
	for _, member := range members {
		either := openapi3.SchemaRefs{{Value: openapi3.NewSchema().WithRequired([]string{member})}}
		for alias, name := range r.Aliases {
			if name == member {
				either = append(either, openapi3.NewSchema().WithRequired([]string{alias}).NewRef())
			}
		}
		if len(either) > 1 {
			whole.AllOf = append(whole.AllOf, (&openapi3.Schema{AnyOf: either}).NewRef())
		} else if !slices.Contains(required.Required, member) {
			required.Required = append(required.Required, member)
		}
	}
	return whole.NewRef()
}

// answered answers the schema of a record with what stands beside it in the answer of a create.
func (s *schemas) answered(r rest.Description, record *openapi3.SchemaRef) *openapi3.SchemaRef {
	beside := openapi3.NewObjectSchema()
	for name, value := range r.Extra {
		beside.WithPropertyRef(name, s.of(reflect.TypeOf(value), false))
		beside.Required = append(beside.Required, name)
	}
	if name, dropped := r.Aliases["warnings"]; dropped && name == "" {
		beside.WithPropertyRef("warnings", s.of(reflect.TypeFor[[]rest.Warning](), false))
	}
	if len(beside.Properties) == 0 {
		return record
	}
	whole := openapi3.NewAllOfSchema()
	whole.AllOf = openapi3.SchemaRefs{record, beside.NewRef()}
	return whole.NewRef()
}

// actionBody answers the schema of an action's body.
func (s *schemas) actionBody(a rest.ActionDescription, input *openapi3.SchemaRef) *openapi3.SchemaRef {
	own := openapi3.NewObjectSchema().WithAnyAdditionalProperties().NewRef()
	if a.Body.NumField() > 0 {
		own = s.component(a.Body, true)
	}
	parts := openapi3.SchemaRefs{own}
	if a.Amends {
		parts = append(parts, input)
	}
	if len(a.Requires) > 0 {
		parts = append(parts, openapi3.NewSchema().WithRequired(a.Requires).NewRef())
	}
	if len(parts) == 1 {
		return parts[0]
	}
	whole := openapi3.NewAllOfSchema()
	whole.AllOf = parts
	return whole.NewRef()
}

// listOf answers the schema of a list.
func listOf(record *openapi3.SchemaRef) *openapi3.SchemaRef {
	list := openapi3.NewArraySchema()
	list.Items = record
	return list.NewRef()
}
