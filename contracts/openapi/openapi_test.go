package openapi_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
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
	served, err := openapi.Document(valuesets.Published(), "", openapi.Amounts{})
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
	text, err := openapi.Document(sets, "", openapi.Amounts{})
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
	text, err := openapi.Document(valuesets.Published(), tokenURL, openapi.Amounts{})
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

// TestEarlierDocument looks for what OpenAPI 3.0 lacks in the document of that form, at any depth but in examples.
func TestEarlierDocument(t *testing.T) {
	text, err := openapi.Earlier(openapi.Published())
	if err != nil {
		t.Fatal(err)
	}
	var is, was map[string]any
	for text, into := range map[string]*map[string]any{string(text): &is, string(openapi.Published()): &was} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	if is["openapi"] != "3.0.3" || len(is["paths"].(map[string]any)) != len(was["paths"].(map[string]any)) {
		t.Errorf("openapi %v, %d paths", is["openapi"], len(is["paths"].(map[string]any)))
	}
	nullable := 0
	var look func(value any, at string)
	look = func(value any, at string) {
		switch v := value.(type) {
		case []any:
			for i, element := range v {
				look(element, fmt.Sprint(at, "/", i))
			}
		case map[string]any:
			if _, refers := v["$ref"].(string); refers && len(v) > 1 {
				t.Errorf("%s has a reference and more", at)
			}
			if kind, is := v["type"]; is && (kind == "null" || reflect.TypeOf(kind).Kind() == reflect.Slice) {
				t.Errorf("%s has the type %v", at, kind)
			}
			if v["nullable"] == true {
				nullable++
				if _, typed := v["type"].(string); !typed {
					t.Errorf("%s is nullable without a type", at)
				}
			}
			for name, below := range v {
				member := strings.HasSuffix(at, "/properties")
				if !member && (name == "if" || name == "then" || name == "examples") {
					t.Errorf("%s has %s", at, name)
				}
				if name != "example" {
					look(below, at+"/"+name)
				}
			}
		}
	}
	look(is, "")
	if nullable < 200 {
		t.Errorf("%d schemas are nullable", nullable)
	}
}

// TestEarlierDocumentHasNoMeaningLost refuses a keyword that OpenAPI 3.0 does not have, and changes no member whose
// name is also a keyword.
func TestEarlierDocumentHasNoMeaningLost(t *testing.T) {
	for _, schema := range []string{
		`{"const":1}`, `{"type":["string","integer"]}`, `{"patternProperties":{}}`, `{"anyOf":[{},{},{"type":"null"}]}`,
	} {
		if _, err := openapi.Earlier([]byte(`{"components":{"schemas":{"a":` + schema + `}}}`)); err == nil {
			t.Errorf("%s is taken", schema)
		}
	}
	text, err := openapi.Earlier([]byte(
		`{"s":{"properties":{"const":{"type":["string","null"]},"headers":{"type":["number","null"],"maximum":1.10}}}}`))
	const want = `{"openapi":"3.0.3","s":{"properties":{"const":{"nullable":true,"type":"string"},` +
		`"headers":{"maximum":1.10,"nullable":true,"type":"number"}}}}`
	if err != nil || string(text) != want {
		t.Errorf("%s %v, want %s", text, err, want)
	}
}

// TestDocumentSaysWhatAmountsAreIn looks for the sentences that leave it open, and for what is said in their place.
func TestDocumentSaysWhatAmountsAreIn(t *testing.T) {
	for amounts, want := range map[openapi.Amounts]string{
		{}:                               "The interface does not say its currency or unit.",
		{Unit: "minor", Currency: "GBP"}: "Amounts are in minor units of GBP here.",
		{Unit: "major"}:                  "Amounts are in major units here; the operator has not said their currency.",
		{Currency: "EUR"}: "Amounts are in EUR here; the operator has not said whether in major or " +
			"minor units.",
	} {
		text, err := openapi.Document(valuesets.Published(), "", amounts)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), want); n < 50 {
			t.Errorf("%+v: %q stands in %d places", amounts, want, n)
		}
		for _, open := range []string{"currency or unit.", "currency or the unit", "units of the currency"} {
			if is := strings.Contains(string(text), open); is != (amounts == openapi.Amounts{}) {
				t.Errorf("%+v: %q is said: %v", amounts, open, is)
			}
		}
		var said struct {
			Amounts openapi.Amounts `json:"x-amounts"`
		}
		if err := json.Unmarshal(text, &said); err != nil || said.Amounts != amounts {
			t.Errorf("%+v: the document has %+v, %v", amounts, said.Amounts, err)
		}
	}
}

// TestTheDocumentSaysWhereAKeyIsNeeded looks at each operation whose body may ask for what only a request with an
// Idempotency-Key gets.
func TestTheDocumentSaysWhereAKeyIsNeeded(t *testing.T) {
	var document struct {
		Paths map[string]struct {
			Post *struct{ Description string }
		}
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(openapi.Published(), &document); err != nil {
		t.Fatal(err)
	}
	looked := 0
	for path, of := range document.Paths {
		line, renews := strings.CutSuffix(path, "/{id}:renew")
		if !renews {
			continue
		}
		body := document.Components.Schemas[strings.TrimPrefix(line, "/")+"Renew"]
		if _, may := body.Properties["keepParticipants"]; !may {
			t.Errorf("%s: its body has no keepParticipants", path)
		}
		if !strings.Contains(of.Post.Description, "An Idempotency-Key is needed for keepParticipants") {
			t.Errorf("%s does not say so: %s", path, of.Post.Description)
		}
		looked++
	}
	if looked < 6 {
		t.Errorf("only %d operations were looked at", looked)
	}
}
