package resource_test

import (
	"slices"
	"testing"

	"insurance.example/exchange/pkg/resource"
)

// unknown is a document with a resource that the published document does not have. Its schemas have all forms that
// OpenAPI allows.
const unknown = `{
 "paths": {
  "/boat": {
   "get": {
    "parameters": [{"$ref": "#/components/parameters/limit"},
      {"in": "query", "name": "kind", "schema": {"type": "string"}}],
    "responses": {"200": {"content": {"application/json": {"schema":
      {"type": "array", "items": {"$ref": "#/components/schemas/boat"}}}}}}
   },
   "post": {"requestBody": {"content": {"application/json": {
    "example": {"kind": "sail"},
    "schema": {"allOf": [{"$ref": "#/components/schemas/boat"},
      {"properties": {"sort": {"type": "string", "description": "Another name of ` + "`kind`" + `, as returned."},
       "owner": {"type": "string", "description": "Who has it.", "examples": ["1", "ref:O-1"]},
       "crew": {"anyOf": [{"type": "array", "items": {"type": "string", "examples": ["ref:C-1"]}}, {"type": "null"}]},
       "berth": {"type": "object", "properties": {"no": {"description": "Another name of ` + "`number`" + `."}}}
      }, "required": ["kind"]}]}
   }}}}
  },
  "/boat/{id}": {"get": {}},
  "/boat/{id}:sink": {"post": {"requestBody": {"content": {"application/json":
    {"schema": {"properties": {"depth": {"type": "integer"}}}}}}}},
  "/boat/{id}/photos": {"post": {}},
  "/x/boat/trial": {"post": {}}
 },
 "components": {
  "parameters": {"limit": {"in": "query", "name": "limit"}},
  "schemas": {
   "Kind": {"type": "string", "enum": ["sail", "steam"], "description": "What drives it."},
   "Port": {"type": "object", "x-property-order": ["name", "country"],
     "properties": {"country": {"type": "string"}, "name": {"type": "string"}}},
   "boat": {
    "type": "object", "x-property-order": ["id", "kind", "port", "built", "flags", "weight", "sold", "extra"],
    "properties": {
     "extra": {}, "sold": {"type": ["string", "null"], "format": "date-time"},
      "built": {"type": "string", "format": "date"},
     "kind": {"anyOf": [{"type": "null"}, {"$ref": "#/components/schemas/Kind"}]},
      "weight": {"type": "number"}, "id": {"type": "string"},
     "flags": {"type": "array", "items": {"$ref": "#/components/schemas/Kind"}},
      "port": {"$ref": "#/components/schemas/Port"},
     "afloat": {"type": "boolean", "description": "Whether it swims."}
    }
   }
  }
 }
}`

// TestNewResource reads a resource and its members from a document alone.
func TestNewResource(t *testing.T) {
	catalog, err := resource.Read([]byte(unknown))
	if err != nil {
		t.Fatal(err)
	}
	boat, known := catalog.Find("boat")
	if !known || !boat.Readable || !boat.Creatable || boat.Replaceable || boat.Trial != "/x/boat/trial" ||
		string(boat.Example) != `{"kind": "sail"}` {
		t.Fatalf("boat: %v %+v", known, boat)
	}
	want := []resource.Member{
		{Path: "id", Kind: resource.Text}, {Path: "kind", Kind: resource.Text, Values: []string{"sail", "steam"}},
		{Path: "port.name", Kind: resource.Text}, {Path: "port.country", Kind: resource.Text},
		{Path: "built", Kind: resource.Date},
		{Path: "flags", Kind: resource.List, Values: []string{"sail", "steam"}},
		{Path: "weight", Kind: resource.Number},
		{Path: "sold", Kind: resource.DateTime}, {Path: "extra", Kind: resource.Free},
		{Path: "afloat", Kind: resource.Flag},
	}
	same := func(a, b resource.Member) bool {
		return a.Path == b.Path && a.Kind == b.Kind && slices.Equal(a.Values, b.Values)
	}
	if !slices.EqualFunc(boat.Members, want, same) {
		t.Errorf("members\n%v, want\n%v", boat.Members, want)
	}
	if _, is := boat.Member("sort"); !is {
		t.Error("a name that may only be sent is not known")
	}
	for path, want := range map[string]resource.Member{
		"kind": {Description: "What drives it."}, "sort": {Returned: "kind"}, "berth.no": {Returned: "berth.number"},
		"owner": {Refers: true, Description: "Who has it."}, "crew": {Refers: true},
	} {
		if m, _ := boat.Member(path); m.Returned != want.Returned || m.Refers != want.Refers ||
			m.Returned == "" && m.Description != want.Description {
			t.Errorf("%s is %+v", path, m)
		}
	}
	if !slices.Equal(boat.Required, []string{"kind"}) {
		t.Errorf("required: %v", boat.Required)
	}
	if len(boat.Filters) != 1 || boat.Filters[0].Name != "kind" ||
		!slices.Equal(boat.Filters[0].Values, []string{"sail", "steam"}) {
		t.Errorf("filters: %v", boat.Filters)
	}
	if names := boat.ActionNames(); !slices.Equal(names, []string{"photos", "sink"}) || !boat.Actions[0].Nested ||
		boat.Actions[1].Nested {
		t.Errorf("actions: %+v", boat.Actions)
	}
	for path, names := range map[string]bool{"port": true, "port.city": false, "extra.deep.er": true, "colour": false,
		"flags": true, "sort": true} {
		if boat.Names(path) != names {
			t.Errorf("%s is named: %v, want %v", path, !names, names)
		}
	}
}
