package store_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"insurance.example/exchange/deploy/exchange/allinone"
	exchangeclient "insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/deploy/exchange/shards"
	"insurance.example/exchange/deploy/proof/crosstest/store/wire"
	"insurance.example/exchange/pkg/rest"
)

// cluster is what a router shows of a sharded cluster that has no documents.
type cluster struct {
	mu sync.Mutex
	// keys are the shard keys of the collections that are divided, by namespace.
	keys map[string]bson.Raw
	// commands are those that changed something, as the plan writes them.
	commands []string
	// refuses is a command that is refused, and the code of that.
	refuses string
	code    int
}

// router is the greeting of a router.
var router = bson.D{{Key: "msg", Value: "isdbgrid"}}

// handle does a command.
func (c *cluster) handle(command wire.Command) bson.D {
	c.mu.Lock()
	defer c.mu.Unlock()
	ok := bson.D{{Key: "ok", Value: 1}}
	if command.Name == c.refuses {
		return bson.D{{Key: "ok", Value: 0}, {Key: "code", Value: c.code}, {Key: "errmsg", Value: "not today"}}
	}
	database, _ := command.Body.Lookup("$db").StringValueOK()
	switch command.Name {
	case "find":
		batch := bson.A{}
		name, _ := command.Body.Lookup("filter", "_id").StringValueOK()
		if key, divided := c.keys[name]; divided {
			batch = append(batch, bson.D{{Key: "_id", Value: name}, {Key: "key", Value: key}})
		}
		return append(ok, bson.E{Key: "cursor", Value: bson.D{{Key: "id", Value: int64(0)},
			{Key: "ns", Value: "config.collections"}, {Key: "firstBatch", Value: batch}}})
	case "enableSharding":
		c.commands = append(c.commands, fmt.Sprintf("sh.enableSharding(%q)", command.Collection))
	case "createIndexes":
		c.commands = append(c.commands, fmt.Sprintf("db.getSiblingDB(%q).getCollection(%q).createIndex(%s)", database,
			command.Collection, command.Body.Lookup("indexes", "0", "key").Document()))
	case "shardCollection":
		key := command.Body.Lookup("key").Document()
		c.keys[command.Collection] = key
		c.commands = append(c.commands, fmt.Sprintf("sh.shardCollection(%q, %s)", command.Collection, key))
	default:
		return bson.D{{Key: "ok", Value: 0}, {Key: "code", Value: 59}, {Key: "errmsg", Value: "unknown"}}
	}
	return ok
}

// runShards runs the command shards, and returns its exit status and what it said.
func runShards(t *testing.T, args ...string) (status int, said string) {
	t.Helper()
	var out bytes.Buffer
	command := shards.Command(nil, &out, io.Discard)
	command.SilenceErrors, command.SilenceUsage = true, true
	command.SetArgs(args)
	return exchangeclient.Report(&out, command.ExecuteContext(t.Context())), out.String()
}

// TestShardsApplyDoesWhatThePlanSays runs the plan at a router: the commands that come over the wire are those that the
// plan prints. Run again, it changes nothing.
func TestShardsApplyDoesWhatThePlanSays(t *testing.T) {
	status, plan := runShards(t, "--plan")
	if status != 0 {
		t.Fatalf("status %d: %s", status, plan)
	}
	var planned []string
	for line := range strings.Lines(plan) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			planned = append(planned, line)
		}
	}
	c := &cluster{keys: map[string]bson.Raw{}}
	at := wire.Serve(t, router, c.handle)
	if status, said := runShards(t, "--apply", "--store", at); status != 0 ||
		strings.Count(said, "is divided now") != len(c.keys) {
		t.Errorf("status %d: %s", status, said)
	}
	// A database is allowed to have shards before each of its collections is divided; the plan says it once.
	done := map[string]bool{}
	ran := slices.DeleteFunc(c.commands, func(command string) bool {
		again := done[command]
		done[command] = true
		return again
	})
	if !slices.Equal(ran, planned) {
		t.Errorf("the router was sent\n%s\nand the plan says\n%s", strings.Join(ran, "\n"), strings.Join(planned, "\n"))
	}
	c.commands = nil
	if status, said := runShards(t, "--apply", "--store", at); status != 0 || len(c.commands) != 0 ||
		strings.Count(said, "is divided already") != len(c.keys) {
		t.Errorf("status %d, and the router was sent %q: %s", status, c.commands, said)
	}
}

// TestShardsApplyRefuses runs the plan where it cannot be done.
func TestShardsApplyRefuses(t *testing.T) {
	for name, one := range map[string]struct {
		hello  bson.D
		refuse string
		code   int
		has    map[string]bson.Raw
		status int
		want   string
	}{
		"a member of a replica set": {
			hello:  bson.D{{Key: "setName", Value: "rs0"}},
			status: 2, want: "a member of the replica set rs0, and no router",
		},
		"a server alone": {status: 2, want: "the server is no router of a sharded cluster"},
		"another key": {
			hello: router, has: map[string]bson.Raw{"parties.personal": raw(t, bson.D{{Key: "_id", Value: 1}})},
			status: 1, want: "parties.personal is divided by",
		},
		"a user without the role": {
			hello: router, refuse: "shardCollection", code: 13, status: 1, want: "it needs the roles clusterManager",
		},
		"another refusal": {hello: router, refuse: "enableSharding", code: 20, status: 1, want: "not today"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &cluster{keys: one.has, refuses: one.refuse, code: one.code}
			if c.keys == nil {
				c.keys = map[string]bson.Raw{}
			}
			at := wire.Serve(t, one.hello, c.handle)
			if _, set := lookup(one.hello, "setName"); set {
				at += "?directConnection=true"
			}
			status, said := runShards(t, "--apply", "--store", at)
			if status != one.status || !strings.Contains(said, one.want) {
				t.Errorf("status %d, want %d and %q: %s", status, one.status, one.want, said)
			}
		})
	}
}

// storing returns the services that keep something.
func storing() []rest.Service {
	return slices.DeleteFunc(allinone.Services(), func(s rest.Service) bool { return s.Storeless })
}

// TestThePlanNamesEveryCollectionThatGrows starts all services and looks at the collections that they have made: the
// plan has each, but those of a few documents: what the feed keeps is its key, and up to 32 webhooks. What the desk
// keeps is not divided yet.
func TestThePlanNamesEveryCollectionThatGrows(t *testing.T) {
	b := newBook(t)
	b.seed(t, "3")()
	_, plan := runShards(t, "--plan")
	for _, s := range storing() {
		names, err := b.server.Database(s.Name).ListCollectionNames(t.Context(), bson.D{})
		if err != nil || len(names) == 0 {
			t.Fatalf("collections of %s: %v, %v", s.Name, names, err)
		}
		for _, name := range names {
			few := name == "ids.floor" || name == "log.head" || strings.HasSuffix(name, ".stamps") ||
				(s.Name == "feed" || s.Name == "desk") && name != "log.segments"
			planned := strings.Contains(plan, fmt.Sprintf("sh.shardCollection(%q,", s.Name+"."+name))
			if planned == few {
				t.Errorf("%s.%s: in the plan %v, a few documents %v", s.Name, name, planned, few)
			}
		}
	}
}

func raw(t *testing.T, document bson.D) bson.Raw {
	t.Helper()
	encoded, err := bson.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

func lookup(document bson.D, key string) (any, bool) {
	for _, element := range document {
		if element.Key == key {
			return element.Value, true
		}
	}
	return nil, false
}
