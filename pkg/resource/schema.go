package resource

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// schema is the part of a JSON schema that describes members.
type schema struct {
	Ref         string             `json:"$ref"`
	Type        typeNames          `json:"type"`
	Format      string             `json:"format"`
	Enum        []jsontext.Value   `json:"enum"`
	Items       *schema            `json:"items"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	AllOf       []*schema          `json:"allOf"`
	AnyOf       []*schema          `json:"anyOf"`
	OneOf       []*schema          `json:"oneOf"`
	Description string             `json:"description"`
	Examples    []jsontext.Value   `json:"examples"`
	// Order names the properties in the order in which the exchange returns them. JSON objects have no order.
	Order []string `json:"x-property-order"`
	// Amount says that the numbers are amounts of money.
	Amount bool `json:"x-amount"`
	// Names are the resources whose records the values name.
	Names []string `json:"x-refers"`
}

// typeNames is the type of a schema: one name or several.
type typeNames []string

// UnmarshalJSON reads a string or an array of strings.
func (t *typeNames) UnmarshalJSON(text []byte) error {
	if jsontext.Value(text).Kind() == jsontext.KindBeginArray {
		return json.Unmarshal(text, (*[]string)(t))
	}
	*t = typeNames{""}
	return json.Unmarshal(text, &(*t)[0])
}

func (t typeNames) has(name string) bool { return slices.Contains(t, name) }

// deepest is the number of references that are followed one after the other, because a schema may refer to itself.
const deepest = 16

// flat returns a schema with its references followed and its parts joined: every part of an allOf, and the first part
// of an anyOf or oneOf that allows more than null.
func (d *document) flat(s *schema) schema { return d.flatten(s, 0) }

func (d *document) flatten(s *schema, depth int) schema {
	if s == nil || depth > deepest {
		return schema{}
	}
	whole := *s
	whole.Properties, whole.Order, whole.Required = maps.Clone(s.Properties), slices.Clone(
		s.Order), slices.Clone(s.Required)
	if name, is := strings.CutPrefix(s.Ref, "#/components/schemas/"); is {
		whole.join(d.flatten(d.Components.Schemas[name], depth+1))
	}
	for _, part := range s.AllOf {
		whole.join(d.flatten(part, depth+1))
	}
	for _, either := range [][]*schema{s.AnyOf, s.OneOf} {
		for _, part := range either {
			if one := d.flatten(part, depth+1); !slices.Equal(one.Type, typeNames{"null"}) {
				whole.join(one)
				break
			}
		}
	}
	return whole
}

// join sets what s leaves out to what another schema says.
func (s *schema) join(other schema) {
	if len(s.Type) == 0 {
		s.Type = other.Type
	}
	if s.Format == "" {
		s.Format = other.Format
	}
	if s.Enum == nil {
		s.Enum = other.Enum
	}
	if s.Items == nil {
		s.Items = other.Items
	}
	if s.Description == "" {
		s.Description = other.Description
	}
	if s.Examples == nil {
		s.Examples = other.Examples
	}
	if s.Properties == nil {
		s.Properties = map[string]*schema{}
	}
	for name, property := range other.Properties {
		if s.Properties[name] == nil {
			s.Properties[name] = property
		}
	}
	s.Order = append(s.Order, other.Order...)
	s.Required = append(s.Required, other.Required...)
}

// names returns the names of the properties: first those whose order is given, then the others in alphabetical order.
func (s *schema) names() []string {
	var names []string
	for _, name := range s.Order {
		if s.Properties[name] != nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// kind returns how values of a flat schema are read and written in a table.
func (d *document) kind(s schema) Kind {
	switch {
	case s.Type.has("integer"), s.Type.has("number"):
		return Number
	case s.Type.has("boolean"):
		return Flag
	case s.Type.has("array"):
		if items := d.flat(s.Items); items.Type.has("string") {
			return List
		}
		return Free
	case s.Type.has("string") && s.Format == "date":
		return Date
	case s.Type.has("string") && s.Format == "date-time":
		return DateTime
	case s.Type.has("string"), len(s.Enum) > 0:
		return Text
	default:
		return Free
	}
}

// members returns the members of an object. Those of nested objects have dotted names.
func (d *document) members(prefix string, s schema, depth int) []Member {
	var all []Member
	for _, name := range s.names() {
		value := d.flat(s.Properties[name])
		path := Join(prefix, name)
		if value.Type.has("object") && len(value.Properties) > 0 && depth < deepest {
			all = append(all, d.members(path, value, depth+1)...)
			continue
		}
		m := Member{
			Path: path, Kind: d.kind(value), Values: d.values(value), Amount: value.Amount,
			Whole: value.Type.has("integer"), Description: value.Description, Refers: d.refers(value),
			Targets: value.Names,
		}
		if of := anotherName.FindStringSubmatch(value.Description); of != nil {
			m.Returned = Join(prefix, of[1])
		}
		all = append(all, m)
	}
	return all
}

// anotherName is how the document says that a member is returned under another name than it is sent.
var anotherName = regexp.MustCompile("^Another name of `([^`]+)`")

// refers reports whether a schema, or that of the elements of a list, has an example of a reference by the caller's own
// name of a record.
func (d *document) refers(s schema) bool {
	if s.Type.has("array") {
		s = d.flat(s.Items)
	}
	return slices.ContainsFunc(s.Examples, func(example jsontext.Value) bool {
		return strings.HasPrefix(string(example), `"ref:`)
	})
}

// values returns the strings that a schema allows, for a list the strings that it allows as elements, or nil if it
// allows any.
func (d *document) values(s schema) []string {
	if s.Type.has("array") {
		s = d.flat(s.Items)
	}
	var all []string
	for _, value := range s.Enum {
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = fmt.Sprint(value)
		}
		all = append(all, text)
	}
	return all
}
