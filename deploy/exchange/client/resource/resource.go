// Package resource reads from the OpenAPI document of an exchange what a client needs to know of its resources: their
// members and the values these may have, their filters, and the operations on them. A resource or a member that is added
// to the document is known to the client without a change to it.
package resource

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is how the values of a member are read and written in a table.
type Kind int

// The kinds. Free is a member of any type, or one that the interface does not name: in a table it is JSON where it reads
// as JSON, else text.
const (
	Free     Kind = iota
	Text          // a string
	Number        // an integer or a decimal number; its digits are kept
	Flag          // true or false
	List          // of strings
	Date          // a day, YYYY-MM-DD
	DateTime      // an instant, RFC 3339
)

// Member is a member of a record. Members of nested objects have dotted names, as Join makes them.
type Member struct {
	Path string
	Kind Kind
	// Values are the values that are allowed, nil for any. Those of a List are allowed in it.
	Values []string
}

// Filter is a query parameter by which a list can be filtered.
type Filter struct {
	Name string
	// Values are the values that a record can have there, nil for any.
	Values []string
}

// Action is an operation on a record: POST /{resource}/{id}:{name}, or where it is Nested, /{resource}/{id}/{name}.
type Action struct {
	Name   string
	Nested bool
	// Members are the members of its body.
	Members []Member
	// Example is the example of a body, nil where the document has none.
	Example jsontext.Value
}

// Resource is a resource and the operations on it.
type Resource struct {
	Name string
	// Members are those that a record has when it is read, in the order in which the exchange returns them.
	Members []Member
	// Sent are the members that may be sent, under each of their names.
	Sent    []Member
	Filters []Filter
	Actions []Action
	// Readable, Creatable, Replaceable: GET /{resource}/{id}, POST /{resource} and PUT /{resource}/{id} exist.
	Readable, Creatable, Replaceable bool
	// Trial is the path of the operation that says what would become of a body if it were sent to create a record, without
	// creating it; "" where there is none.
	Trial string
	// Example is the example of a body that creates a record, nil where the document has none.
	Example jsontext.Value
}

// Action returns the action of a name, and whether there is one.
func (r Resource) Action(name string) (Action, bool) {
	i := slices.IndexFunc(r.Actions, func(a Action) bool { return a.Name == name })
	if i < 0 {
		return Action{}, false
	}
	return r.Actions[i], true
}

// ActionNames returns the names of the actions.
func (r Resource) ActionNames() []string {
	var names []string
	for _, a := range r.Actions {
		names = append(names, a.Name)
	}
	return names
}

// Member returns the member of a name among those read and sent, and whether there is one.
func (r Resource) Member(path string) (Member, bool) {
	for _, members := range [][]Member{r.Members, r.Sent} {
		if i := slices.IndexFunc(members, func(m Member) bool { return m.Path == path }); i >= 0 {
			return members[i], true
		}
	}
	return Member{}, false
}

// Names reports whether the interface names a member, or names one of any type that holds it.
func (r Resource) Names(path string) bool {
	for name := path; ; {
		if m, is := r.Member(name); is {
			return name == path || m.Kind == Free
		}
		cut := lastDot(name)
		if cut < 0 {
			break
		}
		name = name[:cut]
	}
	// The object that holds named members, given whole.
	return slices.ContainsFunc(r.Members, func(m Member) bool { return strings.HasPrefix(m.Path, path+".") })
}

func lastDot(path string) int {
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '.' && path[i-1] != '\\' {
			return i
		}
	}
	return -1
}

var escape = strings.NewReplacer(`\`, `\\`, `.`, `\.`)

// Join returns the dotted name of a member of the object at parent; "" is the record itself. A dot or a backslash within
// the member's own name has a backslash before it.
func Join(parent, name string) string {
	name = escape.Replace(name)
	if parent == "" {
		return name
	}
	return parent + "." + name
}

// Split takes a dotted name apart into the names of members.
func Split(path string) []string {
	var names []string
	var name strings.Builder
	for i := 0; i < len(path); i++ {
		switch {
		case path[i] == '\\' && i+1 < len(path):
			i++
			name.WriteByte(path[i])
		case path[i] == '.':
			names = append(names, name.String())
			name.Reset()
		default:
			name.WriteByte(path[i])
		}
	}
	return append(names, name.String())
}
