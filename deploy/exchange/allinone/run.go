package allinone

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/deploy/exchange/broker"
	"insurance.example/exchange/gateway"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/service"
)

// exchange is the whole exchange in one process.
type exchange struct {
	data     string
	gateway  gateway.Settings
	services []service.Definition
	banner   io.Writer
}

// RunProgram answers the program that runs the whole exchange. What a person should see first goes to banner.
func RunProgram(banner io.Writer) service.Program {
	e := &exchange{banner: banner}
	for _, s := range Services() {
		e.services = append(e.services, s.Definition())
	}
	return service.Program{
		Name: "run", Summary: "Run the whole exchange in one process, its data in files of one folder",
		Flags: e.register, Foreign: settings.All(), Run: e.run,
		Defaults: map[string]string{
			"addr":       "127.0.0.1:8080",
			"admin-addr": "127.0.0.1:0",
			// A newcomer's receipts are to show up in a bordereau.
			settings.BordereauPeriod: "month",
			// After a crash, the next start is the only one to take over.
			settings.SessionTimeout: "2s",
		},
	}
}

func (e *exchange) register(flags *pflag.FlagSet) {
	registerData(flags, &e.data)
	e.gateway.Register(flags)
	for _, s := range e.services {
		s.Flags(flags)
	}
}

// run runs the exchange until ctx ends.
func (e *exchange) run(ctx context.Context, p *service.Process) error {
	if err := p.Listen(); err != nil {
		return err
	}
	if err := os.MkdirAll(e.data, 0o700); err != nil {
		return fmt.Errorf("setting data: %w", err)
	}
	if len(p.Settings.Secrets) == 0 {
		secret, err := newSecret()
		if err != nil {
			return err
		}
		p.Settings.Secrets = []string{secret}
	}
	brokerAt, err := e.startBroker(p)
	if err != nil {
		return err
	}
	handlers, err := e.startServices(ctx, p, brokerAt)
	if err != nil {
		return err
	}
	door, err := e.openGateway(ctx, p, handlers)
	if err != nil {
		return err
	}
	if err := e.welcome(p.Address(), p.AdminAddress()); err != nil {
		return err
	}
	return p.Serve(ctx, door)
}

func newSecret() (string, error) {
	var secret [32]byte
	_, err := rand.Read(secret[:])
	return hex.EncodeToString(secret[:]), err
}

func (e *exchange) startBroker(p *service.Process) (address string, err error) {
	b, err := broker.Start(broker.Options{DataDir: filepath.Join(e.data, "broker"), Log: p.Log.With("service", "broker")})
	if err != nil {
		return "", err
	}
	p.OnClose(func() error { b.Close(); return nil })
	return b.Addr(), nil
}

// startServices starts the services, each with a database file of its own, and answers their handlers. They reach each
// other in memory.
func (e *exchange) startServices(ctx context.Context, p *service.Process, brokerAt string) (map[string]http.Handler, error) {
	credentials, err := p.Credentials()
	if err != nil {
		return nil, err
	}
	handlers := map[string]http.Handler{}
	dial := func(name string) (*peer.Client, error) {
		return peer.New(peer.Config{
			Name: name, Address: "http://" + name, Transport: peer.Handler(handlers[name]), Credentials: credentials,
		})
	}
	for _, s := range e.services {
		store, err := p.OpenStore(ctx, service.StoreURL("sqlite:"+filepath.Join(e.data, s.Name+".db")), s.Name)
		if err != nil {
			return nil, err
		}
		links := service.Links{Store: store, Brokers: []string{brokerAt}, Dial: dial, Now: time.Now}
		if handlers[s.Name], err = p.Start(ctx, s, links); err != nil {
			return nil, err
		}
	}
	return handlers, nil
}

func (e *exchange) openGateway(ctx context.Context, p *service.Process, handlers map[string]http.Handler) (http.Handler, error) {
	credentials, err := p.Credentials()
	if err != nil {
		return nil, err
	}
	table, err := routes.Load()
	if err != nil {
		return nil, err
	}
	// Without an identity provider the exchange is its own.
	if tokens := &e.gateway.Tokens; tokens.JWKSURL == "" && tokens.KeyFile == "" {
		signer, err := auth.OpenSigner(keyFolder(e.data))
		if err != nil {
			return nil, err
		}
		tokens.KeyFile, tokens.Issuer = signer.PublicFile(), localIssuer
		if !slices.Contains(tokens.Audience, localAudience) {
			tokens.Audience = append(tokens.Audience, localAudience)
		}
	}
	verifier, err := auth.NewVerifier(ctx, e.gateway.Tokens, p.Log)
	if err != nil {
		return nil, err
	}
	p.Background("verification keys", verifier.Run)
	p.Ready("verification keys", verifier.Ready)
	upstreams := map[string]gateway.Upstream{}
	for name, handler := range handlers {
		upstreams[name] = gateway.Upstream{URL: &url.URL{Scheme: "http", Host: name}, Transport: peer.Handler(handler)}
	}
	public, err := e.gateway.Pages()
	if err != nil {
		return nil, err
	}
	return gateway.New(p.Engine("gateway"), gateway.Config{
		Routes: table.Resources, Extensions: table.Extensions, Upstreams: upstreams, Pages: public, Verifier: verifier, Credentials: credentials,
		AdminMayRead: e.gateway.AdminMayRead, Log: p.Log,
	})
}
