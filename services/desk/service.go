package desk

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/openapi"
	shown "insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/resource"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/changes"
	"insurance.example/exchange/pkg/rest/inspect"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/services/desk/bordereau"
	"insurance.example/exchange/services/desk/contract"
	"insurance.example/exchange/services/desk/export"
	"insurance.example/exchange/services/desk/folder"
	"insurance.example/exchange/services/desk/intake"
	"insurance.example/exchange/services/desk/reconciliation"
	"insurance.example/exchange/services/desk/source"
	"insurance.example/exchange/services/desk/underway"
)

// name is the name of the service.
const name = "desk"

// Service returns the service.
func Service() rest.Service { return serviceOf(export.Newest) }

// serviceOf returns the service with a layout of exports.
func serviceOf(layout int) rest.Service {
	return rest.Service{
		Name:    name,
		Summary: "The desk of the Insurance Exchange Service: contracts, and the bordereaux that are reported for them",
		Foreign: settings.All(), Peers: peers(),
		Sets:    func(path string) (rest.Sets, error) { return valuesets.Load(path) },
		Declare: func(s *rest.Server, deps process.Deps) (rest.Parts, error) { return declare(s, deps, layout) },
	}
}

// peers returns the services that it calls.
func peers() []string {
	all := internalapi.Processes()
	return all[slices.IndexFunc(all, func(p internalapi.Process) bool { return p.Name == name })].Calls
}

// office is the running service.
type office struct {
	server    *rest.Server
	contracts *contract.Contracts
	desk      *bordereau.Desk
	source    *source.Source
	// folder keeps what is made of files that were sent.
	folder *folder.Folder
	// reconciler compares the files of others with what the desk has.
	reconciler *reconciliation.Reconciler
	// intake makes records of the rows of files.
	intake *intake.Intake
	// underWay knows how far preparations and comparisons have come.
	underWay *underway.Log
	// views keeps the lists of the book that people want again.
	views *views
	// cursors seals the cursors of lists where organisations share the exchange; nil elsewhere.
	cursors *query.Cursors
}

func declare(s *rest.Server, deps process.Deps, layout int) (rest.Parts, error) {
	lines, err := linesOfInsurance()
	if err != nil {
		return rest.Parts{}, err
	}
	o := &office{server: s, contracts: contract.New(lines, deps.Now, s.Zone, deps.Log), source: source.New(deps.Peer),
		underWay: underway.New(deps.Now), views: &views{now: deps.Now}}
	o.desk = bordereau.New(o.contracts, o.source, o.underWay, deps.Now, s.Zone, layout, deps.Log)
	o.folder = folder.New(deps.Log)
	if o.intake, err = o.newIntake(s, deps); err != nil {
		return rest.Parts{}, err
	}
	o.reconciler = reconciliation.New(o.desk, o.folder, o.underWay, s.Sets.Values(valuesets.ReceiptType),
		o.intake.MemberOf, deps.Now, s.Zone, deps.Log)
	s.Extend(o.contractOperations()...)
	s.Extend(o.inSight(o.bordereauOperations()...)...)
	s.Extend(o.supplementOperations()...)
	s.Extend(o.reconciliationOperations()...)
	s.Extend(o.importOperations()...)
	s.Extend(o.views.operations()...)
	parts := rest.Parts{Logged: o.logged, Examine: examine(lines, deps.Now)}
	parts.Internal = func(router gin.IRouter) {
		if o.mountBooked(router); deps.Organisations {
			o.mountInternal(router)
		}
	}
	parts.Open = func(ctx context.Context) error {
		if err := o.contracts.Open(ctx, deps.Store); err != nil {
			return err
		}
		if err := o.desk.Open(ctx, deps.Store); err != nil {
			return err
		}
		if err := o.underWay.Open(ctx, deps.Store); err != nil {
			return err
		}
		if err := o.folder.Open(ctx, deps.Store); err != nil {
			return err
		}
		if err := o.views.open(ctx, deps.Store); err != nil {
			return err
		}
		if deps.Organisations {
			seal, err := query.SealOf(ctx, deps.Store)
			if err != nil {
				return err
			}
			o.cursors = query.NewCursors(seal)
		}
		return o.reconciler.Open(ctx, deps.Store)
	}
	return parts, nil
}

// newIntake returns what makes records of the rows of files, with the value sets in force.
func (o *office) newIntake(s *rest.Server, deps process.Deps) (*intake.Intake, error) {
	document := openapi.Published()
	if sets, is := s.Sets.(*valuesets.Registry); is {
		var err error
		if document, err = openapi.Document(sets, "", openapi.Amounts{}); err != nil {
			return nil, err
		}
	}
	catalog, err := resource.Read(document)
	if err != nil {
		return nil, err
	}
	table, err := routes.Load()
	if err != nil {
		return nil, err
	}
	return intake.New(intake.Environment{
		Folder: o.folder, Catalog: catalog, Peer: deps.Peer, Owners: table.Owners(), Now: deps.Now, Wall: deps.Wall,
		Zone: s.Zone, KeyRetention: s.KeyRetention, Log: deps.Log,
		Profile: func(ctx context.Context, name string) (shown.FileProfile, error) {
			p, _, err := o.reconciler.Profile(ctx, name)
			return p, err
		},
	}), nil
}

// examine returns what looks for faults in imports, contracts and bordereaux, whose policies are of some lines. Each
// version is also made anew if the databases of the other services are there.
func examine(lines []string, now func() time.Time) func(context.Context, inspect.Examination) error {
	return func(ctx context.Context, x inspect.Examination) error {
		log := slog.New(slog.DiscardHandler) // what is wrong is reported
		contracts := contract.New(lines, now, time.UTC, log)
		if err := contracts.Open(ctx, x.Store); err != nil {
			return err
		}
		of := bordereau.New(contracts, nil, nil, now, time.UTC, export.Newest, log)
		if err := of.Open(ctx, x.Store); err != nil {
			return err
		}
		files := folder.New(log)
		if err := files.OpenToRead(ctx, x.Store); err != nil {
			return err
		}
		if err := intake.Examine(ctx, x, files); err != nil {
			return err
		}
		return of.Examine(ctx, x, func() (*source.Source, error) { return sourceOf(x) })
	}
}

// sourceOf returns what reads the databases of the other services as they are stored; nil if one is not there.
func sourceOf(x inspect.Examination) (*source.Source, error) {
	clients := map[string]*peer.Client{}
	for _, name := range peers() {
		client, err := x.Peer(name)
		if err != nil || client == nil {
			return nil, err
		}
		clients[name] = client
	}
	return source.New(func(name string) *peer.Client { return clients[name] }), nil
}

// logged returns the collections that have entries in the log of changes, by name.
func (o *office) logged() map[string]changes.Source {
	all := o.desk.Logged()
	maps.Copy(all, o.reconciler.Logged())
	return all
}

// linesOfInsurance returns the resources whose records are policies.
func linesOfInsurance() (lines []string, err error) {
	table, err := routes.Load()
	for _, r := range table.Resources {
		if strings.HasSuffix(r.Resource, "Coverage") && slices.Contains(r.Collection, http.MethodPost) {
			lines = append(lines, r.Resource)
		}
	}
	return lines, err
}
