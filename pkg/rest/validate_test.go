package rest_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

type stateless struct {
	ID   string  `json:"id,omitzero"`
	Size *string `json:"size,omitzero" set:"Colour"`
	Kind *string `json:"kind,omitzero" issued:"Nothing"`
}

func (s *stateless) RecordID() string      { return s.ID }
func (s *stateless) SetRecordID(id string) { s.ID = id }

// TestADeclarationThatIsWrongStopsTheStart changes one thing about a good declaration at a time.
func TestADeclarationThatIsWrongStopsTheStart(t *testing.T) {
	nothing := func(context.Context, *rest.Change[*parcel], *struct{}) error { return nil }
	passes := func(context.Context, *rest.Draft[*parcel]) error { return nil }
	for want, change := range map[string]func(*rest.Resource[*parcel]){
		"has no Name": func(r *rest.Resource[*parcel]) { r.Name = "" },
		"alias a stands for b, which is no": func(r *rest.Resource[*parcel]) {
			r.Aliases = map[string]string{"a": "b"}
		},
		"alias label is itself a member": func(r *rest.Resource[*parcel]) {
			r.Aliases = map[string]string{"label": "size"}
		},
		"object size is itself a member": func(r *rest.Resource[*parcel]) { r.Flatten = []string{"size"} },
		"filter colour names no member":  func(r *rest.Resource[*parcel]) { r.Filters[0].Index = "colour" },
		"filter label asks for ranges of a": func(r *rest.Resource[*parcel]) {
			r.Filters[0] = rest.Prefix("label", func(p *parcel) string { return rest.Text(p.Label) })
		},
		"a Unique has no Index or no Value":  func(r *rest.Resource[*parcel]) { r.Unique[0].Value = nil },
		`"label is taken": there is no Uniq`: func(r *rest.Resource[*parcel]) { r.Unique = r.Unique[1:] },
		`check "c" names colour, which is`: func(r *rest.Resource[*parcel]) {
			r.Rules[0] = rest.Check[*parcel]{Name: "c", DependsOn: []string{"colour"}, Run: passes}
		},
		`"c" requires size and does not dep`: func(r *rest.Resource[*parcel]) {
			r.Rules[0] = rest.Check[*parcel]{Name: "c", DependsOn: []string{"label"}, Requires: []string{"size"}}
		},
		`check "c" has no Run and requires`: func(r *rest.Resource[*parcel]) {
			r.Rules[0] = rest.Check[*parcel]{Name: "c"}
		},
		"a check has no Name": func(r *rest.Resource[*parcel]) { r.Rules[0] = rest.Check[*parcel]{Run: passes} },
		`"c" refuses with a problem that is`: func(r *rest.Resource[*parcel]) {
			r.Rules[0] = rest.Check[*parcel]{Name: "c", Run: passes, Refuses: []problem.Kind{nil}}
		},
		"c\": place shares its collection": func(r *rest.Resource[*parcel]) {
			places := rest.Add(rest.NewServer(rest.Config{}),
				rest.Resource[*depot]{Name: "place", Collection: "places"})
			r.Rules[0] = rest.EachRefersTo("c", "size", func(*parcel) []string { return nil }, places, problem.Invalid)
		},
		"action x has no moves": func(r *rest.Resource[*parcel]) { r.Actions[0] = rest.Act("x", nil, nothing) },
		`x moves from "lost", which is no`: func(r *rest.Resource[*parcel]) {
			r.Actions[0] = rest.Act("x", []rest.Move{{From: "lost", To: "held"}}, nothing)
		},
		`x moves to "lost", which is no`: func(r *rest.Resource[*parcel]) {
			r.Actions[0] = rest.Act("x", []rest.Move{{From: "held", To: "lost"}}, nothing)
		},
		"action hold is declared twice": func(r *rest.Resource[*parcel]) {
			r.Actions[0] = rest.Act("hold", rest.AnyState, nothing)
		},
		"x requires colour, which is no": func(r *rest.Resource[*parcel]) {
			r.Actions[0] = rest.Act("x", rest.AnyState, nothing, rest.Present[*struct{}]("c", "colour"))
		},
		"was not made by Act or Spawn": func(r *rest.Resource[*parcel]) {
			r.Actions[0] = rest.Action[*parcel]{Operation: rest.Operation{Name: "x", Moves: rest.AnyState}}
		},
		"adds Extra, which the resource has": func(r *rest.Resource[*parcel]) { r.Extra = nil },
		"moves a record that has no Status":  func(r *rest.Resource[*parcel]) { r.Status = nil },
		"Status returns no member": func(r *rest.Resource[*parcel]) {
			r.Status = func(*parcel) **string { return new(*string) }
		},
		"member label is not tagged issued": func(r *rest.Resource[*parcel]) {
			r.Status = func(p *parcel) **string { return &p.Label }
		},
		"Merge and NoReplace do not go":    func(r *rest.Resource[*parcel]) { r.Merge, r.NoReplace = true, true },
		"resource depot is declared twice": func(r *rest.Resource[*parcel]) { r.Name = "depot" },
	} {
		err := open(t, change)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "resource ") {
			t.Errorf("the start says %v, want %q", err, want)
		}
	}
	if err := open(t, func(*rest.Resource[*parcel]) {}); err != nil {
		t.Errorf("the declaration that the changes began with: %v", err)
	}
}

// open declares the parcel, changed, and returns what the start says.
func open(t *testing.T, change func(*rest.Resource[*parcel])) error {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "rest.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	server := rest.NewServer(rest.Config{Store: store, Sets: known, Now: time.Now})
	w := &world{t: t}
	declared := w.declare(rest.Add(server, rest.Resource[*depot]{Name: "depot"}))
	change(&declared)
	rest.Add(server, declared)
	return server.Open(t.Context())
}

func TestATagThatNamesNoValueSetStopsTheStart(t *testing.T) {
	server := rest.NewServer(rest.Config{Sets: known, Now: time.Now})
	rest.Add(server, rest.Resource[*stateless]{Name: "thing"})
	err := server.Open(t.Context())
	for _, want := range []string{"resource thing: member size: there is no value set Colour",
		"resource thing: member kind: there is no value set Nothing"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the start says %v, want %q", err, want)
		}
	}
}
