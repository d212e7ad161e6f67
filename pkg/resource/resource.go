// Package resource reads from the OpenAPI document of an exchange what a client needs to know about its resources:
// their members and the values these may have, their filters, and the operations on them. If a resource or a member
// is added to the document, the client needs no change.
package resource

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Kind is how the values of a member are read and written in a table.
type Kind int

// The kinds. Free is a member of any type, or one that the interface does not name: in a table it is JSON if the text
// of the cell is valid JSON, and otherwise a string.
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
	// Values are the allowed values, or nil if every value is allowed. For a List they are the allowed elements.
	Values []string
	// Amount says that the numbers are amounts of money, and Whole that they are whole numbers.
	Amount, Whole bool
	// Refers says that the values are ids of records, in place of which ref: and the caller's own name may be sent.
	Refers bool
	// Targets are the resources whose records the values of a member of a response name: by id, or by the member behind
	// a point, as in claim.claimNumber; policy stands for every line of policies.
	Targets []string
	// Returned is the name under which responses have a member that is sent under this one; "" if it is the same.
	Returned string
	// Description says in words what the member is; "" if the document does not.
	Description string
}

// Filter is a query parameter by which a list can be filtered.
type Filter struct {
	Name string
	// Values are the values that the member can have, or nil if it can have any.
	Values []string
}

// Action is an operation on a record: POST /{resource}/{id}:{name}, or POST /{resource}/{id}/{name} if it is Nested.
// The path of one that the interface does not name begins with /x.
type Action struct {
	Name           string
	Nested, Beyond bool
	// Members are the members of its body.
	Members []Member
	// Example is the example of a body, or nil if the document has none.
	Example jsontext.Value
}

// Resource is a resource and the operations on it.
type Resource struct {
	Name string
	// Members are the members of a record in a response, in the order in which the exchange returns them.
	Members []Member
	// Sent are the members that may be sent, under each of their names.
	Sent []Member
	// Required are the members, of the record itself, without which none is created.
	Required []string
	Filters  []Filter
	// Search are the parameters of the conditions of GET /x/search/{resource}; nil if there is no such operation.
	Search  []Filter
	Actions []Action
	// Readable is true if there is GET /{resource}/{id}, Creatable if there is POST /{resource}, and Replaceable if
	// there is PUT /{resource}/{id}.
	Readable, Creatable, Replaceable bool
	// Trial is the path of the operation that checks the body of a creation without creating the record, or "" if
	// there is none.
	Trial string
	// Example is the example of a body that creates a record, or nil if the document has none.
	Example jsontext.Value
	// AmountsIn says what amounts are in, such as "minor GBP"; "" if the exchange does not say it.
	AmountsIn string
}

// Headed returns the member that the head of a column stands for: in tables, that of an amount says what it is in, in
// parentheses.
func (r Resource) Headed(head string) string {
	path, _, said := strings.Cut(head, " (")
	if m, is := r.Member(path); said && is && m.Amount {
		return path
	}
	return head
}

// Action returns the action with a name, and reports whether there is one.
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

// MemberNames returns the names of the members of a response.
func (r Resource) MemberNames() []string {
	var names []string
	for _, m := range r.Members {
		names = append(names, m.Path)
	}
	return names
}

// Member returns the member with a name, among those of responses and of requests, and reports whether there is one.
func (r Resource) Member(path string) (Member, bool) {
	for _, members := range [][]Member{r.Members, r.Sent} {
		if i := slices.IndexFunc(members, func(m Member) bool { return m.Path == path }); i >= 0 {
			return members[i], true
		}
	}
	return Member{}, false
}

// KnownBy returns the identifier of a record, and the number or else the name by which people know it, if it has one.
func (r Resource) KnownBy(record jsontext.Value) []string {
	var members map[string]any
	if json.Unmarshal(record, &members) != nil || len(r.Members) == 0 {
		return nil
	}
	names := []string{fmt.Sprint(members[r.Members[0].Path])}
	for _, ending := range []string{"Number", "ame"} {
		for _, m := range r.Members {
			if text, is := members[m.Path].(string); is && strings.HasSuffix(m.Path, ending) {
				return append(names, text)
			}
		}
	}
	return names
}

// Names reports whether the interface names a member, or an object of any type that it is in.
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
	// The whole object whose members are named.
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

// Join returns the dotted name of a member of the object whose dotted name is parent, which is "" for the record
// itself. It escapes a dot or a backslash in the member's name with a backslash.
func Join(parent, name string) string {
	name = escape.Replace(name)
	if parent == "" {
		return name
	}
	return parent + "." + name
}

// Split splits a dotted name into the names of members.
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
