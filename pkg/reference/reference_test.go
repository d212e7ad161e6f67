package reference_test

import (
	"reflect"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/reference"
)

func TestReferencesAreTextsOfOneForm(t *testing.T) {
	const value = ` {"@p.id":"@p.id", "amount": 123456789012345678.120, "list":["@t1.id",{"deep":"\u0040c.policyNumber"}],` +
		`"text":["@home","@p.name","x@p.id","@p.id ","@.id",null,"@@p.id"] } `
	found, others, err := reference.Find([]byte(value))
	if err != nil {
		t.Fatal(err)
	}
	if want := []reference.Reference{{Pointer: "/text/1", To: "p", Member: "name"}}; !reflect.DeepEqual(others, want) {
		t.Errorf("with another member: %v, want %v", others, want)
	}
	want := []reference.Reference{
		{Pointer: "/@p.id", To: "p", Member: "id"}, {Pointer: "/list/0", To: "t1", Member: "id"},
		{Pointer: "/list/1/deep", To: "c", Member: "policyNumber"},
	}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
	resolved, err := reference.Resolve([]byte(value), func(r reference.Reference) string { return r.To + `"` })
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.NewReplacer(`:"@p.id"`, `:"p\""`, `"@t1.id"`, `"t1\""`, `"\u0040c.policyNumber"`,
		`"c\""`).Replace(value); string(resolved) != want {
		t.Errorf("resolved to %s, want %s", resolved, want)
	}
	for _, wrong := range []string{`{`, `{"a":}`, `{"a":"`} {
		if _, _, err := reference.Find([]byte(wrong)); err == nil {
			t.Errorf("%s is no JSON", wrong)
		}
	}
}

func TestNamesOfOperations(t *testing.T) {
	for text, may := range map[string]bool{"p": true, "Driver_2-b": true, "": false, "a.b": false, "ä": false,
		strings.Repeat("x", 64): true, strings.Repeat("x", 65): false} {
		if reference.Named(text) != may {
			t.Errorf("%q: named %v", text, !may)
		}
	}
}
