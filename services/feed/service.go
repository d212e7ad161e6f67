// Package feed lists what has happened to the records of the exchange, as events: it reads the logs of changes
// of the other services as one.
package feed

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/pkg/setting"
	"insurance.example/exchange/services/feed/merged"
	"insurance.example/exchange/services/feed/webhook"
)

// name is the name of the service.
const name = "feed"

// usualRetention is how long a cursor works unless the setting says otherwise.
const usualRetention = 30 * 24 * time.Hour

// Service returns the service.
func Service() rest.Service { return serviceOver(nil) }

// serviceOver returns the service. dial makes the connections to receivers of events; nil for those of the system.
func serviceOver(dial webhook.Dial) rest.Service {
	var retention time.Duration
	var private bool
	return rest.Service{
		Name: name, Summary: "The feed of the Insurance Exchange Service: what happened to its records",
		Told:    []string{settings.EventsRetention, settings.WebhookPrivate},
		Foreign: settings.All(), Peers: internalapi.Logged(),
		Sets: func(path string) (rest.Sets, error) { return valuesets.Load(path) },
		Flags: func(flags *pflag.FlagSet) {
			setting.DurationVar(flags, &retention, settings.EventsRetention, usualRetention, time.Second,
				"how long a cursor of the feed works after it was given")
			flags.BoolVar(&private, settings.WebhookPrivate, false,
				"whether webhooks may have http, and addresses of private networks")
		},
		Declare: func(s *rest.Server, deps process.Deps) (rest.Parts, error) {
			return declare(s, deps, retention, private, dial)
		},
	}
}

// feed is the running service.
type feed struct {
	reader    *merged.Reader
	seal      query.Seal
	now       func() time.Time
	stopping  <-chan struct{}
	waiting   *places
	retention time.Duration
	// resources are those that events name: the ones that have records, and those of the desk.
	resources []string
	hooks     *webhook.Hooks
}

func declare(
	s *rest.Server, deps process.Deps, retention time.Duration, private bool, dial webhook.Dial,
) (rest.Parts, error) {
	table, err := routes.Load()
	if err != nil {
		return rest.Parts{}, err
	}
	f := &feed{
		reader: merged.NewReader(internalapi.Logged(), deps.Peer, deps.Metrics), now: deps.Now,
		stopping: deps.Stopping, waiting: newPlaces(mostWaiting), retention: retention,
	}
	for _, r := range table.Resources {
		if slices.Contains(r.Collection, http.MethodPost) {
			f.resources = append(f.resources, r.Resource)
		}
	}
	f.resources = append(f.resources, beyond.EventsOfTheDesk()...)
	f.hooks = webhook.New(webhook.Config{
		Reader: f.reader, Resources: f.resources, Private: private, Now: deps.Now, Wall: deps.Wall, Log: deps.Log,
		Metrics: deps.Metrics, Dial: dial,
	})
	s.Extend(f.events())
	s.Extend(f.webhooks(s)...)
	return rest.Parts{
		Open: func(ctx context.Context) (err error) {
			if f.seal, err = query.SealOf(ctx, deps.Store); err != nil {
				return err
			}
			return f.hooks.Open(ctx, deps.Store)
		},
		Background: func() (map[string]func(context.Context) error, error) {
			return map[string]func(context.Context) error{"watermarks": f.watch, "webhooks": f.hooks.Run}, nil
		},
	}, nil
}

// watchEvery is how often the watermarks of the services are read for the metrics.
const watchEvery = 5 * time.Second

// watch keeps the metrics about the logs, also while nobody reads.
func (f *feed) watch(ctx context.Context) error {
	look := time.NewTicker(watchEvery)
	defer look.Stop()
	for {
		f.reader.Watch(ctx)
		select {
		case <-look.C:
		case <-ctx.Done():
			return nil
		}
	}
}
