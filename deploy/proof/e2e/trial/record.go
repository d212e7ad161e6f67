package trial

import (
	"fmt"
	"maps"
	"slices"
)

// Record is a JSON object. Numbers that were received are json.Number.
type Record map[string]any

// Text returns a member as text: a string as it is, a number as it is written, or "" if there is none.
func (r Record) Text(name string) string {
	if value := r[name]; value != nil {
		return fmt.Sprint(value)
	}
	return ""
}

// With returns a copy of the record with a member set.
func (r Record) With(name string, value any) Record {
	r = maps.Clone(r)
	r[name] = value
	return r
}

// Without returns a copy of the record without some members.
func (r Record) Without(names ...string) Record {
	r = maps.Clone(r)
	for _, name := range names {
		delete(r, name)
	}
	return r
}

// Pointers returns the JSON pointers of a problem's errors, sorted.
func (r Record) Pointers() []string {
	var all []string
	errors, _ := r["errors"].([]any)
	for _, e := range errors {
		if violation, ok := e.(map[string]any); ok {
			all = append(all, Record(violation).Text("pointer"))
		}
	}
	slices.Sort(all)
	return all
}
