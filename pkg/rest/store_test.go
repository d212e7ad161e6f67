package rest

import (
	"errors"
	"testing"

	"insurance.example/exchange/pkg/problem"
)

// narrow is a type that does not write all of its values.
type narrow int

func (n narrow) MarshalJSON() ([]byte, error) {
	if n > 9 {
		return nil, errors.New("must be below 10")
	}
	return []byte{'0' + byte(n)}, nil
}

// TestWhatCannotBeReadBackIsRefused checks that a value which its type cannot write is a problem of the request, with
// its pointer, and not an internal error.
func TestWhatCannotBeReadBackIsRefused(t *testing.T) {
	type record struct {
		Inner struct {
			Values []narrow `json:"values"`
		} `json:"inner"`
	}
	var v record
	v.Inner.Values = []narrow{1, 2}
	if body, err := writable(&v); err != nil || string(body) != `{"inner":{"values":[1,2]}}` {
		t.Fatal(string(body), err)
	}
	v.Inner.Values[1] = 10
	_, err := writable(&v)
	var p *problem.Error
	if !errors.As(err, &p) || p.Kind != problem.Invalid || len(p.Violations) != 1 ||
		p.Violations[0] != (problem.Violation{Pointer: "/inner/values/1", Reason: "must be below 10"}) {
		t.Errorf("%v", err)
	}
}
