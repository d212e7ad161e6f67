package check

import (
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
	// faults returns in words what is wrong with the database as a whole; nil if its own tools say that.
	faults func(context.Context) ([]string, error)
	// now is the present instant if the service is running, and zero otherwise.
	now time.Time
}

// openDatabase opens the database of a service to be examined.
type openDatabase func(ctx context.Context, service string) (opened, error)

// openAll opens the databases of the services, those of callers first: then every record that one names is in another.
func openAll(ctx context.Context, open openDatabase) ([]database, error) {
	services, err := allinone.CallersFirst()
	if err != nil {
		return nil, err
	}
	var all []database
	for _, s := range services {
		inspected, err := s.Inspected()
		if err != nil {
			return nil, errors.Join(err, closeAll(all))
		}
		opened, err := open(ctx, s.Name)
		if errors.Is(err, errAdded) {
			continue
		}
		if err != nil {
			return nil, errors.Join(err, closeAll(all))
		}
		all = append(all, database{s.Name, s, inspected, opened})
	}
	return all, nil
}

// errAdded is the error of a database that an exchange of the last release does not have.
var errAdded = errors.New("the exchange does not have this service yet")

// inFolder opens the databases in a data folder.
func inFolder(data string) openDatabase {
	return func(_ context.Context, service string) (opened, error) {
		if allinone.InMongo(data) {
			return opened{}, client.Misuse(
				fmt.Sprintf("the exchange of the folder %s has its records in MongoDB; name that with --store", data))
		}
		path := allinone.StoreFile(data, service)
		snapshot, err := sqlitestore.OpenSnapshot(path)
		if errors.Is(err, fs.ErrNotExist) && allinone.Added(service) {
			return opened{}, errAdded
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = client.Misuse(fmt.Sprintf("there is no file %s; name the data folder of an exchange with --data "+
				"or EXCHANGE_DATA, or MongoDB with --store", path))
		}
		if err != nil {
			return opened{}, err
		}
		used, err := sqlitestore.InUse(path)
		if err != nil {
			return opened{}, errors.Join(err, snapshot.Close())
		}
		is := opened{Store: snapshot, faults: snapshot.Faults}
		if used {
			is.now = time.Now()
		}
		return is, nil
	}
}

// inMongo opens the databases of a deployment of MongoDB, each of which has the name of its service. Unless they are
// said to be stopped, an exchange is taken to run on them.
func inMongo(settings process.StoreSettings, stopped bool) openDatabase {
	return func(ctx context.Context, database string) (opened, error) {
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
	}
}

func closeAll(databases []database) error {
	var errs []error
	for _, d := range databases {
		errs = append(errs, d.Close())
	}
	return errors.Join(errs...)
}
