package pathtable

import (
	"fmt"
	"strings"
	"testing"
)

// TestPaths looks up paths among templates that share segments.
func TestPaths(t *testing.T) {
	var table Table[string]
	for _, template := range []string{
		"/x/clock", "/x/clock:advance", "/x/history/vehicle/{id}", "/x/webhook/{name}", "/x/webhook/{name}:pause",
		"/x/webhook/{name}/deliveries", "/x/webhook/all",
	} {
		value, err := table.At(template)
		if err != nil {
			t.Fatal(err)
		}
		*value = "value of " + template
	}
	for path, want := range map[string]string{
		"/x/clock":                       "/x/clock []",
		"/x/clock:advance":               "/x/clock:advance []",
		"/x/clock:back":                  "",
		"/x/clock/":                      "",
		"/x":                             "",
		"":                               "",
		"x/clock":                        "",
		"/x/history/vehicle/7":           "/x/history/vehicle/{id} [{id 7}]",
		"/x/history/vehicle/":            "",
		"/x/history/claim/7":             "",
		"/x/webhook/all":                 "/x/webhook/all []",
		"/x/webhook/a":                   "/x/webhook/{name} [{name a}]",
		"/x/webhook/a:b":                 "/x/webhook/{name} [{name a:b}]",
		"/x/webhook/a:pause":             "/x/webhook/{name}:pause [{name a}]",
		"/x/webhook/a:b:pause":           "/x/webhook/{name}:pause [{name a:b}]",
		"/x/webhook/:pause":              "/x/webhook/{name} [{name :pause}]",
		"/x/webhook/a:":                  "/x/webhook/{name} [{name a:}]",
		"/x/webhook/a:pause/deliveries":  "/x/webhook/{name}/deliveries [{name a:pause}]",
		"/x/webhook/all/deliveries":      "/x/webhook/{name}/deliveries [{name all}]",
		"/x/webhook/a/deliveries/deeper": "",
	} {
		found, ok := table.Find(path)
		got := ""
		if ok {
			got = fmt.Sprint(found.Template, " ", found.Parameters)
			if found.Value != "value of "+found.Template {
				t.Errorf("%s has the value %q", path, found.Value)
			}
		}
		if got != want {
			t.Errorf("%q: %q, not %q", path, got, want)
		}
	}
}

// TestTemplatesThatContradict adds templates that cannot be told apart or are malformed.
func TestTemplatesThatContradict(t *testing.T) {
	var table Table[int]
	if _, err := table.At("/x/{id}"); err != nil {
		t.Fatal(err)
	}
	for template, words := range map[string]string{"/x/{name}": "called id", "x": "slash", "/x//y": "empty"} {
		if _, err := table.At(template); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", template, err)
		}
	}
}
