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

// read returns the document and its schemas.
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
	served, err := openapi.Document(valuesets.Published(), "")
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
	if err := os.WriteFile(file, []byte("ClaimType: {values: [glass]}\nMotorPeril: {extend: [rodents]}\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	sets, err := valuesets.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := openapi.Document(sets, "")
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

// access is what the document says of tokens.
type access struct {
	Paths map[string]map[string]struct {
		Security []map[string][]string
		Scope    string `json:"x-scope"`
	}
	Components struct {
		SecuritySchemes map[string]struct {
			Type  string
			Flows map[string]struct {
				TokenURL string `json:"tokenUrl"`
				Scopes   map[string]string
			}
		}
	}
}

func accessOf(t *testing.T, tokenURL string) access {
	t.Helper()
	text, err := openapi.Document(valuesets.Published(), tokenURL)
	if err != nil {
		t.Fatal(err)
	}
	var a access
	if err := json.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestDocumentWithoutTokenURLHasBearerTokensOnly(t *testing.T) {
	is := accessOf(t, "")
	if len(is.Components.SecuritySchemes) != 1 || is.Components.SecuritySchemes[openapi.Bearer].Type != "http" {
		t.Errorf("the schemes are %v", is.Components.SecuritySchemes)
	}
	for path, operations := range is.Paths {
		for method, o := range operations {
			if _, takes := o.Security[0][openapi.Bearer]; len(o.Security) != 1 || !takes ||
				openapi.Scopes()[o.Scope] == "" {
				t.Errorf("%s %s: %v, scope %q", method, path, o.Security, o.Scope)
			}
		}
	}
}

func TestDocumentShowsTheTokenURL(t *testing.T) {
	const tokenURL = "https://login.example/token"
	is := accessOf(t, tokenURL)
	flow := is.Components.SecuritySchemes[openapi.OAuth2].Flows["clientCredentials"]
	if flow.TokenURL != tokenURL {
		t.Errorf("the token URL is %q", flow.TokenURL)
	}
	if len(is.Paths) < 50 {
		t.Errorf("%d paths are left", len(is.Paths))
	}
	for path, operations := range is.Paths {
		for method, o := range operations {
			want := openapi.ScopeAdmin
			if method == "get" || path == "/x/claim/admissibility" {
				want = openapi.ScopeDeveloper
			}
			if _, described := flow.Scopes[want]; !described {
				t.Fatalf("the scope %s is not described", want)
			}
			if len(o.Security) != 2 || o.Scope != want || !slices.Equal(o.Security[1][openapi.OAuth2], []string{want}) {
				t.Errorf("%s %s: %v, scope %q", method, path, o.Security, o.Scope)
			}
		}
	}
}
