// Package database says where the tests find PostgreSQL with DocumentDB, which stands in for MongoDB, and removes
// what it kept for them.
package database

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"insurance.example/exchange/deploy/proof/standins/documentdb"
	"insurance.example/exchange/pkg/wait"
)

// Folder returns the folder that PostgreSQL is unpacked into: DOCUMENTDB_FOLDER, or one in the user's cache.
func Folder(t *testing.T) string {
	t.Helper()
	if folder := os.Getenv("DOCUMENTDB_FOLDER"); folder != "" {
		return folder
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(cache, "insurance-exchange", "documentdb")
}

// Keep returns how a server is started whose data is kept under a name until the end of the test, and removed then.
// Call it before what the server runs in is made, so that this has ended by then: the removal waits for the end of
// the server.
func Keep(t *testing.T, name string) documentdb.Config {
	t.Helper()
	config := documentdb.Config{Dir: Folder(t), Keep: name}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), wait.Longest)
		defer cancel()
		if err := config.Forget(ctx); err != nil {
			t.Error(err)
		}
	})
	return config
}
