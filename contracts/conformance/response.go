package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"mime"
	"net/http"
	"reflect"
	"regexp"
	"strings"
)

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// record is a JSON object. The numbers of one that was received are json.Number.
type record map[string]any

// text returns a member as text: a string as it is, a number as it is written. It returns "" if there is no such
// member.
func (r record) text(name string) string {
	if value := r[name]; value != nil {
		return fmt.Sprint(value)
	}
	return ""
}

// list returns a member that is an array, nil if it is none.
func (r record) list(name string) []any {
	values, _ := r[name].([]any)
	return values
}

// with returns a copy with members set: names and values.
func (r record) with(members ...any) record {
	r = maps.Clone(r)
	for i := 0; i < len(members); i += 2 {
		r[members[i].(string)] = members[i+1]
	}
	return r
}

// without returns a copy without members.
func (r record) without(names ...string) record {
	r = maps.Clone(r)
	for _, name := range names {
		delete(r, name)
	}
	return r
}

// same reports whether two JSON values are equal. Numbers are compared by their values, not by their digits.
func same(a, b any) bool {
	return reflect.DeepEqual(plain(a), plain(b))
}

// plain returns a value as decoded JSON in which equal numbers have the same form.
func plain(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var decoded any
	if err := decode(text, &decoded); err != nil {
		return err
	}
	return reduced(decoded)
}

func reduced(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, ok := new(big.Rat).SetString(v.String()); ok {
			return json.Number(n.RatString())
		}
	case []any:
		for i := range v {
			v[i] = reduced(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = reduced(v[name])
		}
	}
	return v
}

// response is the response to a request.
type response struct {
	status  int
	header  http.Header
	body    []byte
	request string
}

func decode(text []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(v); err != nil {
		return fmt.Errorf("the body is no JSON of the expected form: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the body goes on after its JSON value")
	}
	return nil
}

// is checks the status and the media type.
func (a response) is(status int, mediaType string) error {
	if a.status != status {
		return fmt.Errorf("%s returns %d, not %d", a.request, a.status, status)
	}
	if got, _, _ := mime.ParseMediaType(a.header.Get("Content-Type")); got != mediaType {
		return fmt.Errorf("%s returns the Content-Type %q, not %s", a.request, a.header.Get("Content-Type"), mediaType)
	}
	return nil
}

// record returns the one record of a response with the status.
func (a response) record(status int) (record, error) {
	if err := a.is(status, "application/json"); err != nil {
		return nil, err
	}
	var r record
	if err := decode(a.body, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", a.request, err)
	}
	return r, nil
}

// records returns the records of a list.
func (a response) records() ([]record, error) {
	if err := a.is(http.StatusOK, "application/json"); err != nil {
		return nil, err
	}
	var all []record
	if err := decode(a.body, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", a.request, err)
	}
	return all, nil
}

// problem returns the problem document of a response with the status, which must have the members that every problem
// has. words is its title in upper or lower case; "" allows any title.
func (a response) problem(status int, words string) (record, error) {
	if err := a.is(status, "application/problem+json"); err != nil {
		return nil, err
	}
	var r record
	if err := decode(a.body, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", a.request, err)
	}
	var wrong differences
	for _, member := range []string{"type", "title", "detail", "instance"} {
		if text, is := r[member].(string); !is || text == "" {
			wrong.add("the problem has no %s", member)
		}
	}
	if r.text("status") != fmt.Sprint(status) {
		wrong.add("the problem has the status %q", r.text("status"))
	}
	if words != "" && !strings.EqualFold(r.text("title"), words) {
		wrong.add("the title is %q, not %q", r.text("title"), words)
	}
	if status == http.StatusBadRequest {
		wrong = append(wrong, r.violations()...)
	}
	if wrong != nil {
		return nil, fmt.Errorf("%s: %s", a.request, strings.Join(wrong, "; "))
	}
	return r, nil
}

// violations returns what is wrong with the errors that a 400 must list.
func (r record) violations() (wrong differences) {
	if len(r.list("errors")) == 0 {
		wrong.add("the 400 has no errors")
	}
	for i, entry := range r.list("errors") {
		violation, _ := entry.(map[string]any)
		if record(violation).text("reason") == "" {
			wrong.add("errors/%d has no reason", i)
		}
	}
	return wrong
}

// pointers returns the JSON pointers of a problem's errors.
func (r record) pointers() []string {
	var all []string
	for _, entry := range r.list("errors") {
		violation, _ := entry.(map[string]any)
		all = append(all, record(violation).text("pointer"))
	}
	return all
}
