package service

import (
	"context"
	"fmt"
	"strings"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/mongostore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
)

// StoreURL says where records are kept: sqlite:FILE (or sqlite:///FILE) or mongodb://HOST.
type StoreURL string

func (s *StoreURL) String() string { return string(*s) }
func (s *StoreURL) Type() string   { return "URL" }

// Set takes a URL of a known scheme. Its errors do not show the URL, which may hold a password.
func (s *StoreURL) Set(text string) error {
	u := StoreURL(text)
	if _, ok := u.file(); !ok && !u.mongo() {
		return fmt.Errorf("a store is sqlite:FILE or mongodb://HOST")
	}
	*s = u
	return nil
}

func (s StoreURL) mongo() bool {
	return strings.HasPrefix(string(s), "mongodb://") || strings.HasPrefix(string(s), "mongodb+srv://")
}

// file answers the path of an SQLite store.
func (s StoreURL) file() (path string, ok bool) {
	path, ok = strings.CutPrefix(string(s), "sqlite:")
	path = strings.TrimPrefix(path, "//")
	return path, ok && path != ""
}

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
