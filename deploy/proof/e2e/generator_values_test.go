package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// What is sent where something else is expected.
var (
	texts = []string{
		"", " ", "x", "null", "0", "-1", "1", "200", "1e9", "18446744073709551616", "true", "..", "/", "%00", "\u0000",
		"\u202e", "Ünïcödé 文字 😀",
		"2026-02-30", "0001-01-01", "9999-12-31T23:59:59Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00+14:00", "T",
		"2026-06-01T12:00:00.123456789Z",
		"0195a000-0000-7000-8000-000000000001", "0195A000-0000-7000-8000-000000000001", "'; DROP TABLE vehicle; --",
		"${jndi:ldap://127.0.0.1/x}",
		"<script>alert(1)</script>", "=1+1", strings.Repeat("a", 300), strings.Repeat("long ", 3000),
	}
	anyValues = []any{
		nil, true, false, 0, 1, -1, 0.1, -0.005, json.Number("1e400"), json.Number("-0"), json.Number("1e-30"),
		json.Number("123456789012345678901234567890"),
		json.Number("9007199254740993"), []any{}, map[string]any{}, []any{nil}, []any{[]any{[]any{}}}, []any{"x", "x"},
		map[string]any{"x": nil},
	}
	names = []string{
		"x", "__proto__", "$where", "ID", "Id", "id", "version", "status", "extra", "a/b", "a~b", "", "warnings",
		"limit", "next",
	}
	headers = []string{"", "*", `W/"1"`, `"x", "1"`, "x", strings.Repeat("k", 255), strings.Repeat("k", 256)}
	bodies  = []string{
		"", "null", "[]", "{", "1", `"x"`, "{}{}", `{"a":1,}`, "\xff", "\ufeff{}", `{"a":"\ud800"}`,
		strings.Repeat("[", 2000), "{} ",
	}
	contentTypes = []string{
		"text/plain", "application/json; charset=utf-8", "application/merge-patch+json",
		"application/json; charset=latin1", "x",
	}
)

// deepest is how many levels of objects and lists are made.
const deepest = 6

// value returns a value that a schema allows. name is the name of the member.
func (g *generator) value(name string, schema *openapi3.Schema, depth int) any {
	switch {
	case schema == nil || depth > deepest:
		return nil
	case len(schema.Enum) > 0:
		return pick(g, schema.Enum)
	case len(schema.AnyOf) > 0:
		return g.value(name, pick(g, schema.AnyOf).Value, depth+1)
	case len(schema.OneOf) > 0:
		return g.value(name, pick(g, schema.OneOf).Value, depth+1)
	}
	if len(schema.AllOf) > 0 {
		whole := map[string]any{}
		for _, part := range schema.AllOf {
			members, _ := g.value(name, part.Value, depth+1).(map[string]any)
			maps.Copy(whole, members)
		}
		return whole
	}
	switch {
	case schema.Type.Includes(openapi3.TypeObject):
		return g.object(schema, depth)
	case schema.Type.Includes(openapi3.TypeArray):
		list := []any{}
		for range g.random.IntN(4) {
			list = append(list, g.value(name, schema.Items.Value, depth+1))
		}
		return list
	case schema.Type.Includes(openapi3.TypeInteger):
		return pick(g, []any{0, 1, 7, 60, 1200, 50_000, -1})
	case schema.Type.Includes(openapi3.TypeNumber):
		return pick(g, []any{0, 1, 420.5, 1200, 99999.99, -3})
	case schema.Type.Includes(openapi3.TypeBoolean):
		return g.chance(2)
	default:
		return g.text(name, schema)
	}
}

func (g *generator) object(schema *openapi3.Schema, depth int) map[string]any {
	members := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[name].Value
		if property.ReadOnly || !slices.Contains(schema.Required, name) && g.chance(3) {
			continue
		}
		members[name] = g.value(name, property, depth+1)
	}
	return members
}

// text returns a text for a member, by its format and its name.
func (g *generator) text(name string, schema *openapi3.Schema) string {
	switch {
	case schema.Format == "date-time":
		return fmt.Sprintf("20%02d-%02d-%02dT%02d:00:00Z", 24+g.random.IntN(6), 1+g.random.IntN(12),
			1+g.random.IntN(28), g.random.IntN(24))
	case schema.Format == "date":
		return fmt.Sprintf("20%02d-%02d-%02d", 24+g.random.IntN(6), 1+g.random.IntN(12), 1+g.random.IntN(28))
	case schema.Format == "uuid", strings.HasSuffix(name, "Id"), strings.HasSuffix(name,
		"Ids"), strings.HasSuffix(name, "Number"):
		return g.known(name)
	default:
		return pick(g, texts)
	}
}

// renewed returns a copy of an example that names existing records and has strings of its own.
func (g *generator) renewed(example map[string]any, schema *openapi3.Schema) map[string]any {
	members := maps.Clone(example)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		text, isText := members[name].(string)
		switch property := schema.Properties[name]; {
		case strings.HasSuffix(name, "Id"), strings.HasSuffix(name, "Ids"), name == "policyNumber":
			if property != nil {
				members[name] = g.value(name, property.Value, 1)
			}
		case isText && strings.HasSuffix(name, "Number"):
			members[name] = fmt.Sprint(text, g.random.IntN(1_000_000))
		}
	}
	return members
}

// spoil changes one member: takes it away, gives it another value, or adds one.
func (g *generator) spoil(members map[string]any, schema *openapi3.Schema) {
	have := slices.Sorted(maps.Keys(members))
	switch g.random.IntN(5) {
	case 0:
		if len(have) > 0 {
			delete(members, pick(g, have))
		}
	case 1:
		if len(have) > 0 {
			members[pick(g, have)] = pick(g, anyValues)
		}
	case 2:
		if len(have) > 0 {
			members[pick(g, have)] = pick(g, texts)
		}
	case 3:
		members[pick(g, names)] = pick(g, anyValues)
	case 4:
		if all := slices.Sorted(maps.Keys(schema.Properties)); len(all) > 0 {
			name := pick(g, all)
			members[name] = g.value(name, schema.Properties[name].Value, 1)
		}
	}
}
