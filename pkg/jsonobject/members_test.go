package jsonobject

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/jsonobject/jsonmember"
)

// FuzzMembers compares the members of an object with those that the decoder of the library reads. A text that is no
// object must not panic.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{
		`{}`, ` { } `, `{"a":1}`, `{"a":"","b":"\\","c":"\\\"","d":"\\\\\"}"}`,
		"{ \"a\" :\t[1, {\"b\" : \"]\"}] ,\r\n\"c\":{\"d\":[]} }",
		`{"\u0061\"":true,"":null,"é":-1.5e+7}`, `{"a":[[[]],"[",{}],"b":"{"}`, `{"a":1,}`, `{"a":1`, `{"a`, `{,"a":1}`,
		`{"a":,"b":1}`, `[1]`, `"a"`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		got, err := Members(object)
		if !jsontext.Value(object).IsValid() || jsontext.Value(object).Kind() != jsontext.KindBeginObject {
			return
		}
		want := membersByLibrary(t, object)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%q: %d members, error %v, want %d", object, len(got), err, len(want))
		}
		for i, m := range want {
			if got[i].Name != m.Name || !bytes.Equal(got[i].Value, m.Value) {
				t.Errorf("%q: member %q is %q, want %q is %q", object, got[i].Name, got[i].Value, m.Name, m.Value)
			}
			if text, err := jsonmember.Text(object, m.Name); m.Value.Kind() == jsontext.KindString {
				if unquoted, _ := jsontext.AppendUnquote(nil, m.Value); err != nil || text != string(unquoted) {
					t.Errorf("%q: the text of %q is %q, error %v, want %q", object, m.Name, text, err, unquoted)
				}
			}
		}
	})
}

func membersByLibrary(t *testing.T, object []byte) (all []Member) {
	t.Helper()
	dec := jsontext.NewDecoder(bytes.NewReader(object))
	if _, err := dec.ReadToken(); err != nil {
		t.Fatal(err)
	}
	for dec.PeekKind() != jsontext.KindEndObject {
		name, err := dec.ReadToken()
		if err != nil {
			t.Fatal(err)
		}
		text := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Member{text, value.Clone()})
	}
	return all
}
