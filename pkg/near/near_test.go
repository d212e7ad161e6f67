package near_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/near"
)

func TestNames(t *testing.T) {
	names := []string{
		"motorCoverage", "petCoverage", "pet", "property", "claim", "claimsBordereau", "licence.expiryDate",
	}
	for given, want := range map[string]string{
		"motorcoverage": "motorCoverage", "moterCoverage": "motorCoverage", "pets": "pet",
		"claims":     "claim claimsBordereau",
		"expiryDate": "licence.expiryDate", "zzzzzzzzz": "", "": "",
		strings.Repeat("a", 100_000): "",
	} {
		got := near.Names(given, names)
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("near %.20q are %q, want %q", given, got, want)
		}
	}
	if got := near.Names("/vehicles", []string{"/", "/vehicle"}); !slices.Equal(got, []string{"/vehicle"}) {
		t.Errorf("near /vehicles are %q", got)
	}
	if got := near.Names("aa", []string{"ab", "ac", "ad", "aa", "ae"}); !slices.Equal(got, []string{"aa", "ab", "ac"}) {
		t.Errorf("the most similar are %q", got)
	}
}

func TestValues(t *testing.T) {
	var many []string
	for i := range 300 {
		many = append(many, fmt.Sprintf("value-%03d", i))
	}
	for _, test := range []struct {
		given  string
		values []string
		want   string
	}{
		{"Fire", []string{"fire", "theft"}, "the values are fire, theft"},
		{"valve-007", many, "near it, of 300 values: value-007, value-000, value-001"},
		{"nothing like it", many, "there are 300 values"},
		{"x", []string{strings.Repeat("x", 500)}, "there are 1 values"},
		{"x", nil, "there are 0 values"},
	} {
		if got := near.Values(test.given, test.values); got != test.want {
			t.Errorf("%q: %q, want %q", test.given, got, test.want)
		}
	}
}
