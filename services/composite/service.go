package composite

import (
	"net/http"
	"reflect"
	"time"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest"
)

// peers are the services that it calls.
var peers = append(internalapi.Logged(), "feed")

// Service returns the service.
func Service() rest.Service {
	return rest.Service{
		Name: "composite", Summary: "Batches of creations, and policies with what belongs to them",
		Foreign: settings.All(), Storeless: true,
		Peers:   peers,
		Sets:    func(path string) (rest.Sets, error) { return valuesets.Load(path) },
		Declare: declare,
	}
}

// environment is what the operations use: the services that are called, and which of them creates what.
type environment struct {
	peer func(name string) *peer.Client
	// owners maps the resources that can be created to their services.
	owners map[string]string
	now    func() time.Time
	// organisations says that organisations share the exchange.
	organisations bool
}

func declare(s *rest.Server, deps process.Deps) (rest.Parts, error) {
	table, err := routes.Load()
	if err != nil {
		return rest.Parts{}, err
	}
	e := &environment{
		peer: deps.Peer, now: deps.Now, owners: table.Owners(), organisations: deps.Organisations,
	}
	s.Extend(rest.Extension{
		Path: rest.ExtensionPrefix + "/batch", Method: http.MethodPost, Writes: true, ID: "createBatch",
		Summary: "Create up to 50 records that may refer to each other",
		Details: "The Idempotency-Key is required. First all operations are tried: if one would be refused, nothing " +
			"is written (422). Then they run in order, each under the Idempotency-Key with # and its place. " +
			"A batch is not atomic: if an operation fails then, the response has its status, with `completed`, " +
			"`failed` and `notRun`, and the same request with the same key resumes the batch.",
		Body: reflect.TypeFor[beyond.Batch](), Response: reflect.TypeFor[beyond.BatchDone](),
		Parameters: []string{"IdempotencyKey", "Prefer"},
		Refuses:    []problem.Kind{problem.BadHeader, problem.Required, problems.BatchRefused},
		Serve:      e.serveBatch,
	}, rest.Extension{
		Path: rest.ExtensionPrefix + "/policy/{policyNumber}", Method: http.MethodGet, ID: "viewPolicy",
		Summary: "A policy with what belongs to it",
		Details: "Long parts end after 50 records, with a link to the rest. A part whose service does not respond is " +
			"left out and named in `unavailable`; the status is 200 nevertheless. It is 503 where nothing shows " +
			"that there is such a policy.",
		Response: reflect.TypeFor[beyond.PolicyView](),
		Query: []rest.Parameter{
			{Name: "part", Values: parts, Means: "The one part to show; all of them without it"},
			{Name: "skip", Format: "int64", Means: "How many records of the part to leave out, up to 10,000"},
		},
		Parameters: []string{"policyNumber"},
		Refuses:    []problem.Kind{problems.PolicyNotFound},
		Serve:      e.serveView,
	}, rest.Extension{
		Path: rest.ExtensionPrefix + "/about", Method: http.MethodGet, ID: "readAbout",
		Summary: "What runs here: builds, bounds, and the settings in force that a caller can notice",
		Details: "A service that does not respond is left out and named in `unavailable`; the status is 200 " +
			"nevertheless.",
		Response: reflect.TypeFor[beyond.About](), Serve: e.serveAbout,
	})
	s.Extend(e.accessOperations()...)
	s.Extend(e.refusalOperations()...)
	return rest.Parts{}, nil
}
