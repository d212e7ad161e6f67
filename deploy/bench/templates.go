package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/service"
	"insurance.example/exchange/services/coverage"
)

// makeTemplates has the coverage service, in this process and on the store, make a vehicle and a policy of it.
func makeTemplates(ctx context.Context, store docstore.Store) (vehicle, policy *template, err error) {
	seen := &recorder{Store: store, last: map[string]*template{}}
	asked, err := serveCoverage(ctx, seen)
	if err != nil {
		return nil, nil, err
	}
	type created struct {
		ID string `json:"id"`
	}
	create := func(resource string, body []byte) (string, error) {
		made, err := peer.Post[created](ctx, asked, "/"+resource, json.RawMessage(body))
		return made.ID, err
	}
	driverID, err := create("driver", []byte(driverBody))
	if err != nil {
		return nil, nil, err
	}
	vehicleID, err := create("vehicle", newVehicle())
	if err != nil {
		return nil, nil, err
	}
	// The service asks whether the policyholder exists. The stub says so for every id.
	if _, err := create("motorCoverage", newPolicy(vehicleID, vehicleID, driverID)); err != nil {
		return nil, nil, err
	}
	vehicle, policy = seen.last["vehicle"], seen.last["policy"]
	vehicle.kind, policy.kind = "vehicles", "policies"
	return vehicle, policy, nil
}

// serveCoverage returns a client of a coverage service that runs in this process.
func serveCoverage(ctx context.Context, store docstore.Store) (*peer.Client, error) {
	var settings service.Settings
	settings.Register(pflag.NewFlagSet("", pflag.ContinueOnError))
	settings.Secrets = []string{"a-secret-of-the-bench-alone"}
	process := service.NewProcess(settings, slog.New(slog.DiscardHandler))
	credentials, err := process.Credentials()
	if err != nil {
		return nil, err
	}
	everyParty := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(internalapi.Party{Resource: "personal"}) // a buffer in memory takes it
	})
	definition := coverage.Service().Definition()
	definition.Flags(pflag.NewFlagSet("", pflag.ContinueOnError))
	handler, err := process.Start(ctx, definition, service.Links{
		Store: store, Now: time.Now,
		Peer: func(name string) (peer.Config, error) {
			return peer.Config{Address: "http://" + name, Transport: peer.Handler(everyParty)}, nil
		},
	})
	if err != nil {
		return nil, err
	}
	return peer.New(peer.Config{
		Name: definition.Name, Address: "http://" + definition.Name, Transport: peer.Handler(handler), Credentials: credentials,
	})
}

// recorder is a store that remembers the last document inserted into each collection, keys included.
type recorder struct {
	docstore.Store
	mu   sync.Mutex
	last map[string]*template
}

// Collection returns a collection whose inserts are remembered.
func (r *recorder) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	collection, err := r.Store.Collection(ctx, spec)
	return &recorded{collection, spec.Name, r}, err
}

type recorded struct {
	docstore.Collection
	name     string
	recorder *recorder
}

// Insert remembers the document and inserts it.
func (c *recorded) Insert(ctx context.Context, doc docstore.Document) error {
	c.recorder.mu.Lock()
	c.recorder.last[c.name] = &template{collection: c.Collection, document: doc}
	c.recorder.mu.Unlock()
	return c.Collection.Insert(ctx, doc)
}
