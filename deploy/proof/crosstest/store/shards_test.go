package store_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"insurance.example/exchange/deploy/exchange/allinone"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/conformance"
	"insurance.example/exchange/pkg/docstore/mongostore"
	"insurance.example/exchange/pkg/rest"
)

// untargeted are the operations that cannot name a shard, by their words in the README of mongostore, which says what
// each costs.
var untargeted = map[string]func(wireCommand) bool{
	"list by a plain index": func(c wireCommand) bool { return strings.HasPrefix(hint(c), "by_") },
	"list of everything": func(c wireCommand) bool {
		return c.Name == "find" && hint(c) == "" && c.Body.Lookup("sort").Value != nil
	},
	// Along "owned" for an organisation with a name, as a list of everything.
	"page of a long range": func(c wireCommand) bool { return hint(c) == "_id_" || hint(c) == "owned" },
	"list of the outbox":   func(c wireCommand) bool { return hint(c) == "unsent" },
	"search for documents without the keys of new indexes": func(c wireCommand) bool { return hint(c) == "stamp" },
	"search for what the log of changes lacks":             func(c wireCommand) bool { return hint(c) == "marked" },
	"check of the form":   func(c wireCommand) bool { return c.Name == "find" && len(asked(c)) == 0 },
	"creation of indexes": func(c wireCommand) bool { return c.Name == "createIndexes" || c.Name == "listIndexes" },
}

// TestEveryCommandNamesItsShard runs the suite of docstore and looks at every command: it names the shard key of its
// collection, or is one of those that cannot.
func TestEveryCommandNamesItsShard(t *testing.T) {
	var mu sync.Mutex
	targeted, seen := map[string]int{}, map[string]int{}
	foreign := map[string]bool{}
	look := func(c wireCommand) wireAction {
		mu.Lock()
		defer mu.Unlock()
		if namesShard(c) {
			_, kind, _ := strings.Cut(c.Collection, ".")
			targeted[c.Name+" "+kind]++
			return wireAction{}
		}
		for name, is := range untargeted {
			if is(c) {
				seen[name]++
				return wireAction{}
			}
		}
		foreign[c.Body.String()] = true
		return wireAction{}
	}
	watched := func(t *testing.T) func(t *testing.T) docstore.Store {
		d := newDatabase(t)
		return func(t *testing.T) docstore.Store {
			at := mongostore.Options{URI: unhurried(t, startWire(t, address(t), look).URI())}
			store, err := at.Open(t.Context(), d.name)
			if err != nil {
				t.Fatal(err)
			}
			return store
		}
	}
	conformance.Run(t, conformance.Small, func(t *testing.T) docstore.Store { return watched(t)(t) })
	conformance.Ranges(t, func(t *testing.T) docstore.Store { return watched(t)(t) })
	conformance.Migrations(t, watched)
	for command := range foreign {
		t.Errorf("a command names no shard and is not in the list: %s", command)
	}
	for _, command := range []string{
		"insert ", "find ", "update ", "insert claims", "find claims", "update claims", "delete claims",
		"insert history", "find history",
	} {
		if targeted[command] == 0 {
			t.Errorf("no command %q was seen", command)
		}
	}
	readme, err := os.ReadFile("../../../../pkg/docstore/mongostore/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range untargeted {
		if seen[name] == 0 || !strings.Contains(string(readme), name) {
			t.Errorf("%q was seen %d times, and must be in the README of mongostore", name, seen[name])
		}
	}
	t.Logf("with a shard: %v; without: %v", targeted, seen)
}

// namesShard reports whether every part of a command names a value of the shard key that the plan has for its
// collection. What the plan leaves out is on one shard, and found by its _id.
func namesShard(c wireCommand) bool {
	key := "_id"
	name, _, _ := strings.Cut(c.Collection, ".")
	for _, planned := range mongostore.ShardKeys([]docstore.Spec{{Name: name}}) {
		if planned.Collection == c.Collection {
			key = planned.Field
		}
	}
	parts := c.Asked()
	for _, part := range parts {
		value, err := part.LookupErr(key)
		if err != nil {
			return false
		}
		if condition, is := value.DocumentOK(); is {
			if in, err := condition.LookupErr("$in"); err != nil || in.Type != bson.TypeArray {
				return false
			}
		}
	}
	return len(parts) > 0
}

func hint(c wireCommand) string {
	name, _ := c.Body.Lookup("hint").StringValueOK()
	return name
}

// asked returns the fields of a find's condition.
func asked(c wireCommand) []bson.RawElement {
	fields, err := c.Body.Lookup("filter").Document().Elements()
	if err != nil {
		return nil
	}
	return fields
}

// storing returns the services that keep something.
func storing() []rest.Service {
	return slices.DeleteFunc(allinone.Services(), func(s rest.Service) bool { return s.Storeless })
}

// TestTheScriptNamesEveryCollectionThatGrows starts all services and looks at the collections that they have made: the
// script for mongosh has each, but those of a few documents: what the feed keeps is its key, and up to 32 webhooks.
// What the desk keeps is not divided yet.
func TestTheScriptNamesEveryCollectionThatGrows(t *testing.T) {
	b := newBook(t)
	b.seed(t, "3")()
	script, err := os.ReadFile("../../../mongodb/shards.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range storing() {
		names, err := b.server.Database(s.Name).ListCollectionNames(t.Context(), bson.D{})
		if err != nil || len(names) == 0 {
			t.Fatalf("collections of %s: %v, %v", s.Name, names, err)
		}
		for _, name := range names {
			few := name == "log.head" || strings.HasSuffix(name, ".stamps") ||
				(s.Name == "feed" || s.Name == "desk") && name != "log.segments"
			planned := strings.Contains(string(script), fmt.Sprintf("[%q, %q,", s.Name, name))
			if planned == few {
				t.Errorf("%s.%s: in the script %v, a few documents %v", s.Name, name, planned, few)
			}
		}
	}
}
