package service

import (
	"context"
	"errors"
	"strings"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/mongostore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
)

// StoreURL is where records are kept: sqlite:FILE (or sqlite:///FILE) or mongodb://HOST.
type StoreURL string

func (s *StoreURL) String() string { return string(*s) }
func (s *StoreURL) Type() string   { return "URL" }

// Set sets the URL. It fails if the scheme is unknown, with an error that does not show the URL: it may hold a password.
func (s *StoreURL) Set(text string) error {
	u := StoreURL(text)
	if _, ok := u.file(); !ok && !u.mongo() {
		return errors.New("give sqlite:FILE or mongodb://HOST")
	}
	*s = u
	return nil
}

func (s StoreURL) mongo() bool {
	return strings.HasPrefix(string(s), "mongodb://") || strings.HasPrefix(string(s), "mongodb+srv://")
}

// file returns the path of an SQLite store.
func (s StoreURL) file() (path string, ok bool) {
	path, ok = strings.CutPrefix(string(s), "sqlite:")
	path = strings.TrimPrefix(path, "//")
	return path, ok && path != ""
}

// OpenStore opens a store. database is the name of the database in MongoDB.
func OpenStore(ctx context.Context, u StoreURL, database string) (docstore.Store, error) {
	if path, ok := u.file(); ok {
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
