// Package stores opens the stores that a service can have, SQLite and MongoDB.
package stores

import (
	"context"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/mongostore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/service"
)

// Open opens the store at a URL. database is the name of the database in MongoDB.
func Open(ctx context.Context, u service.StoreURL, database string) (docstore.Store, error) {
	if path, ok := u.File(); ok {
		store, err := sqlitestore.Open(ctx, path)
		if err != nil {
			return nil, err // not the typed nil
		}
		return store, nil
	}
	store, err := mongostore.Open(ctx, string(u), database)
	if err != nil {
		return nil, err
	}
	return store, nil
}
