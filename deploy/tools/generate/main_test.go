package main

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/deploy/tools/generate/document"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// generated is the part of the JSON of a document that the tests read.
type generated struct {
	Paths map[string]map[string]struct {
		Description string
		Parameters  []struct{ Name string }
		Responses   map[string]struct {
			Content map[string]struct {
				Schema struct {
					Ref string `json:"$ref"`
				}
			}
		}
	}
	Components struct {
		Schemas map[string]struct {
			Required   []string
			Properties map[string]any
		}
	}
}

// build returns the document of the services after a change to what one resource declares.
func build(t *testing.T, resource string, change func(*rest.Description)) (*generated, error) {
	t.Helper()
	services, err := describe()
	if err != nil {
		t.Fatal(err)
	}
	changed := false
	for _, s := range services {
		for i := range s.Resources {
			if s.Resources[i].Resource == resource {
				change(&s.Resources[i])
				changed = true
			}
		}
	}
	if !changed {
		t.Fatalf("no service declares %s", resource)
	}
	built, err := document.Build(services, filepath.Join("..", "..", ".."))
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(built)
	if err != nil {
		t.Fatal(err)
	}
	var d generated
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return &d, nil
}

// TestAChangedDeclarationChangesTheDocument changes the declaration of claims in several places, and checks that the
// document shows each of them.
func TestAChangedDeclarationChangesTheDocument(t *testing.T) {
	refused := problems.All()[0]
	before, err := build(t, "claim", func(*rest.Description) {})
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		declared string
		change   func(*rest.Description)
		shown    func(*generated) bool
	}{
		{"a filter", func(r *rest.Description) {
			r.Parameters = append(slices.Clone(r.Parameters), rest.Parameter{Name: "lossCause", Means: "their cause"})
		}, func(d *generated) bool {
			return slices.ContainsFunc(d.Paths["/claim"]["get"].Parameters, func(p struct{ Name string }) bool {
				return p.Name == "lossCause"
			})
		}},
		{"a check that needs a member", func(r *rest.Description) {
			check := rest.CheckDescription{
				Name: "the cause is known", Refuses: []problem.Kind{refused}, Requires: []string{"lossCause"},
			}
			r.Checks = append(slices.Clone(r.Checks), check)
		}, func(d *generated) bool {
			described := d.Paths["/claim"]["post"].Description
			return slices.Contains(d.Components.Schemas["claimInput"].Required, "lossCause") &&
				strings.Contains(described, "the cause is known") && strings.Contains(described, problem.URI(refused))
		}},
		{"a transition", func(r *rest.Description) {
			action(r, "reopen").Moves = []rest.Move{{From: "lost", To: "found"}}
		}, func(d *generated) bool {
			return strings.Contains(d.Paths["/claim/{id}:reopen"]["post"].Description, "| lost | found |")
		}},
		{"an action", func(r *rest.Description) {
			r.Actions = append(slices.Clone(r.Actions),
				rest.ActionDescription{Name: "withdraw", Body: reflect.TypeFor[struct{}]()})
		}, func(d *generated) bool {
			_, has := d.Paths["/claim/{id}:withdraw"]["post"]
			return has
		}},
		{"another name of a member", func(r *rest.Description) {
			aliases := map[string]string{"place": "location"}
			for alias, of := range r.Aliases {
				aliases[alias] = of
			}
			r.Aliases = aliases
		}, func(d *generated) bool {
			_, has := d.Components.Schemas["claimInput"].Properties["place"]
			return has
		}},
	}
	after, err := build(t, "claim", func(r *rest.Description) {
		for _, c := range cases {
			c.change(r)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.shown(before) || !c.shown(after) {
			t.Errorf("%s: in the document before it is declared: %v, afterwards: %v", c.declared, c.shown(before),
				c.shown(after))
		}
	}
}

// action returns the declaration of an action, to change it.
func action(r *rest.Description, name string) *rest.ActionDescription {
	r.Actions = slices.Clone(r.Actions)
	return &r.Actions[slices.IndexFunc(r.Actions, func(a rest.ActionDescription) bool { return a.Name == name })]
}

// TestResponsesThatMayWarnSaySo looks at the actions on policies. Each has a body, whose members may be misspelt, and
// those that run the checks of a creation may return further warnings.
func TestResponsesThatMayWarnSaySo(t *testing.T) {
	d, err := build(t, "motorCoverage", func(*rest.Description) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		action, status string
	}{{":endorse", "200"}, {":renew", "201"}, {":cancel", "200"}} {
		response := d.Paths["/motorCoverage/{id}"+c.action]["post"].Responses[c.status]
		name := strings.TrimPrefix(response.Content["application/json"].Schema.Ref, "#/components/schemas/")
		if d.Components.Schemas[name].Properties["policyNumber"] == nil {
			t.Fatalf("%s returns %q, which is no policy", c.action, name)
		}
		if _, warns := d.Components.Schemas[name].Properties["warnings"]; !warns {
			t.Errorf("%s: the document does not say that it may warn", c.action)
		}
	}
}

func TestAnUndeclaredOperationHasNoExample(t *testing.T) {
	_, err := build(t, "claim", func(r *rest.Description) { action(r, "reopen").Name = "unclose" })
	if err == nil || !strings.Contains(err.Error(), "/claim/{id}:reopen") {
		t.Errorf("an example of an action that is no longer declared is taken: %v", err)
	}
}
