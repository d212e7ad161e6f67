package main

import (
	_ "embed"
	"fmt"
	"os"
	"strings"

	"insurance.example/exchange/deploy/exchange/allinone"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/mongostore"
)

// shardsScript is the script for mongosh, in which the keys take the place of a comment.
//
//go:embed shards.js
var shardsScript string

// writeShards writes the script that divides the collections of the exchange among the shards of a MongoDB cluster.
func writeShards(path string) error {
	var keys strings.Builder
	for _, s := range allinone.Services() {
		inspected, err := s.Inspected()
		if err != nil {
			return err
		}
		var specs []docstore.Spec
		for _, c := range inspected.Collections {
			specs = append(specs, c.Spec)
		}
		for _, key := range mongostore.ShardKeys(specs) {
			fmt.Fprintf(&keys, "  [%q, %q, %q], // %s\n", s.Name, key.Collection, key.Field, key.Why)
		}
	}
	return os.WriteFile(path, []byte(strings.Replace(shardsScript, "  // KEYS\n", keys.String(), 1)), 0o644)
}
