package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/wait"
)

// book is an exchange with records in the MongoDB under test.
type book struct {
	*trial.Exchange
	commands *trial.Commands
	exchange string // the command
	store    string // the connection string of the MongoDB
	server   *mongo.Client
}

// newBook starts an exchange of separate processes on the MongoDB under test.
func newBook(t *testing.T) *book {
	t.Helper()
	b := emptyBook(t)
	e, err := b.commands.RunComposed(t.TempDir(), trial.Composition{Store: uri(t)})
	trial.EndWith(t, e, err)
	b.Exchange = e
	return b
}

// emptyBook has the commands, and the databases removed now, because other tests use them too, and at the end of the
// test. Nothing runs yet.
func emptyBook(t *testing.T) *book {
	t.Helper()
	commands, err := trial.Build()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := commands.Remove(); err != nil {
			t.Error(err)
		}
	})
	b := &book{commands: commands, exchange: commands.Plain().Path("exchange"), store: uri(t), server: client(t)}
	empty := func() {
		for _, service := range trial.Processes() {
			if err := b.server.Database(service).Drop(context.Background()); err != nil {
				t.Error(err)
			}
		}
	}
	empty()
	t.Cleanup(empty)
	return b
}

// seed begins to write a book of records, and returns a function that waits for its end.
func (b *book) seed(t *testing.T, number string) (wait func()) {
	t.Helper()
	token, err := b.Signer.Issue(auth.Grant{
		Subject: "tester", Scopes: []string{trial.Admin, trial.Developer}, Issuer: trial.Issuer,
		Audience: []string{trial.Audience}, Lifetime: trial.Patience,
	})
	if err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	command := exec.Command(b.exchange, "seed", "--url", b.Base, "--size", "21", "--seed", number)
	command.Env = append(command.Environ(), "EXCHANGE_TOKEN="+token)
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := command.Wait(); err != nil {
			t.Fatalf("%v\n%s", err, &output)
		}
	}
}

// check runs the command check, with flags, and returns its findings and what it has examined.
func (b *book) check(t *testing.T, flags ...string) (findings []trial.Finding, examined map[string]int) {
	t.Helper()
	var output, notes bytes.Buffer
	command := exec.Command(b.exchange, append([]string{"check", "-o", "json", "--store", b.store}, flags...)...)
	command.Stdout, command.Stderr = &output, &notes
	err := command.Run()
	if refused := (*exec.ExitError)(nil); err != nil && !errors.As(err, &refused) {
		t.Fatal(err)
	}
	findings, examined, unreadable := trial.ReadFindings(strings.Split(strings.TrimSpace(output.String()), "\n"))
	if unreadable != nil {
		t.Fatalf("%v\n%s", unreadable, &notes)
	}
	if status := command.ProcessState.ExitCode(); status != min(1, len(findings)) {
		t.Errorf("the status is %d with %d findings", status, len(findings))
	}
	return findings, examined
}

// settle waits until every receipt is in its row. There must be records of each sort by then, and no fault.
func (b *book) settle(t *testing.T) {
	t.Helper()
	wait.Until(t, func() error {
		findings, examined := b.check(t)
		if len(findings) > 0 {
			t.Fatalf("the book has faults: %v", findings)
		}
		if waiting := examined["records with a mark"]; waiting > 0 {
			return fmt.Errorf("%d receipts await their row", waiting)
		}
		for _, sort := range trial.Examined() {
			if examined[sort] == 0 {
				t.Fatalf("no %s were examined: %v", sort, examined)
			}
		}
		return nil
	})
}

// TestCheckOfMongoDBNamesEveryFault checks a book while it is written, and afterwards, when nothing is wrong, and
// then with one thing after the other changed by hand.
func TestCheckOfMongoDBNamesEveryFault(t *testing.T) {
	b := newBook(t)
	b.seed(t, "1")()
	wait := b.seed(t, "2")
	if findings, _ := b.check(t); len(findings) > 0 {
		t.Errorf("while records are written: %v", findings)
	}
	wait()
	b.settle(t)
	for _, process := range trial.Processes() {
		if err := b.Stop(process); err != nil {
			t.Fatal(err)
		}
	}
	before := b.shape(t)
	if findings, _ := b.check(t); len(findings) > 0 {
		t.Fatalf("without processes: %v", findings)
	}
	if after := b.shape(t); !slices.Equal(before, after) {
		t.Errorf("the collections and indexes were %v, and are %v after a check", before, after)
	}
	for name, breach := range breaches {
		t.Run(name, func(t *testing.T) {
			defer b.keep(t, breach.service, breach.in)()
			breach.change(t, b.server.Database(breach.service).Collection(breach.in))
			findings, _ := b.check(t)
			for _, f := range findings {
				if f.Service == breach.of && f.Collection == breach.collection && f.Invariant == breach.invariant &&
					f.Found != f.Expected {
					return
				}
			}
			t.Errorf("check does not say that %q of %s is broken: %v", breach.invariant, breach.collection, findings)
		})
	}
	if findings, _ := b.check(t); len(findings) > 0 {
		t.Errorf("after all was put back: %v", findings)
	}
}

// shape returns the collections of all services with their indexes.
func (b *book) shape(t *testing.T) (all []string) {
	t.Helper()
	for _, service := range trial.Processes() {
		names, err := b.server.Database(service).ListCollectionNames(t.Context(), bson.D{})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			indexes, err := b.server.Database(service).Collection(name).Indexes().ListSpecifications(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, index := range indexes {
				all = append(all, service+" "+name+" "+index.Name)
			}
		}
	}
	slices.Sort(all)
	return all
}

// keep reads a collection, and returns a function that puts its documents and indexes back.
func (b *book) keep(t *testing.T, service, name string) (putBack func()) {
	t.Helper()
	database := b.server.Database(service)
	in := database.Collection(name)
	kept := all[bson.D](t, in)
	cursor, err := in.Indexes().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var indexes []bson.D
	if err := cursor.All(t.Context(), &indexes); err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := in.DeleteMany(t.Context(), bson.D{}); err != nil {
			t.Error(err)
		}
		if _, err := in.InsertMany(t.Context(), kept); err != nil {
			t.Error(err)
		}
		if err := database.RunCommand(t.Context(),
			bson.D{{Key: "createIndexes", Value: name}, {Key: "indexes", Value: indexes}}).Err(); err != nil {
			t.Error(err)
		}
	}
}
