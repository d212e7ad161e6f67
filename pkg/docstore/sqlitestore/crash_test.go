package sqlitestore

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/chance"
	"insurance.example/exchange/pkg/docstore"
)

// crashDatabase is the environment variable that names the database to the process that is to be killed.
const crashDatabase = "SQLITESTORE_CRASH_DATABASE"

// ledger is the collection that is written to when the process dies. Every version has different keys, which its body
// repeats.
var ledger = docstore.Spec{Name: "ledger", Indexes: []docstore.Index{
	{Name: "number", Unique: true}, {Name: "version"},
}}

// entry is a version of a document of the ledger. Its size follows from its id.
func entry(id uuid.UUID, version int64) docstore.Document {
	number := fmt.Sprintf("%s/%d", id, version)
	size := (int(binary.BigEndian.Uint32(id[12:])) + 997*int(version)) % 3000
	return docstore.Document{
		ID: id, Version: version,
		Body:  fmt.Appendf(nil, `{"number":%q,"filler":%q}`, number, strings.Repeat("x", size)),
		State: []byte(number),
		Keys:  docstore.Keys{"number": number, "version": fmt.Sprint(version)},
	}
}

// TestKilledWhileWriting kills a process that writes as fast as it can. No write that the store had acknowledged is
// lost, and none is half done.
func TestKilledWhileWriting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	acknowledged := map[uuid.UUID]int64{}
	random := rand.New(rand.NewPCG(chance.Seed(t), 0))
	for round := range 8 {
		killWhileWriting(t, path, 200+random.IntN(400), acknowledged)
		verifyLedger(t, path, acknowledged)
		t.Logf("killed %d times: %d documents hold", round+1, len(acknowledged))
	}
}

// killWhileWriting starts the writing process, kills it after a number of acknowledgements, and records them.
func killWhileWriting(t *testing.T, path string, after int, acknowledged map[uuid.UUID]int64) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWriteUntilKilled$")
	child.Env = append(os.Environ(), crashDatabase+"="+path)
	child.Stderr = os.Stderr
	// The child ends when its standard input ends, so that it does not outlive this process.
	input, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	noted := 0
	lines := bufio.NewReader(output)
	for {
		// A last line that was cut short does not count.
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		var id string
		var version int64
		if _, err := fmt.Sscanf(line, "stored %s %d\n", &id, &version); err != nil {
			continue
		}
		key := uuid.MustParse(id)
		acknowledged[key] = max(acknowledged[key], version)
		if noted++; noted == after {
			if store, err := Open(t.Context(), path); !errors.Is(err, ErrInUse) {
				t.Errorf("a second process opened the file: %v, error %v", store, err)
			}
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := child.Wait(); noted < after {
		t.Fatalf("the writing process ended by itself after %d writes: %v", noted, err)
	}
}

// verifyLedger opens the database again and compares everything in it with what was acknowledged.
func verifyLedger(t *testing.T, path string, acknowledged map[uuid.UUID]int64) {
	t.Helper()
	store, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	if report := texts(t, store.writer.conn, "PRAGMA integrity_check", 0); len(report) != 1 || report[0] != "ok" {
		t.Errorf("integrity check: %q", report)
	}
	entries, err := store.Collection(t.Context(), ledger)
	if err != nil {
		t.Fatal(err)
	}
	found := map[uuid.UUID]int64{}
	for after := (uuid.UUID{}); ; {
		docs, err := entries.Find(t.Context(), us, docstore.Query{After: after, Limit: 500, WithState: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(docs) == 0 {
			break
		}
		for _, doc := range docs {
			found[doc.ID], after = doc.Version, doc.ID
			verifyEntry(t, entries, doc)
		}
	}
	verifyLog(t, entries, found)
	for id, version := range acknowledged {
		if found[id] < version {
			t.Errorf("%v was stored as version %d, and is there as %d", id, version, found[id])
		}
	}
}

// verifyLog compares the log of changes with the versions that were found: it has each version of each document once,
// in order.
func verifyLog(t *testing.T, entries docstore.Collection, found map[uuid.UUID]int64) {
	t.Helper()
	logged := map[uuid.UUID]int64{}
	for after := docstore.Position(""); ; {
		page, err := entries.Changes(t.Context(), us, after, 500)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range page.Changes {
			if logged[change.ID]++; logged[change.ID] != change.Version {
				t.Errorf("the log has version %d of %v in place %d", change.Version, change.ID, logged[change.ID])
			}
		}
		if after = page.Next; len(page.Changes) == 0 {
			break
		}
	}
	if !maps.Equal(logged, found) {
		t.Errorf("the log has the last versions %v, and there are %v", logged, found)
	}
}

// verifyEntry compares the body, the state and the keys of a document with those of its version.
func verifyEntry(t *testing.T, entries docstore.Collection, doc docstore.Document) {
	t.Helper()
	want := entry(doc.ID, doc.Version)
	if string(doc.Body) != string(want.Body) || string(doc.State) != string(want.State) {
		t.Errorf("%v at version %d has body %.80s and state %s", doc.ID, doc.Version, doc.Body, doc.State)
	}
	docs, err := entries.Find(t.Context(), us, docstore.Query{Equal: want.Keys, Limit: 2})
	if err != nil || len(docs) != 1 || docs[0].ID != doc.ID {
		t.Errorf("%v finds %d documents, error %v", want.Keys, len(docs), err)
	}
	before := docstore.Keys{"number": entry(doc.ID, doc.Version-1).Keys["number"]}
	old, err := entries.Find(t.Context(), us, docstore.Query{Equal: before, Limit: 1})
	if err != nil || len(old) != 0 {
		t.Errorf("the version before %v is still found: %d documents, error %v", want.Keys, len(docs), err)
	}
}

// TestWriteUntilKilled is the process that TestKilledWhileWriting kills. On its own it tests nothing.
func TestWriteUntilKilled(t *testing.T) {
	path := os.Getenv(crashDatabase)
	if path == "" {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	store, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := store.Collection(t.Context(), ledger)
	if err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for t.Context().Err() == nil {
				doc := entry(uuid.Must(uuid.NewV7()), 1)
				err := entries.Insert(t.Context(), us, doc)
				for ; err == nil && doc.Version < 4; doc = entry(doc.ID, doc.Version+1) {
					// One write call a line, so that lines of several goroutines do not mix.
					fmt.Fprintf(os.Stdout, "stored %s %d\n", doc.ID, doc.Version)
					next := entry(doc.ID, doc.Version+1)
					next.Version = doc.Version
					err = entries.Replace(t.Context(), us, next, nil)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
}
