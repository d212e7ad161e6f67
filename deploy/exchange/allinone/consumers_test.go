package allinone

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestEveryCallHasAContract compares which services call each other with the contracts of consumers.
func TestEveryCallHasAContract(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "contracts", "consumers")
	var declared []string
	for _, s := range Services() {
		for _, peer := range s.Peers {
			declared = append(declared, filepath.Join(peer, s.Name+".json"))
		}
	}
	written, err := filepath.Glob(filepath.Join(folder, "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range written {
		if written[i], err = filepath.Rel(folder, file); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(declared)
	slices.Sort(written)
	if !slices.Equal(declared, written) {
		t.Errorf("services call %v, and there are contracts %v in %s", declared, written, folder)
	}
	for _, file := range declared {
		provider := filepath.Dir(file)
		if _, err := os.Stat(filepath.Join("..", "..", "..", "services", provider, "consumers_test.go")); err != nil {
			t.Errorf("%s does not replay the contracts of its consumers: %v", provider, err)
		}
	}
}
