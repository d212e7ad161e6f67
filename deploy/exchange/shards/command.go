// Package shards holds the command that divides the collections of an exchange among the shards of a MongoDB cluster.
// What it divides, and by what, follows from the declarations of the services.
package shards

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"insurance.example/exchange/deploy/exchange/allinone"
	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/deploy/exchange/reach"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/mongostore"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/setting"
)

// Command returns the command shards. Its settings come from environ, where its flags do not give them. It says on
// notes which variables it ignores.
func Command(environ []string, out, notes io.Writer) *cobra.Command {
	command := &cobra.Command{
		Use:   "shards (--plan | --apply) [SERVICE...]",
		Short: "Divide the collections among the shards of a MongoDB cluster",
		Long: `Divide the collections of an exchange among the shards of a MongoDB cluster: of all services, or of those named.

--plan prints the commands for mongosh, with the reason for each key, and asks no server. --apply runs them at a router
(mongos). What is divided already stays as it is, so that it can be run again. It fails if a collection is divided in
another way. Divide before the first start if you can: the collections are empty then, and the chunks are on all
shards at once. A collection with documents gets its index first, which may take long; its documents move later.

The user needs the roles clusterManager, and dbAdmin on the databases of the services.

The exit status is 0 if the collections are divided, 1 if not, 2 if the server is no router, and 3 if it does not
respond.`,
		Example: `  exchange shards --plan
  exchange shards --apply --store mongodb://router-0,router-1/ --mongo-user operator --mongo-password-file password
  exchange shards --apply --store mongodb://router-0,router-1/ coverage claims`,
	}
	var plan, apply bool
	var store process.StoreSettings
	flags := command.Flags()
	own := pflag.NewFlagSet(command.Name(), pflag.ContinueOnError)
	store.Register(own, "")
	own.Lookup(process.StoreSetting).Usage = "mongodb://HOST of the routers (mongos)"
	own.String(setting.ConfigFlag, "", "YAML file with settings; its keys are the names of the flags")
	flags.AddFlagSet(own)
	flags.BoolVar(&plan, "plan", false, "print the commands for mongosh")
	flags.BoolVar(&apply, "apply", false, "run them")
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return client.Misuse(setting.CommandLine(flags, err).Error())
	})
	command.RunE = func(command *cobra.Command, services []string) error {
		if plan == apply {
			return client.Misuse("give --plan, which prints what would be done, or --apply, which does it")
		}
		databases, err := declared(services)
		if err != nil {
			return err
		}
		if plan {
			return printPlan(out, databases)
		}
		if err := client.Resolve(own, environ, notes); err != nil {
			return err
		}
		if _, file := store.URL.File(); file || store.URL == "" {
			return client.Misuse("setting store: name a router (mongos) of the cluster, as in " +
				"--store mongodb://router-0,router-1/")
		}
		return divide(command.Context(), out, store, databases)
	}
	return command
}

// database is a database of the exchange, and how it is divided.
type database struct {
	name string
	keys []mongostore.ShardKey
}

// declared returns the databases of the services of these names, of all services if there are no names.
func declared(names []string) ([]database, error) {
	var known []string
	for _, s := range allinone.Services() {
		known = append(known, s.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, client.Misuse(fmt.Sprintf("there is no service %q; the services are %s", name,
				strings.Join(known, ", ")))
		}
	}
	var databases []database
	for _, s := range allinone.Services() {
		if len(names) > 0 && !slices.Contains(names, s.Name) {
			continue
		}
		inspected, err := s.Inspected()
		if err != nil {
			return nil, err
		}
		var specs []docstore.Spec
		for _, c := range inspected.Collections {
			specs = append(specs, c.Spec)
		}
		databases = append(databases, database{s.Name, mongostore.ShardKeys(specs)})
	}
	return databases, nil
}

// printPlan prints the commands for mongosh.
func printPlan(out io.Writer, databases []database) error {
	var text strings.Builder
	for i, d := range databases {
		if i > 0 {
			fmt.Fprintln(&text)
		}
		fmt.Fprintf(&text, "sh.enableSharding(%q)\n", d.name)
		for _, key := range d.keys {
			fmt.Fprintf(&text, "// %s\n%s\n", key.Why, strings.Join(key.Commands(d.name), "\n"))
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// divide divides the collections and prints what became of each.
func divide(ctx context.Context, out io.Writer, store process.StoreSettings, databases []database) (err error) {
	refused := func(err error) error {
		if errors.Is(err, mongostore.ErrRefused) {
			return client.Misuse(err.Error())
		}
		return reach.Explain(store.URL, err)
	}
	options := mongostore.Options{URI: string(store.URL), AppName: "shards", Settings: store.Mongo}
	router, err := options.Router(ctx)
	if err != nil {
		return refused(err)
	}
	defer func() { err = errors.Join(err, router.Close()) }()
	for _, d := range databases {
		for _, key := range d.keys {
			divided, err := router.Divide(ctx, d.name, key)
			if errors.Is(err, mongostore.ErrRefused) {
				return err
			}
			if err != nil {
				return refused(err)
			}
			became := "is divided already"
			if divided {
				became = "is divided now"
			}
			if _, err := fmt.Fprintf(out, "%s.%s %s, by the hash of %s\n", d.name, key.Collection, became,
				key.Field); err != nil {
				return err
			}
		}
	}
	return nil
}
