package store_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/deploy/proof/crosstest/mongodb"
	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// drilled returns a folder of programs with what the restore drill needs: MongoDB's tools, which are built from their
// module, and the command exchange.
func (b *book) drilled(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	module := t.TempDir()
	for _, part := range []string{"mod", "sum"} {
		text, err := os.ReadFile(filepath.Join("testdata", "databasetools", part))
		if err == nil {
			err = os.WriteFile(filepath.Join(module, "go."+part), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tool := range []string{"mongodump", "mongorestore"} {
		build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false",
			"-o", filepath.Join(folder, tool), "github.com/mongodb/mongo-tools/"+tool+"/main")
		build.Dir = module
		build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		if output, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, output)
		}
	}
	if err := os.Symlink(b.exchange, filepath.Join(folder, "exchange")); err != nil {
		t.Fatal(err)
	}
	return folder
}

// drill runs the script from the MongoDB of the book to another one, with the oplog of the first or without ("yes" or
// "no"), and returns what it said.
func (b *book) drill(t *testing.T, programs, target, oplog string) (said string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, "../../../tools/restore-drill", b.store, target)
	command.Env = append(os.Environ(), "PATH="+programs+":"+os.Getenv("PATH"), "DRILL_OPLOG="+oplog)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	err = command.Run()
	return output.String(), err
}

// TestRestoreDrill dumps the records of an exchange by MongoDB's own tools, restores them into an empty deployment, and
// runs an exchange on that. A receipt was not in its row yet when the exchange was killed. Where there is an oplog, the
// exchange runs and writes meanwhile.
func TestRestoreDrill(t *testing.T) {
	b := emptyBook(t)
	programs := b.drilled(t)
	b.Exchange = b.runInOne(t, t.TempDir(), b.store)
	b.seed(t, "1")()
	b.settle(t)
	written := pages(t, b.Exchange)
	if err := b.Kill("exchange"); err != nil {
		t.Fatal(err)
	}
	markNewest(t, b.server.Database("premium").Collection("receipt"))
	target, err := mongodb.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := target.Stop(); err != nil {
			t.Error(err)
		}
	})
	restored := *b
	restored.store = unhurried(t, target.URI)
	wait, oplog := func() {}, "no"
	if target.Oplog { // as the other one
		oplog = "yes"
		if err := b.Restart("exchange"); err != nil {
			t.Fatal(err)
		}
		wait = b.seed(t, "2")
	}
	said, err := b.drill(t, programs, restored.store, oplog)
	wait()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	t.Log(said)
	for _, figure := range []string{"dump ended ", "restored ", "checked ", "the whole ", "Faults: 0."} {
		if !strings.Contains(said, figure) {
			t.Errorf("the drill does not say %q: %s", figure, said)
		}
	}
	if said, err := b.drill(t, programs, restored.store, oplog); err == nil ||
		!strings.Contains(said, "the target has records of an exchange") {
		t.Errorf("a second drill to the same target: %v: %s", err, said)
	}
	restored.serve(t, written)
}

// markNewest puts the mark of a message that was not acted on yet on the newest receipt.
func markNewest(t *testing.T, receipts *mongo.Collection) {
	t.Helper()
	newest := options.FindOneAndUpdate().SetSort(bson.D{{Key: "_id", Value: -1}})
	change := bson.D{{Key: "$set", Value: bson.D{{Key: "unsent", Value: true}}}}
	if err := receipts.FindOneAndUpdate(t.Context(), inRow, change, newest).Err(); err != nil {
		t.Fatal(err)
	}
}

// serve starts an exchange on restored databases: it has what was written, settles what waits, and takes more.
func (b *book) serve(t *testing.T, written map[string]string) {
	t.Helper()
	began := time.Now()
	b.Exchange = b.runInOne(t, t.TempDir(), b.store)
	c := caller(t, b.Exchange)
	policy := c.Get(t, "/motorCoverage?limit=1").Want(t, http.StatusOK).Records(t)[0].Text("policyNumber")
	c.Post(t, "/receipt", trial.Record{
		"policyNumber": policy, "receiptType": "other", "paymentAmount": 3, "premiumPaymentMethod": "cash",
	}).Want(t, http.StatusCreated)
	t.Logf("the first 201 came after %v", time.Since(began).Round(time.Millisecond))
	b.settle(t)
	for path, page := range pages(t, b.Exchange) {
		// What was written since comes after it, and rows have grown.
		if path != "/premiumBordereau" && !strings.HasPrefix(page, strings.TrimRight(written[path], "]\n")) {
			t.Errorf("%s is\n%s\nof\n%s", path, page, written[path])
		}
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// TestCheckOfStoppedDatabases checks a receipt that was made long ago and is in no row yet. Where an exchange runs, it
// has waited for too long; on databases that are stopped, there is none after it.
func TestCheckOfStoppedDatabases(t *testing.T) {
	b := newBook(t)
	for _, process := range trial.Processes() {
		if err := b.Stop(process); err != nil {
			t.Fatal(err)
		}
	}
	const long = "a message about a record is acted on"
	receipt := bson.D{
		{Key: "_id", Value: another}, {Key: "v", Value: int64(1)}, {Key: "w", Value: bson.NewObjectID()},
		{Key: "body", Value: bson.D{}}, {Key: "unsent", Value: true},
		{Key: "state", Value: bson.D{{Key: "resource", Value: "receipt"}}}, {Key: "s", Value: "~000000"},
	}
	if _, err := b.server.Database("premium").Collection("receipt").InsertOne(t.Context(), receipt); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]bool{"--stopped=false": true, "--stopped": false} {
		findings, _ := b.check(t, flag)
		got := slices.ContainsFunc(findings, func(f trial.Finding) bool { return f.Invariant == long })
		if got != want {
			t.Errorf("with %s it says %q is %t, want %t: %v", flag, long, got, want, findings)
		}
	}
}
