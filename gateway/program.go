package gateway

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/contracts/routes"
	known "insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/gateway/console"
	"insurance.example/exchange/gateway/pages"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/auth/tokens"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/setting"
)

// Settings holds the settings of a gateway beyond those of every process.
type Settings struct {
	// Tokens describes the bearer tokens that are accepted.
	Tokens tokens.Settings
	// AdminMayRead lets the scope std.admin read as well.
	AdminMayRead bool
	// Origins holds the origins whose pages may call the exchange from a browser.
	Origins []string
	// TokenURL is the URL at which the identity provider issues tokens for client credentials. The OpenAPI document
	// and the pages name it if it is given.
	TokenURL string
	// PublicURL is the URL by which clients reach the exchange. Its metadata (RFC 9728) is published if it is given.
	PublicURL string
	// TokenCommand is a command that prints a bearer token, where the exchange signs its own. The pages and the log
	// name it if it is given.
	TokenCommand string
	// OtherTokenCommand prints one of another organisation (pages.OtherOrganisation). No flag sets it.
	OtherTokenCommand string
	// RateLimit is how many requests each caller may send to a process in a second, and RateBurst how many at once
	// after a while without any; 0 for any number, and for the requests of one second.
	RateLimit, RateBurst int64
	// OrganisationRate and OrganisationBurst are the same for all callers of an organisation together.
	OrganisationRate, OrganisationBurst int64
	// Console holds what the console can ask of an exchange on the machine of its user, by whole paths.
	Console map[string]http.Handler
	// ConsoleClient is what the console is registered as at the identity provider.
	ConsoleClient string

	valueSets *string
	amounts   func() setting.Amounts
}

// Register declares the settings.
func (s *Settings) Register(flags *pflag.FlagSet) {
	s.Tokens.Register(flags)
	flags.BoolVar(&s.AdminMayRead, known.AdminMayRead, false, "let the scope "+ScopeAdmin+" read (GET) as well")
	flags.StringSliceVar(&s.Origins, known.CORSOrigins, nil,
		"origins whose pages may call the exchange from a browser, such as https://portal.example, or * for any; "+
			"none if not given")
	flags.StringVar(&s.TokenURL, known.TokenURL, "",
		"URL at which the identity provider issues tokens (OAuth 2.0, client credentials), for the OpenAPI "+
			"document; not named if not given")
	flags.StringVar(&s.PublicURL, known.PublicURL, "",
		"URL by which clients reach the exchange, such as https://exchange.example; if it is given, "+metadataPath+
			" names the issuers of tokens (RFC 9728)")
	flags.StringVar(&s.TokenCommand, known.TokenCommand, "",
		"command that prints a bearer token, for the pages and the log of an exchange that signs its own; exchange "+
			"token if not given")
	flags.StringVar(&s.ConsoleClient, known.ConsoleClient, "",
		"client id of the console at the identity provider (OpenID Connect, a public client with PKCE); there is no "+
			"console for its tokens if not given")
	setting.IntVar(flags, &s.RateLimit, known.RateLimit, 0, 0, 1<<20,
		"requests that each caller may send to a process of the gateway in a second; beyond it they are refused "+
			"(429); 0 for any number")
	setting.IntVar(flags, &s.RateBurst, known.RateBurst, 0, 0, 1<<20,
		"requests that a caller may send at once after a while without any, with rate-limit; 0 for those of one second")
	setting.IntVar(flags, &s.OrganisationRate, known.OrganisationRate, 0, 0, 1<<20,
		"requests that all callers of an organisation together may send to a process of the gateway in a second, "+
			"where organisations share the exchange (org-claim); beyond it they are refused (429); 0 for any number")
	setting.IntVar(flags, &s.OrganisationBurst, known.OrganisationBurst, 0, 0, 1<<20,
		"requests that they may send at once after a while without any, with org-rate; 0 for those of one second")
	s.amounts = setting.SharedAmounts(flags)
	s.valueSets = setting.SharedString(flags, known.ValueSets,
		"YAML file that replaces or extends value sets; the published ones if not given")
}

// LocalIssuer is the issuer (iss) of the tokens that the command "exchange token" signs.
const LocalIssuer = "exchange-local"

// Open starts a gateway in front of the upstreams within a process and returns its handler. Errors name the setting.
func (s *Settings) Open(ctx context.Context, p *process.Process, upstreams map[string]Upstream) (http.Handler, error) {
	if err := checkOrigins(s.Origins); err != nil {
		return nil, fmt.Errorf("setting %s: %w", known.CORSOrigins, err)
	}
	if err := checkTokenURL(s.TokenURL); err != nil {
		return nil, fmt.Errorf("setting %s: %w", known.TokenURL, err)
	}
	tokenSettings := s.Tokens
	tokenSettings.Organisation, tokenSettings.Operators = p.Settings.OrganisationClaim, ScopeOperator
	if s.PublicURL != "" {
		if err := checkPublicURL(s.PublicURL); err != nil {
			return nil, fmt.Errorf("setting %s: %w", known.PublicURL, err)
		}
		tokenSettings.Metadata = metadataURL(s.PublicURL)
	}
	verifier, err := auth.NewVerifier(ctx, tokenSettings, p.Log)
	if err != nil {
		return nil, err
	}
	p.Background("verification keys", verifier.Run)
	p.Ready("verification keys", verifier.Ready)
	credentials, err := p.Credentials()
	if err != nil {
		return nil, err
	}
	table, err := routes.Load()
	if err != nil {
		return nil, err
	}
	sets, err := valuesets.Load(*s.valueSets)
	if err != nil {
		return nil, fmt.Errorf("setting %s: %w", known.ValueSets, err)
	}
	tokens := pages.Tokens{
		Local: s.Tokens.Issuer == LocalIssuer, Issuer: s.Tokens.Issuer, URL: s.TokenURL, Command: s.TokenCommand,
		Organisations: p.Settings.OrganisationClaim != "",
		OtherCommand: cmp.Or(s.OtherTokenCommand,
			cmp.Or(s.TokenCommand, "exchange token")+" --org "+pages.OtherOrganisation),
	}
	if tokens.Local && tokens.Command != "" {
		p.Log.Info("this command prints a bearer token; /docs/start shows what to do with it", "command",
			tokens.Command)
	}
	public, err := pages.New(pages.Config{Sets: sets, Tokens: tokens, Amounts: openapi.Amounts(s.amounts())})
	if err != nil {
		return nil, err
	}
	maps.Copy(public, console.Pages(console.Config{
		OwnTokens: tokens.Local, Amounts: openapi.Amounts(s.amounts()), Local: s.Console,
		OrganisationClaim: p.Settings.OrganisationClaim, Provider: console.Provider{
			Issuer: s.Tokens.Issuer, Client: s.ConsoleClient, Audience: s.Tokens.Audience, TokenURL: s.TokenURL,
		},
	}))
	if s.PublicURL != "" {
		if public[metadataPath], err = metadata(s.PublicURL, s.Tokens.Issuer); err != nil {
			return nil, err
		}
	}
	if s.OrganisationRate > 0 && p.Settings.OrganisationClaim == "" {
		return nil, fmt.Errorf("setting %s: organisations share the exchange only with org-claim; give that too, or "+
			"neither", known.OrganisationRate)
	}
	rates, err := NewRates(Rate{int(s.OrganisationRate), int(s.OrganisationBurst)},
		Rate{int(s.RateLimit), int(s.RateBurst)}, time.Now)
	if err != nil {
		return nil, fmt.Errorf("setting %s: %w", known.RateLimit, err)
	}
	for name, upstream := range upstreams {
		upstream.Admit = p.Admission("gateway", name, upstream.Handler == nil)
		upstreams[name] = upstream
	}
	return New(p.Entrance("gateway"), Config{
		Routes: table.Resources, Extensions: table.Extensions, Upstreams: upstreams, Pages: public, Verifier: verifier,
		Meet: p.Meeting("gateway"), Credentials: credentials, AdminMayRead: s.AdminMayRead,
		Origins: s.Origins, Rates: rates, Organisations: p.Settings.OrganisationClaim != "",
		LargestBody: p.Settings.LargestBody, Log: p.Log,
	})
}

// Program returns the program of a gateway in front of services in other processes.
func Program() process.Program {
	var settings Settings
	return process.Program{
		Name: "gateway", Summary: "Checks tokens and scopes and forwards requests to the services of the exchange",
		Flags: settings.Register, Foreign: known.All(),
		Run: func(ctx context.Context, p *process.Process) error {
			if err := p.Listen(); err != nil {
				return err
			}
			if err := p.KeepAudit(""); err != nil {
				return err
			}
			upstreams, err := upstreams(p)
			if err != nil {
				return err
			}
			handler, err := settings.Open(ctx, p, upstreams)
			if err != nil {
				return err
			}
			return p.Serve(ctx, handler)
		},
	}
}

// upstreams returns the services of the routing table, by the addresses in the settings.
func upstreams(p *process.Process) (map[string]Upstream, error) {
	table, err := routes.Load()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, route := range table.Resources {
		names = append(names, route.Service)
	}
	for _, x := range table.Extensions {
		// One that an exchange may be run without is called where its address is given.
		if _, given := p.Settings.Peers[x.Service]; given || !x.Optional {
			names = append(names, x.Service)
		}
	}
	upstreams := map[string]Upstream{}
	for _, name := range names {
		if _, ok := upstreams[name]; ok {
			continue
		}
		base, transport, err := p.Reach(name)
		if err != nil {
			return nil, err
		}
		upstreams[name] = Upstream{URL: base, Transport: transport}
	}
	return upstreams, nil
}
