// Package stores opens the stores that a service can have, SQLite and MongoDB.
package stores

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/mongostore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/process"
)

// Open opens the store of a service. An error about another setting than the URL begins with its name.
//
// It waits for a MongoDB that is not there yet, until ctx ends, and says so in the log: a process that ends is
// started again later and later, and the wait of one that is started before its database shows in its readiness. The
// collections of the store wait in the same way.
// Settings that cannot work however long it waits are an error at once.
func Open(ctx context.Context, settings process.StoreSettings, name string, log *slog.Logger) (docstore.Store, error) {
	if path, ok := settings.URL.File(); ok {
		store, err := sqlitestore.Open(ctx, path)
		if err != nil {
			return nil, err // not the typed nil
		}
		return store, nil
	}
	options := mongostore.Options{
		URI: string(settings.URL), AppName: appName(name), Settings: settings.Mongo,
	}
	store, err := await(ctx, log, func() (*mongostore.Store, error) { return options.Open(ctx, name) })
	if err != nil {
		return nil, err
	}
	return patient{store, log}, nil
}

const (
	// pause is the time from one attempt to reach MongoDB to the next.
	pause = time.Second
	// sayAgain is the time from one line of the log about the wait to the next.
	sayAgain = time.Minute
)

// await repeats an attempt until MongoDB lets it succeed, and says so in the log. It returns what is of no use to try
// again.
func await[T any](ctx context.Context, log *slog.Logger, attempt func() (T, error)) (T, error) {
	var began, said time.Time
	for {
		result, err := attempt()
		switch {
		case err == nil:
			if !began.IsZero() {
				log.Info("MongoDB is reached", "waited", time.Since(began).Round(time.Millisecond).String())
			}
			return result, nil
		case errors.Is(err, mongostore.ErrRefused) || ctx.Err() != nil:
			return result, err
		}
		if began.IsZero() {
			began = time.Now()
		}
		if time.Since(said) >= sayAgain {
			said = time.Now()
			log.Warn("waiting for MongoDB", "cause", err)
		}
		select {
		case <-ctx.Done():
			return result, err
		case <-time.After(pause):
		}
	}
}

// patient is a database of MongoDB that waits with each collection until it can be opened: a database that has just
// been reached may be too slow to make its indexes in time.
type patient struct {
	*mongostore.Store
	log *slog.Logger
}

func (p patient) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	return await(ctx, p.log, func() (docstore.Collection, error) { return p.Store.Collection(ctx, spec) })
}

// appName returns the name of a process in the log of MongoDB, which bounds it.
func appName(name string) string {
	const longest = 128
	name += "/" + process.CurrentBuild().Version
	return name[:min(len(name), longest)]
}
