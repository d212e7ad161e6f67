package allinone

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/process/stores"
)

// RecordsFile returns the file of a data folder in which all services keep their records, each in tables of its own.
func RecordsFile(data string) string { return filepath.Join(data, "exchange.db") }

// mongoNote returns the file in a data folder that says that the records are in MongoDB. Without it, an exchange that
// is started without its MongoDB would begin with none, and a backup of the folder would have none.
func mongoNote(data string) string { return filepath.Join(data, "records-in-mongodb") }

// InMongo reports whether the exchange of a data folder has its records in MongoDB.
func InMongo(data string) bool {
	_, err := os.Stat(mongoNote(data))
	return err == nil
}

// openStores opens the store of each service that has one: its tables in the file of the data folder, or its database
// in MongoDB, which has the name of the service, as if the service ran in a process of its own.
func (r *runner) openStores(ctx context.Context, p *process.Process) (map[string]docstore.Store, error) {
	inMongo := r.store.URL.InMongo()
	if err := r.keepApart(inMongo); err != nil {
		return nil, err
	}
	open := func(service string) (docstore.Store, error) { return stores.Open(ctx, r.store, service, p.Log) }
	if !inMongo {
		file, err := r.openFile(ctx, p.Log)
		if err != nil {
			return nil, fmt.Errorf("setting data: %w", err)
		}
		// The file stays open as long as the store of a service is.
		defer file.Close()
		open = func(service string) (docstore.Store, error) { return file.Of(service), nil }
	}
	all := map[string]docstore.Store{}
	for _, s := range r.services {
		if s.Storeless {
			continue
		}
		store, err := open(s.Name)
		if err != nil {
			return nil, err
		}
		p.AddStore(s.Name, store)
		all[s.Name] = store
	}
	if !inMongo {
		return all, nil
	}
	note := "The records of this exchange are in MongoDB, which exchange run --store names.\n"
	if err := os.WriteFile(mongoNote(r.data), []byte(note), 0o600); err != nil {
		return nil, fmt.Errorf("setting data: %w", err)
	}
	return all, nil
}

// openFile opens the file of the data folder.
func (r *runner) openFile(ctx context.Context, log *slog.Logger) (*sqlitestore.Store, error) {
	if err := join(ctx, r.data, log); err != nil {
		return nil, err
	}
	return sqlitestore.Open(ctx, RecordsFile(r.data))
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
	old, err := OldFiles(r.data)
	if err != nil {
		return err
	}
	if _, err := os.Stat(RecordsFile(r.data)); len(old) > 0 || !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("setting store: there are records in files of the folder %s, which an exchange on MongoDB "+
			"does not serve; name another folder with --data", r.data)
	}
	return nil
}
