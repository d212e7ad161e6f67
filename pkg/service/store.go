package service

import (
	"context"
	"errors"
	"strings"

	"insurance.example/exchange/pkg/docstore"
)

// OpenStore opens a store; package stores has the one that knows SQLite and MongoDB. database is the name of the database in
// MongoDB. It is a parameter, so that a program without a store, such as the gateway, need not contain both.
type OpenStore func(ctx context.Context, u StoreURL, database string) (docstore.Store, error)

// StoreURL is where records are kept: sqlite:FILE (or sqlite:///FILE) or mongodb://HOST.
type StoreURL string

func (s *StoreURL) String() string { return string(*s) }
func (s *StoreURL) Type() string   { return "URL" }

// Set sets the URL. It fails if the scheme is unknown, with an error that does not show the URL: it may hold a password.
func (s *StoreURL) Set(text string) error {
	u := StoreURL(text)
	if _, ok := u.File(); !ok && !u.mongo() {
		return errors.New("give sqlite:FILE or mongodb://HOST")
	}
	*s = u
	return nil
}

func (s StoreURL) mongo() bool {
	return strings.HasPrefix(string(s), "mongodb://") || strings.HasPrefix(string(s), "mongodb+srv://")
}

// File returns the path of an SQLite store.
func (s StoreURL) File() (path string, ok bool) {
	path, ok = strings.CutPrefix(string(s), "sqlite:")
	path = strings.TrimPrefix(path, "//")
	return path, ok && path != ""
}
