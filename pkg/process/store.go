package process

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/mongostore/access"
)

// OpenStore opens the store of a service. Package stores has one for SQLite and MongoDB. In MongoDB, the database has
// the name of the service. It logs what it waits for. It is a parameter, so that a program without a store, such as the
// gateway, does not contain either.
type OpenStore func(ctx context.Context, settings StoreSettings, service string,
	log *slog.Logger) (docstore.Store, error)

// StoreSetting is the name of the setting of where records are kept.
const StoreSetting = "store"

// StoreSettings says where records are kept.
type StoreSettings struct {
	URL StoreURL
	// Mongo says how MongoDB is reached, if the records are there.
	Mongo access.Settings
}

// Register declares the settings. url is the default of the URL.
func (s *StoreSettings) Register(flags *pflag.FlagSet, url StoreURL) {
	s.URL = url
	flags.Var(&s.URL, StoreSetting, "where records are kept: sqlite:FILE or mongodb://HOST")
	s.Mongo.Register(flags)
}

// RegisterMongo declares the settings of a program that keeps records in the files of a folder unless the URL names
// MongoDB.
func (s *StoreSettings) RegisterMongo(flags *pflag.FlagSet) {
	flags.Var(mongoURL{&s.URL}, StoreSetting,
		"mongodb://HOST, where records are kept in place of files in the folder of --data")
	s.Mongo.Register(flags)
}

// StoreURL is where records are kept: sqlite:FILE (or sqlite:///FILE) or mongodb://HOST.
type StoreURL string

func (s *StoreURL) String() string { return string(*s) }
func (s *StoreURL) Type() string   { return "URL" }

// Set sets the URL. It fails if the scheme is unknown, with an error that does not show the URL: it may hold a
// password.
func (s *StoreURL) Set(text string) error {
	u := StoreURL(text)
	if _, ok := u.File(); !ok && !u.InMongo() {
		return errors.New("give sqlite:FILE or mongodb://HOST")
	}
	*s = u
	return nil
}

// mongoURL is a StoreURL that is empty or names MongoDB.
type mongoURL struct{ *StoreURL }

// Set sets the URL. Its error does not show the URL, as that of StoreURL does not.
func (m mongoURL) Set(text string) error {
	u := StoreURL(text)
	if u != "" && !u.InMongo() {
		return errors.New("give mongodb://HOST; without it, records are in files in the folder of --data")
	}
	*m.StoreURL = u
	return nil
}

// InMongo reports whether records are in MongoDB.
func (s StoreURL) InMongo() bool {
	return strings.HasPrefix(string(s), "mongodb://") || strings.HasPrefix(string(s), "mongodb+srv://")
}

// Hosts returns the hosts of the URL of a MongoDB as they are written there, without the credentials.
func (s StoreURL) Hosts() string {
	_, rest, _ := strings.Cut(string(s), "://")
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		rest = rest[:end]
	}
	return rest[strings.LastIndexByte(rest, '@')+1:]
}

// File returns the path of an SQLite store.
func (s StoreURL) File() (path string, ok bool) {
	path, ok = strings.CutPrefix(string(s), "sqlite:")
	path = strings.TrimPrefix(path, "//")
	return path, ok && path != ""
}
