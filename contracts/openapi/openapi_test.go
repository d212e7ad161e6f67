package openapi_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/contracts/valuesets"
)

// read answers the document and its schemas.
func read(t *testing.T, text []byte) (document map[string]any, schemas map[string]struct{ Enum []string }) {
	t.Helper()
	var typed struct {
		Components struct {
			Schemas map[string]struct{ Enum []string }
		}
	}
	for _, v := range []any{&document, &typed} {
		if err := json.Unmarshal(text, v); err != nil {
			t.Fatal(err)
		}
	}
	return document, typed.Components.Schemas
}

func TestPublishedSetsLeaveTheDocumentAsGenerated(t *testing.T) {
	generated, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	served, err := openapi.Document(valuesets.Published())
	if err != nil {
		t.Fatal(err)
	}
	is, _ := read(t, served)
	want, _ := read(t, generated)
	if !reflect.DeepEqual(is, want) {
		t.Error("the document that is served differs from the one that was generated")
	}
}

func TestDocumentShowsTheSetsInForce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sets.yaml")
	if err := os.WriteFile(file, []byte("ClaimType: {values: [glass]}\nMotorPeril: {extend: [rodents]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sets, err := valuesets.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := openapi.Document(sets)
	if err != nil {
		t.Fatal(err)
	}
	_, schemas := read(t, text)
	if is := schemas["ClaimType"].Enum; !slices.Equal(is, []string{"glass"}) {
		t.Errorf("ClaimType is %v", is)
	}
	for _, peril := range []string{"fire", "rodents", "volcanic erruption", "volcanic eruption"} {
		if !slices.Contains(schemas["MotorPeril"].Enum, peril) {
			t.Errorf("MotorPeril lacks %q", peril)
		}
	}
}
