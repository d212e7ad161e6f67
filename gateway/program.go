package gateway

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/routes"
	known "insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/gateway/pages"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/service"
	"insurance.example/exchange/pkg/setting"
)

// Settings are those of a gateway beyond what every process has.
type Settings struct {
	Tokens       auth.Settings
	AdminMayRead bool

	valueSets *string
}

// Register declares the settings.
func (s *Settings) Register(flags *pflag.FlagSet) {
	s.Tokens.Register(flags)
	flags.BoolVar(&s.AdminMayRead, "admin-may-read", false, "let the scope "+ScopeAdmin+" open GET as well")
	s.valueSets = setting.SharedString(flags, known.ValueSets, "YAML file that replaces or extends value sets, for the OpenAPI document")
}

// LocalIssuer is the issuer (iss) of the tokens that the command "exchange token" signs.
const LocalIssuer = "exchange-local"

// Pages returns the public pages by their path, with the value sets in force and where tokens come from. Call it once the
// settings are whole.
func (s *Settings) Pages() (map[string]http.Handler, error) {
	sets, err := valuesets.Load(*s.valueSets)
	if err != nil {
		return nil, fmt.Errorf("setting %s: %w", known.ValueSets, err)
	}
	tokens := pages.Tokens{Local: s.Tokens.Issuer == LocalIssuer, Issuer: s.Tokens.Issuer}
	return pages.New(pages.Config{Sets: sets, Tokens: tokens})
}

// Program answers the command of the gateway in front of services in processes of their own.
func Program() service.Program {
	var settings Settings
	return service.Program{
		Name: "gateway", Summary: "Checks scopes and routes requests to the services of the exchange",
		Flags: settings.Register, Foreign: known.All(),
		Run: func(ctx context.Context, p *service.Process) error {
			if err := p.Listen(); err != nil {
				return err
			}
			verifier, err := auth.NewVerifier(ctx, settings.Tokens, p.Log)
			if err != nil {
				return err
			}
			p.Background("verification keys", verifier.Run)
			p.Ready("verification keys", verifier.Ready)
			credentials, err := p.Credentials()
			if err != nil {
				return err
			}
			table, err := routes.Load()
			if err != nil {
				return err
			}
			public, err := settings.Pages()
			if err != nil {
				return err
			}
			upstreams, err := upstreams(table.Resources, p.Settings.Peers)
			if err != nil {
				return err
			}
			handler, err := New(p.Engine("gateway"), Config{
				Routes: table.Resources, Extensions: table.Extensions, Upstreams: upstreams, Pages: public, Verifier: verifier, Credentials: credentials,
				AdminMayRead: settings.AdminMayRead, LargestBody: p.Settings.LargestBody, Log: p.Log,
			})
			if err != nil {
				return err
			}
			return p.Serve(ctx, handler)
		},
	}
}

// upstreams finds the services of the routes by their addresses in the settings.
func upstreams(table []routes.Route, addresses map[string]string) (map[string]Upstream, error) {
	found := map[string]Upstream{}
	for _, route := range table {
		name := route.Service
		if _, ok := found[name]; ok {
			continue
		}
		address, ok := addresses[name]
		if !ok {
			return nil, fmt.Errorf("setting peer: the address of %s is missing; give --peer %s=http://host:port", name, name)
		}
		u, err := url.Parse(address)
		if err != nil {
			return nil, fmt.Errorf("setting peer: the address of %s: %w", name, err)
		}
		found[name] = Upstream{URL: u, Transport: peer.NewTransport()}
	}
	return found, nil
}
