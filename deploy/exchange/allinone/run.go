package allinone

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/deploy/exchange/local"
	"insurance.example/exchange/deploy/exchange/testclock"
	"insurance.example/exchange/gateway"
	"insurance.example/exchange/gateway/pages"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/process"
)

// runner runs the whole exchange in one process.
type runner struct {
	data     string
	store    process.StoreSettings
	gateway  gateway.Settings
	services []process.Definition
	banner   io.Writer
	// testClock is the instant that the test clock begins with; empty for an exchange without one.
	testClock    string
	clock        *testclock.Clock
	clockService process.Definition
	// ownTokens reports whether the exchange issues its tokens itself.
	ownTokens bool
	// organisation is the one for which the exchange shows how a token is made, of those that share it; empty if none
	// do.
	organisation string
	// hasConsole says that links sign people in to the console.
	hasConsole bool
	// book reports whether the book in figures is kept.
	book bool
	// demo reports whether the exchange shows what it can do.
	demo  bool
	flags *pflag.FlagSet
}

// RunProgram returns the program that runs the whole exchange. It writes to banner what a person should read first.
func RunProgram(banner io.Writer) process.Program {
	r := &runner{banner: banner, clock: new(testclock.Clock)}
	r.clockService = testclock.Service(r.clock).Definition()
	for _, s := range Services() {
		r.services = append(r.services, s.Definition())
	}
	return process.Program{
		Name: "run", Summary: "Run the whole exchange in one process, with its records in the files of one folder " +
			"or in MongoDB",
		Flags: r.register, Foreign: settings.All(), Run: r.run,
		Usage: func(command *cobra.Command) { process.GroupUsage(command, groups) },
		Defaults: map[string]string{
			"addr":       "127.0.0.1:8080",
			"admin-addr": "127.0.0.1:0",
			// With a period, receipts appear in a bordereau without further configuration.
			settings.BordereauPeriod: "month",
			// Nobody else could take over while it stops, unless others share its MongoDB.
			"drain-delay": "0s",
		},
	}
}

func (r *runner) register(flags *pflag.FlagSet) {
	local.RegisterData(flags, &r.data)
	r.store.RegisterMongo(flags)
	r.gateway.Register(flags)
	flags.StringVar(&r.testClock, testClockFlag, "",
		"`instant`, such as 2026-01-15T00:00:00Z, at which a clock begins that all services go by and that stands "+
			"still until POST /x/clock:advance; for trying what depends on time, on a data folder of its own")
	flags.BoolVar(&r.book, bookFlag, true, "keep the book in figures, which takes up to half a processor while "+
		"records are written, and a whole one until it has read what is there; without it, the paths below /x/book "+
		"are unknown")
	flags.BoolVar(&r.demo, demoFlag, false, "show what the exchange can do: a year of contracts that is made at the "+
		"start, with a test clock, in the folder "+demoFolder+" unless --data is given, and links for two people")
	for _, s := range append(r.services, r.clockService) {
		s.Flags(flags)
	}
	r.flags = flags
}

// run runs the exchange until ctx ends.
func (r *runner) run(ctx context.Context, p *process.Process) error {
	if r.demo {
		if err := demoSettings(r.flags); err != nil {
			return err
		}
	}
	if err := p.Listen(); err != nil {
		return err
	}
	if p.Settings.OrganisationClaim != "" {
		r.organisation = cmp.Or(p.Settings.OrganisationDefault, exampleOrganisation)
	}
	if err := local.OpenFolder(r.data); err != nil {
		return fmt.Errorf("setting data: %w", err)
	}
	if err := p.KeepAudit(filepath.Join(r.data, "audit.log")); err != nil {
		return err
	}
	if len(p.Settings.Secrets) == 0 && p.Settings.SecretFile == "" {
		secret, err := local.NewSecret()
		if err != nil {
			return err
		}
		p.Settings.Secrets = []string{secret}
	}
	if !r.book {
		r.services = slices.DeleteFunc(r.services, func(s process.Definition) bool { return s.Name == bookFlag })
	}
	if file := r.flags.Lookup(settings.BookFile); file.Value.String() == "" {
		if err := file.Value.Set(BookFile(r.data)); err != nil {
			return err
		}
	}
	if err := r.openClock(); err != nil {
		return fmt.Errorf("setting %s: %w", testClockFlag, err)
	}
	opened, err := r.openStores(ctx, p)
	if err != nil {
		return p.WithoutStore(ctx, err)
	}
	handlers, err := r.startServices(ctx, p, opened)
	if err != nil {
		return err
	}
	entrance, err := r.openGateway(ctx, p, handlers)
	if err != nil {
		return err
	}
	if err := r.welcome(p.URL(), p.AdminAddress(), p.Settings.OrganisationClaim); err != nil {
		return err
	}
	if r.testClock != "" {
		entrance = r.clock.Handler(entrance)
	}
	if r.demo {
		if err := r.openDemo(p); err != nil {
			return err
		}
	}
	return p.Serve(ctx, entrance)
}

// bookFlag is the setting that says whether the service of this name runs.
const bookFlag = "book"

// BookFile returns the file of a data folder in which the book is kept. It is in no backup: a start without it reads
// the logs again.
func BookFile(data string) string { return filepath.Join(data, "book.sqlite") }

const testClockFlag = "test-clock"

// exampleOrganisation is the organisation in what the exchange shows where no setting names one.
const exampleOrganisation = "example"

// openClock opens the test clock, if there is one. A folder that was run with one has records of invented instants, so
// that it is refused without.
func (r *runner) openClock() error {
	switch _, stat := os.Stat(testclock.File(r.data)); {
	case r.testClock == "" && stat == nil:
		return fmt.Errorf("the exchange of the folder %s has a test clock; give it an instant, or name another "+
			"folder with --data", r.data)
	case r.testClock == "":
		return nil
	case r.store.URL.InMongo():
		return errors.New("an exchange on MongoDB has no test clock, because others may share its records")
	}
	return r.clock.Open(r.data, r.testClock)
}

// startServices starts the services and returns their handlers. They call each other in memory.
func (r *runner) startServices(
	ctx context.Context, p *process.Process, opened map[string]docstore.Store,
) (map[string]http.Handler, error) {
	ordered, err := startOrder(r.services)
	if err != nil {
		return nil, err
	}
	now := time.Now
	if r.testClock != "" {
		now = r.clock.Now
		ordered = append(ordered, r.clockService)
	}
	handlers := map[string]http.Handler{}
	reach := func(name string) (peer.Config, error) {
		return peer.Config{Address: "http://" + name, Handler: handlers[name]}, nil
	}
	for _, s := range ordered {
		links := process.Links{
			Store: opened[s.Name], Peer: reach, Now: now,
		}
		if handlers[s.Name], err = p.Start(ctx, s, links); err != nil {
			return nil, err
		}
	}
	return handlers, nil
}

// openGateway starts the gateway in front of the handlers. Without an identity provider, it accepts the tokens that
// the key in the data folder signs.
func (r *runner) openGateway(
	ctx context.Context, p *process.Process, handlers map[string]http.Handler,
) (http.Handler, error) {
	if tokens := &r.gateway.Tokens; tokens.JWKSURL == "" && tokens.KeyFile == "" {
		signer, err := auth.OpenSigner(local.KeyFolder(r.data))
		if err != nil {
			return nil, err
		}
		r.ownTokens = true
		r.openConsole(p)
		if elsewhere := r.data != r.flags.Lookup(settings.Data).DefValue; (elsewhere || r.organisation != "") &&
			r.gateway.TokenCommand == "" {
			command, claim := "exchange token", p.Settings.OrganisationClaim
			if elsewhere {
				command += " --data " + client.Quoted(r.data)
			}
			r.gateway.TokenCommand = command + tokenOf(r.organisation, claim)
			if r.organisation != "" {
				r.gateway.OtherTokenCommand = command + tokenOf(pages.OtherOrganisation, claim)
			}
		}
		tokens.KeyFile, tokens.Issuer = signer.PublicFile(), local.Issuer
		if !slices.Contains(tokens.Audience, local.Audience) {
			tokens.Audience = append(tokens.Audience, local.Audience)
		}
	}
	upstreams := map[string]gateway.Upstream{}
	for name, handler := range handlers {
		upstreams[name] = gateway.Upstream{Handler: handler}
	}
	return r.gateway.Open(ctx, p, upstreams)
}
