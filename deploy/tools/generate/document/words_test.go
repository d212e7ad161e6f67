package document

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
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
