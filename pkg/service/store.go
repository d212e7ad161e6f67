package service

import (
	"context"
	"fmt"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/mongostore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
)

// OpenStore opens a store; in MongoDB, the database of that name.
func OpenStore(ctx context.Context, u StoreURL, database string) (docstore.Store, error) {
	if path, ok := u.file(); ok {
		store, err := sqlitestore.Open(ctx, path)
		if err != nil {
			return nil, fmt.Errorf("setting store: %w", err)
		}
		return store, nil
	}
	store, err := mongostore.Open(ctx, string(u), database)
	if err != nil {
		return nil, fmt.Errorf("setting store: %w", err)
	}
	return store, nil
}
