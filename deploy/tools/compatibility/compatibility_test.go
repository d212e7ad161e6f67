package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// contracts is the folder of the contracts of the exchange.
var contracts = filepath.Join("..", "..", "..", "contracts")

// at returns the object at a path of members in a document. It ends the test if there is none.
func at(t *testing.T, document object, path ...string) object {
	t.Helper()
	for i, name := range path {
		next, is := document[name].(object)
		if !is {
			t.Fatalf("the contract has no %s", strings.Join(path[:i+1], " "))
		}
		document = next
	}
	return document
}

// properties returns the members of a schema of a document, and schema the schema itself.
func properties(t *testing.T, document object, name string) object {
	return at(t, schema(t, document, name), "properties")
}

func schema(t *testing.T, document object, name string) object {
	return at(t, document, "components", "schemas", name)
}

// rename gives a member of an object another name.
func rename(of object, from, to string) {
	of[to] = of[from]
	delete(of, from)
}

// without returns a list without a text.
func without(list any, text string) []any {
	var kept []any
	for _, element := range list.([]any) {
		if element != text {
			kept = append(kept, element)
		}
	}
	return kept
}

const (
	callers = "openapi/openapi.json"
	policy  = "internalapi/coverage.json"
	kafka   = "events/premium.json"
)

// changes are changes of contracts, with the rule that each breaks; none for those that may be made at any time.
var changes = []struct {
	name, file, breaks string
	change             func(t *testing.T, document object)
}{
	{"nothing", callers, "", func(*testing.T, object) {}},
	{"a member of a response is removed", callers, "response-optional-property-removed", func(t *testing.T, d object) {
		delete(properties(t, d, "claim"), "excessAmount")
	}},
	{"a member of a request is removed", callers, "request-property-removed", func(t *testing.T, d object) {
		delete(properties(t, d, "claimInput"), "reserve")
	}},
	{"a required member is added to a request", callers, "new-required-request-property", func(t *testing.T, d object) {
		properties(t, d, "claimInput")["broker"] = object{"type": "string"}
		s := schema(t, d, "claimInput")
		required, _ := s["required"].([]any)
		s["required"] = append(required, "broker")
	}},
	{"a value is removed from a value set", callers, "request-property-enum-value-removed",
		func(t *testing.T, d object) {
			s := schema(t, d, "PaymentMethod")
			s["enum"] = without(s["enum"], "cash")
		}},
	{"the type of a member changes", callers, "response-property-type-changed", func(t *testing.T, d object) {
		properties(t, d, "claim")["reserve"] = object{"type": "string"}
	}},
	{"an operation is removed", callers, "api-removed-without-deprecation", func(t *testing.T, d object) {
		delete(at(t, d, "paths", "/claim/{id}"), "put")
	}},
	{"an action is renamed", callers, "api-path-removed-without-deprecation", func(t *testing.T, d object) {
		rename(at(t, d, "paths"), "/claim/{id}:settle", "/claim/{id}:pay")
	}},
	{"a filter is removed", callers, "request-parameter-removed", func(t *testing.T, d object) {
		get := at(t, d, "paths", "/claim", "get")
		var kept []any
		for _, p := range get["parameters"].([]any) {
			if p.(object)["name"] != "policyNumber" {
				kept = append(kept, p)
			}
		}
		get["parameters"] = kept
	}},
	{"a member is added to records", callers, "", func(t *testing.T, d object) {
		properties(t, d, "claim")["broker"] = object{"type": "string"}
		properties(t, d, "claimInput")["broker"] = object{"type": []any{"string", "null"}}
	}},
	{"a value is added to a value set", callers, "", func(t *testing.T, d object) {
		s := schema(t, d, "PaymentMethod")
		s["enum"] = append(s["enum"].([]any), "shells")
	}},
	{"an operation and a filter are added", callers, "", func(t *testing.T, d object) {
		paths := at(t, d, "paths")
		paths["/claim/{id}:pay"] = json.RawMessage(strings.ReplaceAll(text(t, paths["/claim/{id}:settle"]),
			"settleClaim", "payClaim"))
		get := at(t, d, "paths", "/claim", "get")
		get["parameters"] = append(get["parameters"].([]any),
			object{"name": "broker", "in": "query", "schema": object{"type": "string"}})
	}},

	{"a member of a lookup is renamed", policy, "response-optional-property-removed", func(t *testing.T, d object) {
		rename(properties(t, d, "Policy"), "endedAt", "endDate")
	}},
	{"a member of a lookup may be absent", policy, "response-property-became-optional", func(t *testing.T, d object) {
		s := schema(t, d, "Policy")
		s["required"] = without(s["required"], "policyNumber")
	}},
	{"a value more than callers know", policy, "response-property-enum-value-added", func(t *testing.T, d object) {
		waits := at(t, properties(t, d, "Policy"), "waits")
		waits["enum"] = append(waits["enum"].([]any), "fnol to settlement")
	}},
	{"a lookup moves", policy, "api-path-removed-without-deprecation", func(t *testing.T, d object) {
		rename(at(t, d, "paths"), "/internal/policy/{policyNumber}", "/internal/policies/{policyNumber}")
	}},
	{"a lookup needs a parameter more", policy, "new-required-request-parameter", func(t *testing.T, d object) {
		get := at(t, d, "paths", "/internal/policy/{policyNumber}", "get")
		get["parameters"] = append(get["parameters"].([]any),
			object{"name": "currency", "in": "query", "required": true, "schema": object{"type": "string"}})
	}},
	{"a lookup has a member more", policy, "", func(t *testing.T, d object) {
		properties(t, d, "Policy")["currency"] = object{"type": "string"}
	}},

	{"a member of a message is removed", kafka, "response-required-property-removed", func(t *testing.T, d object) {
		delete(properties(t, d, "BordereauDirty"), "period")
		s := schema(t, d, "BordereauDirty")
		s["required"] = without(s["required"], "period")
	}},
	{"the type of a member of a message changes", kafka, "property-type-changed", func(t *testing.T, d object) {
		properties(t, d, "BordereauDirty")["period"] = object{"type": "integer"}
	}},
	{"messages of the last release lack a member", kafka, "new-required-request-property",
		func(t *testing.T, d object) {
			properties(t, d, "BordereauDirty")["treaty"] = object{"type": "string"}
			s := schema(t, d, "BordereauDirty")
			s["required"] = append(s["required"].([]any), "treaty")
		}},
	{"the topic changes", kafka, "api-path-removed-without-deprecation", func(t *testing.T, d object) {
		at(t, d, "channels", "bordereauDirty")["address"] = "exchange.bordereau"
	}},
	{"the key of the messages changes", kafka, "api-path-removed-without-deprecation", func(t *testing.T, d object) {
		at(t, d, "channels", "bordereauDirty", "messages", "BordereauDirty", "bindings", "kafka",
			"key")["x-member"] = "period"
	}},
	{"messages have a member more, if they have it", kafka, "", func(t *testing.T, d object) {
		properties(t, d, "BordereauDirty")["treaty"] = object{"type": "string"}
	}},
}

// TestABreakIsSeen changes the contracts of the exchange one at a time. A change that breaks is reported with its
// rule, and is not reported if the contract has the next major version.
func TestABreakIsSeen(t *testing.T) {
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			released, today := copied(t, c.file), copied(t, c.file)
			edit(t, filepath.Join(today, c.file), func(d object) { c.change(t, d) })
			said, err := compared(released, today)
			switch {
			case c.breaks == "" && err != nil:
				t.Errorf("%v\n%s", err, said)
			case c.breaks != "" && err == nil:
				t.Error("nothing is reported")
			case c.breaks != "" && (!strings.Contains(said, c.breaks) || !strings.Contains(said, c.file+": ")):
				t.Errorf("%s is not among what is reported:\n%s", c.breaks, said)
			}

			edit(t, filepath.Join(today, c.file), func(d object) { at(t, d, "info")["version"] = "2.0.0" })
			if said, err := compared(released, today); err != nil {
				t.Errorf("the contract has a new major version: %v\n%s", err, said)
			}
		})
	}
}

func TestVersions(t *testing.T) {
	for version, passes := range map[string]bool{"1.0.0": true, "1.7.2": true, "2.0.0": true, "0.9.0": false,
		"two": false, "1": false} {
		released, today := copied(t, policy), copied(t, policy)
		edit(t, filepath.Join(today, policy), func(d object) { at(t, d, "info")["version"] = version })
		if said, err := compared(released, today); (err == nil) != passes {
			t.Errorf("version %s: %v\n%s", version, err, said)
		}
	}
}

func TestAContractThatIsNotOfferedAnyMore(t *testing.T) {
	released, today := copied(t, policy, kafka), copied(t, policy, kafka)
	if err := os.Remove(filepath.Join(today, policy)); err != nil {
		t.Fatal(err)
	}
	if _, err := compared(released, today); err == nil || !strings.Contains(err.Error(), policy) {
		t.Errorf("the contract is gone: %v", err)
	}
	if said, err := compared(today, released); err != nil {
		t.Errorf("a contract that was not released yet: %v\n%s", err, said)
	}
	if _, err := compared(t.TempDir(), released); err == nil {
		t.Error("nothing is compared, and that is no error")
	}
}

// compared runs the comparison and returns what it writes.
func compared(released, today string) (string, error) {
	var said strings.Builder
	err := run(released, today, &said)
	return said.String(), err
}

// copied returns a folder with copies of contracts of the exchange, with the version 1.0.0. Of what callers see it
// has the operations on claims, because to compare all takes seconds.
func copied(t *testing.T, files ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(contracts, file))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		edit(t, path, func(d object) {
			at(t, d, "info")["version"] = "1.0.0"
			if file != callers {
				return
			}
			for path := range at(t, d, "paths") {
				if path != "/claim" && !strings.HasPrefix(path, "/claim/") {
					delete(at(t, d, "paths"), path)
				}
			}
		})
	}
	return folder
}

// edit changes a JSON file.
func edit(t *testing.T, path string, change func(object)) {
	t.Helper()
	read, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var document object
	if err := json.Unmarshal(read, &document); err != nil {
		t.Fatal(err)
	}
	change(document)
	if err := os.WriteFile(path, []byte(text(t, document)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// text returns a value as JSON.
func text(t *testing.T, value any) string {
	t.Helper()
	written, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(written)
}
