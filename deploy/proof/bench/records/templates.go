package records

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/pkg/bus/cluster"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/services/coverage"
	"insurance.example/exchange/services/premium"
)

// makeTemplates has the coverage service, in this process and on the store, make a vehicle and a policy of it.
func makeTemplates(ctx context.Context, store docstore.Store) (vehicle, policy *template, err error) {
	seen := &recorder{Store: store, last: map[string]*template{}}
	// The service asks whether the policyholder exists.
	everyParty := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(internalapi.Party{Resource: "personal"}) // a buffer in memory takes it
	})
	asked, err := serve(ctx, coverage.Service().Definition(), seen, everyParty)
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
	driverID, err := create("driver", NewDriver())
	if err != nil {
		return nil, nil, err
	}
	vehicleID, err := create("vehicle", NewVehicle())
	if err != nil {
		return nil, nil, err
	}
	if _, err := create("motorCoverage", NewPolicy(vehicleID, vehicleID, driverID)); err != nil {
		return nil, nil, err
	}
	vehicle, policy = seen.last["vehicle"], seen.last["policy"]
	vehicle.kind, policy.kind, policy.numbered = "vehicles", "policies", true
	return vehicle, policy, nil
}

// makeReceiptTemplate has the premium service, in this process and on the store, make a receipt of a policy.
func makeReceiptTemplate(ctx context.Context, store docstore.Store, policyNumber string) (*template, error) {
	seen := &recorder{Store: store, last: map[string]*template{}}
	policies := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(internalapi.Policy{PolicyNumber: policyNumber}) // a buffer in memory takes it
	})
	asked, err := serve(ctx, premium.Service().Definition(), seen, policies, "--"+settings.BordereauPeriod+"=month")
	if err != nil {
		return nil, err
	}
	if _, err := peer.Post[json.RawMessage](ctx, asked, "/receipt", json.RawMessage(NewReceipt(policyNumber))); err != nil {
		return nil, err
	}
	made := seen.last["receipt"]
	made.kind = "receipts"
	return made, nil
}

// secret is that by which a service that runs in this process knows its callers.
const secret = "a-secret-of-this-process-alone"

// serve returns a client of a service that runs in this process, with flags of its own. All that it asks others has
// one response.
func serve(ctx context.Context, definition process.Definition, store docstore.Store, others http.Handler, flags ...string) (*peer.Client, error) {
	var common process.Settings
	common.Register(pflag.NewFlagSet("", pflag.ContinueOnError))
	common.Secrets = []string{secret}
	running := process.NewProcess(common, slog.New(slog.DiscardHandler))
	credentials, err := running.Credentials()
	if err != nil {
		return nil, err
	}
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	definition.Flags(own)
	if err := own.Parse(flags); err != nil {
		return nil, err
	}
	handler, err := running.Start(ctx, definition, process.Links{
		Store: store, Now: time.Now,
		Kafka: cluster.Settings{Brokers: []string{"127.0.0.1:9"}}, // its loops do not run here
		Peer: func(name string) (peer.Config, error) {
			return peer.Config{Address: "http://" + name, Handler: others}, nil
		},
	})
	if err != nil {
		return nil, err
	}
	return peer.New(peer.Config{
		Name: definition.Name, Address: "http://" + definition.Name, Handler: handler, Credentials: credentials,
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

// Unwrap returns the collection with its capabilities.
func (c *recorded) Unwrap() docstore.Collection { return c.Collection }

// Insert remembers the document and inserts it.
func (c *recorded) Insert(ctx context.Context, doc docstore.Document) error {
	c.recorder.mu.Lock()
	c.recorder.last[c.name] = &template{collection: c.Collection, document: doc}
	c.recorder.mu.Unlock()
	return c.Collection.Insert(ctx, doc)
}
