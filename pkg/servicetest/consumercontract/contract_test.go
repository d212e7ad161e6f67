package consumercontract

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// relied is a response with a member of each kind.
var relied = Response{
	Status: 200, Exactly: []string{"covers"}, Absent: []string{"endedAt"},
	Body: map[string]any{
		"at": "2026-01-01T00:00:00Z", "holder": "01930000-0000-7000-8000-000000000001", "name": "Ada",
		"limit": 9.0, "open": true,
		"covers": []any{"fire"},
	},
}

func TestResponsesThatDiffer(t *testing.T) {
	right := func() map[string]any {
		return map[string]any{
			"at": "2031-12-31T23:59:59.5Z", "holder": "0195a000-0000-7000-8000-00000000000a", "name": "Bea",
			"limit": 0.0, "open": false,
			"covers": []any{"fire"}, "more": "than is relied on",
		}
	}
	if err := relied.match(200, right()); err != nil {
		t.Errorf("another policy of the same kind: %v", err)
	}
	if err := relied.match(404, right()); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("another status: %v", err)
	}
	for name, value := range map[string]any{
		"at": "tomorrow", "holder": "Ada", "name": 7.0, "limit": "9", "open": "yes", "covers": []any{"theft"},
		"endedAt": "2026-01-01T00:00:00Z",
	} {
		body := right()
		body[name] = value
		if err := relied.match(200, body); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is %v: %v", name, value, err)
		}
		delete(body, name)
		if err := relied.match(200, body); (err == nil) != (name == "endedAt") {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestContractsThatAreNone(t *testing.T) {
	const whole = `{"provider":"p","consumer":"c","interactions":[{"given":"a thing",` +
		`"request":{"method":"GET","path":"/thing/{id}","parameters":{"id":"1"},"body":{"of":["{id}"]}},` +
		`"response":{"status":200,"body":{"size":1},"exactly":["size"],"absent":["end"]}}]}`
	read := func(text string) error {
		path := filepath.Join(t.TempDir(), "c.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path)
		return err
	}
	if err := read(whole); err != nil {
		t.Fatal(err)
	}
	for was, is := range map[string]string{
		`"provider":"p"`: `"provider":""`, `"given":"a thing"`: `"given":""`, `"status":200`: `"status":0`,
		`"id":"1"`:           `"number":"1"`,
		`["{id}"]`:           `["{number}"]`,
		`"exactly":["size"]`: `"exactly":["weight"]`, `"absent":["end"]`: `"absent":["size"]`,
		`"consumer"`: `"customer"`,
	} {
		if err := read(strings.Replace(whole, was, is, 1)); err == nil {
			t.Errorf("%s is accepted", is)
		}
	}
}
