package allinone

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/process/stores"
)

// StoreFile returns the file in which a service keeps its records, in a data folder.
func StoreFile(data, service string) string { return filepath.Join(data, service+".db") }

// Added reports whether a service was added since the last release, so that a data folder or a backup of an exchange of
// that release lacks its database. Without it nothing is lost: it has no records.
func Added(service string) bool { return service == "feed" || service == "desk" }

// mongoNote returns the file in a data folder that says that the records are in MongoDB. Without it, an exchange that
// is started without its MongoDB would begin with none, and a backup of the folder would have none.
func mongoNote(data string) string { return filepath.Join(data, "records-in-mongodb") }

// InMongo reports whether the exchange of a data folder has its records in MongoDB.
func InMongo(data string) bool {
	_, err := os.Stat(mongoNote(data))
	return err == nil
}

// openStores opens the store of each service that has one: its file in the data folder, or its database in MongoDB. The
// database has the name of the service, as if the service ran in a process of its own.
func (r *runner) openStores(ctx context.Context, p *process.Process) (map[string]docstore.Store, error) {
	inMongo := r.store.URL.InMongo()
	if err := r.keepApart(inMongo); err != nil {
		return nil, err
	}
	var known siblings
	if !inMongo {
		var err error
		if known, err = readSiblings(r.data); err != nil {
			return nil, fmt.Errorf("setting data: %w", err)
		}
	}
	all := map[string]docstore.Store{}
	for _, s := range r.services {
		if s.Storeless {
			continue
		}
		settings := r.store
		if !inMongo {
			settings.URL = process.StoreURL("sqlite:" + StoreFile(r.data, s.Name))
		}
		store, err := stores.Open(ctx, settings, s.Name, p.Log)
		switch {
		case err != nil && inMongo:
			return nil, err
		case err != nil:
			return nil, fmt.Errorf("setting data: %w", err)
		}
		p.AddStore(s.Name, store)
		all[s.Name] = store
	}
	if !inMongo {
		if err := known.adopt(ctx, r.data, all); err != nil {
			return nil, fmt.Errorf("setting data: %w", err)
		}
		return all, nil
	}
	note := "The records of this exchange are in MongoDB, which exchange run --store names.\n"
	if err := os.WriteFile(mongoNote(r.data), []byte(note), 0o600); err != nil {
		return nil, fmt.Errorf("setting data: %w", err)
	}
	return all, nil
}

// keepApart refuses a data folder whose records are not where this exchange is to find them: it would begin without
// any.
func (r *runner) keepApart(inMongo bool) error {
	if !inMongo {
		if InMongo(r.data) {
			return fmt.Errorf("setting store: the exchange of the folder %s has its records in MongoDB; give its "+
				"URL, or name another folder with --data", r.data)
		}
		return nil
	}
	for _, s := range r.services {
		file := StoreFile(r.data, s.Name)
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("setting store: there are records in the file %s, which an exchange on MongoDB does "+
				"not serve; name another folder with --data", file)
		}
	}
	return nil
}
