package rest

import (
	"bytes"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/jsonobject"
	"insurance.example/exchange/pkg/problem"
)

// names are the members that the body of an operation may have.
type names struct {
	shape   jsonobject.Shape
	aliases map[string]string
	flatten []string
	// payload has for a member of the record the other name by which a body has it, if there is one.
	payload map[string]string
	// amounts are the members that are amounts of money (tag amount), and unit is the unit that they are in, if the
	// operator has said it.
	amounts map[string]bool
	unit    string
	// only says that a body may have no others, and notHere are some that it may not have in any case.
	only    bool
	notHere []string
	// required has the problem of each member that the operation requires.
	required map[string]problem.Kind
}

// maxUnnamed is how many members that no field names are looked at for a warning.
const maxUnnamed = 64

// bodyNames returns the names in the body of a creation or replacement.
func (r *Records[T]) bodyNames() *names {
	n := &names{
		shape: jsonobject.Shape{}, aliases: r.Aliases, flatten: r.Flatten,
		payload: map[string]string{}, required: map[string]problem.Kind{}, amounts: map[string]bool{},
		unit: r.server.AmountUnit,
	}
	maps.Copy(n.shape, jsonobject.ShapeOf(recordType[T]()))
	n.countAmounts(recordType[T]())
	for _, alias := range slices.Sorted(maps.Keys(r.Aliases)) {
		name := r.Aliases[alias]
		n.shape[alias] = n.shape[name]
		if n.payload[name] == "" {
			n.payload[name] = alias
		}
	}
	for _, object := range r.Flatten {
		n.shape[object] = n.shape
	}
	for _, list := range [][]Check[T]{r.Checks, r.Rules} {
		for i := range list {
			n.requires(list[i].Requires, list[i].MissingAs)
		}
	}
	return n
}

// countAmounts adds the amounts of a struct.
func (n *names) countAmounts(t reflect.Type) {
	for _, field := range reflect.VisibleFields(t) {
		if _, is := field.Tag.Lookup("amount"); is {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			n.amounts[name] = true
		}
	}
}

// hint returns what to say of a fraction that was sent for an amount of the interface that is a whole number.
func (n *names) hint(member, name string, all []jsonobject.Member) string {
	fraction := func(m jsonobject.Member) bool {
		return m.Name == name && m.Value.Kind() == jsontext.KindNumber && bytes.ContainsRune(m.Value, '.')
	}
	switch {
	case !n.amounts[member] || !slices.ContainsFunc(all, fraction):
		return ""
	case n.unit == "":
		return "; the operator has not said whether amounts are in major units or in minor ones, " +
			"such as pence and cents"
	default:
		return "; amounts are in " + n.unit + " units here"
	}
}

func (n *names) requires(members []string, missing problem.Kind) {
	if missing == nil {
		missing = problem.Required
	}
	for _, m := range members {
		if n.required[m] == nil {
			n.required[m] = missing
		}
	}
}

// namesOf returns the names in the body of an action.
func (r *Records[T]) namesOf(a *Operation) *names {
	n := &names{
		shape: jsonobject.Shape{}, required: map[string]problem.Kind{}, amounts: map[string]bool{},
		unit: r.server.AmountUnit,
	}
	if a.Amends {
		n = r.bodyNames()
	}
	n.only, n.notHere = !a.Amends, a.NotHere
	if a.body != nil {
		maps.Copy(n.shape, jsonobject.ShapeOf(a.body))
		n.countAmounts(a.body)
	}
	n.requires(a.Requires, nil)
	return n
}

// judge looks for members of a body that no field names. It refuses them where the operation has no others or the
// caller asks for that, and else returns a warning for each whose name is like that of a field.
func (n *names) judge(c *gin.Context, body []byte) ([]Warning, error) {
	if strict(c.Request.Header) {
		c.Writer.Header().Set("Preference-Applied", "handling=strict")
		return nil, n.refuse(n.shape.Unnamed(body, jsonobject.MaxMembers),
			"The body has members that no field names, and the request asks for strict handling.")
	}
	var refused []jsonobject.Unnamed
	if n.only || len(n.notHere) > 0 {
		refused = slices.DeleteFunc(n.shape.Unnamed(body, jsonobject.MaxMembers), func(m jsonobject.Unnamed) bool {
			return !n.only && (m.In != "" || !slices.Contains(n.notHere, m.Name))
		})
	}
	if err := n.refuse(refused, "The body has members that this action does not have."); err != nil {
		return nil, err
	}
	var warnings []Warning
	for _, m := range n.shape.Unnamed(body, maxUnnamed) {
		if like := nearest(m.Name, n.fields(m)); like != "" {
			warnings = append(warnings, Warning{"unknown-member", "unknown member",
				"No field is named " + string(m.In.AppendToken(m.Name)[1:]) + ". Is " + like + " meant?"})
		}
	}
	return warnings, nil
}

func (n *names) refuse(unnamed []jsonobject.Unnamed, detail string) error {
	if len(unnamed) == 0 {
		return nil
	}
	p := problem.New(problem.Invalid, detail)
	for i, m := range unnamed {
		reason := "is not known here"
		if i < problem.MaxViolations {
			switch like := nearest(m.Name, n.fields(m)); {
			case like != "":
				reason += "; is " + like + " meant?"
			case n.only && len(m.Known) == 0:
				reason += "; the action has no members"
			case n.only:
				reason += "; the members are " + strings.Join(n.fields(m), ", ")
			}
		}
		p.At(problem.Short(string(m.In.AppendToken(m.Name))), reason)
	}
	return p
}

// fields returns the members that the caller can have meant by an unknown name.
func (n *names) fields(m jsonobject.Unnamed) []string {
	all := slices.Sorted(maps.Keys(m.Known))
	return slices.DeleteFunc(all, func(name string) bool {
		of, alias := n.aliases[name]
		return alias && of == "" && m.In == ""
	})
}

// strict reports whether the caller prefers strict handling (RFC 7240, section 4.4).
func strict(header http.Header) bool {
	for _, list := range header["Prefer"] {
		for preference := range strings.SplitSeq(list, ",") {
			preference, _, _ = strings.Cut(preference, ";")
			name, value, _ := strings.Cut(preference, "=")
			if strings.EqualFold(strings.TrimSpace(name), "handling") {
				return strings.EqualFold(strings.Trim(value, " \t\""), "strict")
			}
		}
	}
	return false
}

// nearest returns the name that another is most like: in another case, or with up to two letters that differ, one where
// the name has no more than four. It returns "" if there is none.
func nearest(name string, all []string) string {
	like, least := "", 3
	for _, other := range all {
		if len(name) > 4*len(other) {
			continue // a letter has up to four bytes
		}
		distance := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(other))
		if distance < least && (distance < 2 || len(other) > 4) {
			like, least = other, distance
		}
	}
	return like
}

// asSent returns a refusal with the names of members as the body has them, or would have them. Errors that are no
// refusal are returned as they are.
func (n *names) asSent(err error, body []byte) error {
	var p *problem.Error
	if !errors.As(err, &p) || len(p.Violations) == 0 {
		return err
	}
	all, malformed := jsonobject.Members(body)
	if p.Kind == problem.Malformed || malformed != nil {
		return err
	}
	_, sent, _ := jsonobject.Rename(body, n.aliases, n.flatten)
	told := *p
	told.Violations = slices.Clone(p.Violations)
	lacks := 0
	for i := range told.Violations {
		v := &told.Violations[i]
		if v.Pointer == "" || v.Parameter != "" {
			continue
		}
		member, rest, deeper := strings.Cut(v.Pointer[1:], "/")
		name := n.sentAs(member, sent, all)
		if !deeper && n.lacks(member, name, v, all) {
			lacks++
			if missing := n.required[member]; missing != nil && p.Kind == problem.Invalid {
				told.Kind = missing
			}
		}
		if !deeper && p.Kind == problem.Invalid {
			v.Reason += n.hint(member, name, all)
		}
		v.Pointer = strings.TrimSuffix("/"+name+"/"+rest, "/")
	}
	if lacks < len(told.Violations) {
		told.Kind = p.Kind
	} else {
		told.Detail = missingDetail(lacks)
	}
	return &told
}

// sentAs returns the name by which a caller knows a member of the record: the one that was sent, else that of the
// payload.
func (n *names) sentAs(member string, sent map[string]string, all []jsonobject.Member) string {
	if alias, was := sent[member]; was {
		return alias
	}
	own := slices.ContainsFunc(all, func(m jsonobject.Member) bool { return m.Name == member })
	if alias := n.payload[member]; alias != "" && !own {
		return alias
	}
	return member
}

// lacks reports whether a violation is that a required member is missing. An empty string for a member that is no text
// counts as missing. lacks adds to the violation the name that was sent and is like that of the member.
func (n *names) lacks(member, name string, v *problem.Violation, all []jsonobject.Member) bool {
	if v.Reason != isRequired {
		empty := slices.ContainsFunc(all, func(m jsonobject.Member) bool {
			return m.Name == name && bytes.Equal(m.Value, []byte(`""`))
		})
		if n.required[member] == nil || !empty {
			return false
		}
		v.Reason = isRequired
	}
	var others []string
	for _, m := range all {
		if _, named := n.shape[m.Name]; !named && len(others) < maxUnnamed {
			others = append(others, m.Name)
		}
	}
	for _, meant := range []string{name, member} {
		if like := nearest(meant, others); like != "" {
			v.Reason += "; " + problem.Short(like) + " was sent"
			break
		}
	}
	return true
}
