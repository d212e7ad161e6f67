package document

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/rest"
)

// undescribed is described, and not all of its members are.
//
// A struct of the tests.
type undescribed struct {
	// The first member.
	First string `json:"first"`
	Last  string `json:"last"`
}

// careless is described for readers of the code only.
//
// What StreetName says.
type careless struct {
	// the start of no sentence
	Member string `json:"member"`
}

func TestDescriptionsAreProofread(t *testing.T) {
	for _, c := range []struct {
		of    reflect.Type
		wrong []string
	}{
		{reflect.TypeFor[undescribed](), []string{"undescribed.Last"}},
		{reflect.TypeFor[careless](), []string{"StreetName", "careless.Member"}},
	} {
		s := newSchemas(nil, filepath.Join("..", "..", "..", ".."))
		s.component(c.of, false)
		err := s.failure(nil)
		if err == nil {
			t.Errorf("%s is taken as it is", c.of)
			continue
		}
		if found := strings.Split(err.Error(), "\n"); len(found) != len(c.wrong) {
			t.Errorf("%s: %v, want %d errors", c.of, err, len(c.wrong))
		}
		for _, wrong := range c.wrong {
			if !strings.Contains(err.Error(), wrong) {
				t.Errorf("%s: %v does not name %s", c.of, err, wrong)
			}
		}
	}
}

func TestNamesThatDifferInCaseOnlyAreRefused(t *testing.T) {
	s := newSchemas(nil, "")
	s.add("productCatalog", text("The list."))
	s.add("ProductCatalog", text("The set."))
	s.checkNames()
	if err := s.failure(nil); err == nil || !strings.Contains(err.Error(), "productCatalog") {
		t.Errorf("the names are taken: %v", err)
	}
}

// leaving has members that callers should leave: of a type, and of a component.
//
// A struct of the tests.
type leaving struct {
	// The first member. Use Last.
	First string `json:"first" deprecated:""`
	// The next member. Use Last.
	Next kept `json:"next" deprecated:""`
	// The last member.
	Last kept `json:"last"`
}

// kept is a component.
//
// A struct of the tests.
type kept struct{}

// TestWhatCallersShouldLeaveIsMarked reads the document about a member and a parameter that are deprecated.
func TestWhatCallersShouldLeaveIsMarked(t *testing.T) {
	s := newSchemas(nil, filepath.Join("..", "..", "..", ".."))
	s.component(reflect.TypeFor[leaving](), false)
	text, err := json.Marshal(s.all["leaving"].Value)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Properties map[string]struct{ Deprecated bool }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"first": true, "next": true, "last": false} {
		if got := document.Properties[name].Deprecated; got != want {
			t.Errorf("%s is deprecated: %v, in %s", name, got, text)
		}
	}
	for _, want := range []bool{true, false} {
		if p := queryParameter(rest.Parameter{Name: "period", Deprecated: want, Most: 2}); p.Deprecated != want {
			t.Errorf("the parameter is deprecated: %v", p.Deprecated)
		}
	}
}
