// Package store_test holds mongostore against MongoDB itself: the suite of docstore/conformance, and what that suite
// cannot see from outside.
//
// The tests start MongoDB in a container. With CROSSTEST_MONGO=standin they start the server of
// deploy/proof/standins/documentdb in its place. They never skip.
package store_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/deploy/proof/crosstest/mongodb"
	"insurance.example/exchange/pkg/docstore/mongostore"
)

// running is the deployment once a test has needed it.
var running *mongodb.Deployment

// shared starts the deployment at the first test that needs it.
var shared = sync.OnceValues(func() (mongodb.Deployment, error) {
	d, err := mongodb.Start()
	if err == nil {
		running = &d
	}
	return d, err
})

func TestMain(m *testing.M) {
	status := m.Run()
	if running != nil {
		if err := running.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stop MongoDB:", err)
			status = 1
		}
	}
	os.Exit(status)
}

// unhurried returns a connection string that gives an operation a minute. The default is much less, which a machine
// that does much else may need for an operation on a large document.
func unhurried(t testing.TB, uri string) string {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("timeoutMS", "60000")
	u.RawQuery = query.Encode()
	return u.String()
}

// uri returns the connection string of the deployment, without a database, and with time for each operation.
func uri(t testing.TB) string {
	t.Helper()
	d, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return unhurried(t, d.URI)
}

// open opens a store on a new, empty database, whose name it returns. The caller closes the store.
func open(t testing.TB) (store *mongostore.Store, database string) {
	t.Helper()
	database = "exchange_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	store, err := mongostore.Options{URI: uri(t)}.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	return store, database
}

// client returns a client of the deployment that knows nothing of the store.
func client(t testing.TB) *mongo.Client {
	t.Helper()
	c, err := mongo.Connect(options.Client().ApplyURI(uri(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Disconnect(context.Background()) })
	return c
}
