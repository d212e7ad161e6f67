package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"insurance.example/exchange/deploy/exchange/allinone"
	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/deploy/exchange/reach"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/mongostore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/inspect"
)

// database is the database of a service.
type database struct {
	name     string
	declared rest.Service
	service  inspect.Service
	opened
}

// opened is a database that is only read.
type opened struct {
	docstore.Store
	// now is the present instant if the service is running, and zero otherwise.
	now time.Time
}

// source is where the databases of the services are.
type source struct {
	// open opens the database of a service to be examined.
	open func(ctx context.Context, service string) (opened, error)
	// book is the book that is compared with the databases; nil for none.
	book *figures
	// faults returns in words what is wrong with all of it; nil if its own tools say that.
	faults func(context.Context) ([]string, error)
	// close closes what was opened beside the databases; nil for nothing.
	close func() error
}

// openAll opens the databases of the services, those of callers first: then every record that one names is in another.
func openAll(ctx context.Context, from source) ([]database, error) {
	services, err := allinone.CallersFirst()
	if err != nil {
		return nil, err
	}
	var all []database
	for _, s := range services {
		inspected, err := s.Inspected()
		if err != nil {
			return nil, errors.Join(err, from.end(all))
		}
		opened, err := from.open(ctx, s.Name)
		if err != nil {
			return nil, errors.Join(err, from.end(all))
		}
		all = append(all, database{s.Name, s, inspected, opened})
	}
	return all, nil
}

// end closes the databases.
func (s *source) end(databases []database) error {
	var errs []error
	for _, d := range databases {
		errs = append(errs, d.Close())
	}
	if s.close != nil {
		errs = append(errs, s.close())
	}
	if s.book != nil {
		errs = append(errs, s.book.close())
	}
	return errors.Join(errs...)
}

// inFolder returns the databases in the file of a data folder, as they are now.
func inFolder(data string) (source, error) {
	if allinone.InMongo(data) {
		return source{}, client.Misuse(
			fmt.Sprintf("the exchange of the folder %s has its records in MongoDB; name that with --store", data))
	}
	of, err := copyBook(data)
	if err != nil {
		return source{}, fmt.Errorf("the book cannot be read: %w", err)
	}
	from, err := recordsIn(data)
	if from.book = of; err != nil {
		return source{}, errors.Join(err, from.end(nil))
	}
	return from, nil
}

// recordsIn returns the databases in the file of a data folder.
func recordsIn(data string) (source, error) {
	path := allinone.RecordsFile(data)
	snapshot, err := sqlitestore.OpenSnapshot(path)
	if errors.Is(err, fs.ErrNotExist) {
		if old, err := allinone.OldFiles(data); err != nil || len(old) > 0 {
			return source{}, cmp.Or(err, allinone.NotJoined(data))
		}
		err = client.Misuse(fmt.Sprintf("there is no file %s; name the data folder of an exchange with --data "+
			"or EXCHANGE_DATA, or MongoDB with --store", path))
	}
	if err != nil {
		return source{}, err
	}
	var now time.Time
	used, err := sqlitestore.InUse(path)
	if err != nil {
		return source{}, errors.Join(err, snapshot.Close())
	}
	if used {
		now = time.Now()
	}
	return source{
		open: func(_ context.Context, service string) (opened, error) {
			return opened{snapshot.Of(service), now}, nil
		},
		faults: snapshot.Faults, close: snapshot.Close,
	}, nil
}

// inMongo returns the databases of a deployment of MongoDB, each of which has the name of its service. Unless they are
// said to be stopped, an exchange is taken to run on them.
func inMongo(settings process.StoreSettings, stopped bool) source {
	return source{open: func(ctx context.Context, database string) (opened, error) {
		options := mongostore.Options{URI: string(settings.URL), AppName: "check", Settings: settings.Mongo}
		store, err := options.OpenToRead(ctx, database)
		if errors.Is(err, mongostore.ErrRefused) {
			err = client.Misuse(err.Error())
		}
		if err != nil {
			return opened{}, reach.Explain(settings.URL, err)
		}
		is := opened{Store: store}
		if !stopped {
			is.now = time.Now()
		}
		return is, nil
	}}
}
