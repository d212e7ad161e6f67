package document

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// Page returns a page about the interface in Markdown. It has one section for each resource, whose heading is the
// name of the resource. root is as for Build. Page returns an error for a missing description and for a problem
// without a text.
func Page(services []Service, root string) (string, error) {
	texts, err := problems.Texts()
	if err != nil {
		return "", err
	}
	p := &page{schemas: newSchemas(valuesets.Published(), root)}
	p.line("# The interface of the exchange\n\nGenerated from the declarations of the services (make generate). " +
		"What the interface " +
		"leaves open, and how it is settled: [the register](register/register.md).\n")
	p.line("%s\n", conventions)
	p.line("## Contents\n")
	p.contents(services)
	for _, s := range services {
		for _, r := range s.Resources {
			p.resource(r)
		}
	}
	p.embeddedTypes()
	p.problems(texts)
	p.valueSets()
	return p.text.String(), errors.Join(p.schemas.words.errs...)
}

// page is a page that is being written.
type page struct {
	schemas *schemas
	text    strings.Builder
	// sets are the value sets of the members so far, and embedded the structs that are types of members.
	sets     []string
	embedded []reflect.Type
}

func (p *page) line(format string, values ...any) { fmt.Fprintf(&p.text, format+"\n", values...) }

// anchor returns the anchor of a heading, as renderers of Markdown make it.
func anchor(heading string) string {
	return "#" + strings.ReplaceAll(strings.ToLower(heading), " ", "-")
}

func (p *page) contents(services []Service) {
	for _, s := range services {
		groups := map[string][]string{}
		var order []string
		for _, r := range s.Resources {
			name, about := p.schemas.words.group(r.Record)
			if groups[name] == nil {
				order = append(order, name)
				groups[name] = []string{about}
			}
			groups[name] = append(groups[name], fmt.Sprintf("[%s](%s)", r.Resource, anchor(r.Resource)))
		}
		for _, name := range order {
			p.line("- **%s**. %s %s", name, groups[name][0], strings.Join(groups[name][1:], ", "))
		}
	}
	p.line("- [Embedded types](#embedded-types)\n- [Problems](#problems)\n- [Value sets](#value-sets)\n")
}

func (p *page) resource(r rest.Description) {
	p.line("## %s\n\n%s\n", r.Resource, p.schemas.words.of(r.Record))
	p.operations(r)
	if len(r.Parameters) > 0 {
		p.line("The list can be filtered:\n\n| parameter | records by |\n|---|---|")
		for _, f := range r.Parameters {
			p.line("| `%s` | %s |", f.Name, f.Means)
		}
		p.line("")
	}
	p.members(r)
	if r.Static {
		return
	}
	p.checks(r)
	for _, a := range r.Actions {
		if !a.Beyond {
			p.action(r, a)
		}
	}
}

func (p *page) operations(r rest.Description) {
	p.line("| operation | scope |\n|---|---|")
	for _, of := range []struct {
		path    string
		methods []string
	}{{"/" + r.Resource, r.Collection}, {"/" + r.Resource + "/{id}", r.Item}} {
		for _, method := range of.methods {
			switch method {
			case http.MethodHead: // as GET
			case http.MethodGet:
				p.line("| %s %s | std.developer |", method, of.path)
			default:
				p.line("| %s %s | std.admin |", method, of.path)
			}
		}
	}
	for _, a := range r.Actions {
		if !a.Beyond {
			p.line("| POST %s | std.admin |", actionPath(r, a))
		}
	}
	p.line("")
}

// members writes the members of a record, whether the caller or the exchange sets them, and their other names.
func (p *page) members(r rest.Description) {
	p.line("| member | type | set by | |\n|---|---|---|---|")
	p.rows(r.Record, requires(r))
	p.line("")
	var names []string
	for alias, of := range r.Aliases {
		if of == "" {
			names = append(names, fmt.Sprintf("`%s` is accepted and dropped: it is part of a response.", alias))
		} else {
			names = append(names, fmt.Sprintf("`%s` is accepted for `%s`.", alias, of))
		}
	}
	for _, name := range r.Flatten {
		names = append(names, fmt.Sprintf("`%s` may hold members of the record.", name))
	}
	slices.Sort(names)
	if len(names) > 0 {
		p.line("Other names: %s\n", strings.Join(names, " "))
	}
}

func (p *page) rows(t reflect.Type, required []string) {
	for _, field := range members(t) {
		name, by := jsonName(field), "the caller"
		if ofExchange(field) {
			by = "the exchange"
		} else if slices.Contains(required, name) {
			by = "the caller, required"
		}
		if _, fixed := field.Tag.Lookup("fixed"); fixed {
			by += ", once"
		}
		p.line("| `%s` | %s | %s | %s |", name, p.typeOf(field), by, p.schemas.words.member(t, field))
	}
}

// typeOf returns the type of a member in words.
func (p *page) typeOf(field reflect.StructField) string {
	t, list := field.Type, ""
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, scalar := scalars[t]
	if t.Kind() == reflect.Slice && !scalar {
		t, list = t.Elem(), "list of "
	}
	if set := setOf(field); set != "" {
		if !slices.Contains(p.sets, set) {
			p.sets = append(p.sets, set)
		}
		return fmt.Sprintf("%s[%s](%s)", list, set, anchor(setHeading+set))
	}
	if t.Kind() == reflect.Struct && !scalar {
		if !slices.Contains(p.embedded, t) {
			p.embedded = append(p.embedded, t)
		}
		return fmt.Sprintf("%s[%s](%s)", list, t.Name(), anchor(t.Name()))
	}
	ref := p.schemas.of(t, false)
	switch {
	case ref.Value.Type == nil:
		return list + "any JSON"
	case ref.Value.Format != "":
		return list + (*ref.Value.Type)[0] + " (" + ref.Value.Format + ")"
	}
	return list + (*ref.Value.Type)[0]
}

func (p *page) checks(r rest.Description) {
	if len(r.Checks) > 0 {
		p.line("The checks of a creation, in this order; the first that fails decides the response:\n\n%s",
			checkTable(r, refusalLink))
	}
	if len(r.Rules) > 0 {
		p.line("Conditions that hold as well; their violations are reported together:\n\n| condition | response " +
			"|\n|---|---|")
		for _, c := range r.Rules {
			p.line("| %s | %s |", c.Name, checkResponse(c, refusalLink))
		}
		p.line("")
	}
	for _, k := range r.Taken {
		p.line("Unique: %s.\n", refusalLink(k))
	}
	if r.ListsIdempotency {
		p.line("An Idempotency-Key that was used before is found after the checks.\n")
	}
}

func (p *page) action(r rest.Description, a rest.ActionDescription) {
	p.line("### POST %s\n", actionPath(r, a))
	if a.Spawns {
		p.line("Writes a second record and leaves this one as it is.\n")
	}
	if len(a.Moves) > 0 {
		p.line("The transitions; any other state refuses the action with 409:\n\n%s", moveTable(a.Moves))
	} else {
		p.line("Applies in every state and leaves the state as it is.\n")
	}
	if a.Body.NumField() > 0 {
		p.line("%s\n\n| member | type | set by | |\n|---|---|---|---|", p.schemas.words.of(a.Body))
		p.rows(a.Body, a.Requires)
		p.line("")
	}
	if a.Amends {
		p.line("The body may hold members of the record, which pass the checks of a creation.\n")
	}
	for _, k := range kinds(a.Refuses) {
		p.line("- %s", refusalLink(k))
	}
	if len(a.Refuses) > 0 {
		p.line("")
	}
}

// refusalLink returns a problem with its status, as a link to the table of problems.
func refusalLink(k problem.Kind) string {
	return fmt.Sprintf("%d [%s](#problems)", k.Status(), k.Title())
}

// embeddedTypes writes the types of members that are structs and not resources.
func (p *page) embeddedTypes() {
	p.line("## Embedded types\n")
	for i := 0; i < len(p.embedded); i++ { // a type may have members of a further type
		t := p.embedded[i]
		p.line("### %s\n\n%s\n\n| member | type | |\n|---|---|---|", t.Name(), p.schemas.words.of(t))
		for _, field := range members(t) {
			p.line("| `%s` | %s | %s |", jsonName(field), p.typeOf(field), p.schemas.words.member(t, field))
		}
		p.line("")
	}
}

// problems writes every problem with what to do about it.
func (p *page) problems(texts map[string]problems.Text) {
	var all []problem.Kind
	for _, t := range problems.All() {
		all = append(all, t)
	}
	all = append(all, problem.All()...)
	slices.SortStableFunc(all, func(x, y problem.Kind) int {
		return cmp.Or(x.Status()-y.Status(), strings.Compare(x.Slug(), y.Slug()))
	})
	p.line("## Problems\n\nThe type of a problem is `/problems/` and its name.\n\n| status | name | title | means " +
		"| how to mend it |\n|---|---|---|---|---|")
	for _, k := range all {
		if texts[k.Slug()].Means == "" {
			p.schemas.words.errs = append(p.schemas.words.errs,
				fmt.Errorf("problem %s has no text: write it in contracts/problems/texts.yaml", k.Slug()))
		}
		p.line("| %d | `%s` | %s | %s | %s |", k.Status(), k.Slug(), k.Title(), cell(texts[k.Slug()].Means),
			cell(texts[k.Slug()].Mend))
	}
	p.line("")
}

// setHeading begins the heading of a value set.
const setHeading = "Values of "

// longSet is the greatest number of values of a set that are all listed.
const longSet = 100

func (p *page) valueSets() {
	slices.Sort(p.sets)
	p.line("## Value sets\n\nThe published values. An operator can replace or extend a set; the OpenAPI document " +
		"shows those in force.\n")
	for _, set := range p.sets {
		values := p.schemas.sets.Accepted(set)
		if len(values) > longSet {
			p.line("### %s%s\n\n%d codes, such as `%s`.\n", setHeading, set, len(values), values[0])
			continue
		}
		p.line("### %s%s\n\n`%s`\n", setHeading, set, strings.Join(values, "`, `"))
	}
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
