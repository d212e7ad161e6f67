// Package sides starts the exchange and what it is compared with, each in processes of its own: a bare
// handler, a proxy in front of it, and MongoDB with its driver.
package sides

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/process"
	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/auth"
)

// Exchange is a running exchange, all of it in one process or as separate ones, and a client of it.
type Exchange struct {
	*load.Client
	*load.Server
	// Ready is the time from its start until /readyz of the last process was 200.
	Ready time.Duration
	whole *trial.Exchange
}

// Settings say how an exchange runs.
type Settings struct {
	Separate    bool   // gateway and services in processes of their own
	Mongo       string // URL of the MongoDB that has the records; "" for files
	Connections int    // of the client
	Secured     bool   // whether the one process serves TLS, with a certificate that nobody checks
	Profiling   bool   // whether the one process can be profiled
	// Patience is how long a request to the one process may take; 0 for as long as by default.
	Patience time.Duration
	// Organisation names the organisation that the client acts for, where organisations share the exchange. Before
	// names the one that owns the records from before they did. "" stands for none.
	Organisation, Before string
}

// StartExchange starts the exchange on a folder of data and waits until it is ready.
func StartExchange(ctx context.Context, commands *trial.Commands, data string, s Settings) (*Exchange, error) {
	began, names := time.Now(), []string{"exchange"}
	var err error
	e := &Exchange{Server: &load.Server{}}
	if s.Separate {
		names = trial.Processes()
		e.whole, err = commands.RunComposed(data, trial.Composition{Store: s.Mongo})
	} else {
		// A request has the time that it has by default, not the time that tests give it.
		settings := []string{"EXCHANGE_REQUEST_TIMEOUT=" + cmp.Or(s.Patience, 15*time.Second).String(),
			"EXCHANGE_ADMIN_ADDR=127.0.0.1:0", "EXCHANGE_LOG_FORMAT=json"}
		if s.Mongo != "" {
			settings = append(settings, "EXCHANGE_STORE="+s.Mongo)
		}
		if s.Profiling {
			settings = append(settings, "EXCHANGE_PROFILING=true")
		}
		if s.Organisation != "" {
			settings = append(settings, "EXCHANGE_ORG_CLAIM="+organisationClaim, "EXCHANGE_ORG_DEFAULT="+s.Before)
		}
		if s.Secured {
			var secured []string
			if secured, err = secure(data); err != nil {
				return nil, err
			}
			settings = append(settings, secured...)
		}
		e.whole, err = commands.RunInOne(data, settings...)
	}
	for _, name := range names {
		if err == nil {
			err = e.add(ctx, name)
		}
	}
	if err == nil {
		e.Ready = time.Since(began)
		err = e.connect(s)
	}
	if err == nil && s.Secured {
		e.HTTP.IsTLS, e.HTTP.TLSConfig = true, Unchecked()
	}
	if err != nil {
		return nil, fmt.Errorf("%w; make build makes the commands", e.abandon(err))
	}
	return e, nil
}

// secure writes a certificate and its key into a folder and returns the settings that name them.
func secure(folder string) (settings []string, err error) {
	of := httptest.NewTLSServer(http.NotFoundHandler())
	defer of.Close()
	pair := of.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		setting, kind string
		bytes         []byte
	}{{"TLS_CERTIFICATE", "CERTIFICATE", pair.Certificate[0]}, {"TLS_KEY", "PRIVATE KEY", key}} {
		file := filepath.Join(folder, strings.ToLower(part.setting)+".pem")
		text := pem.EncodeToMemory(&pem.Block{Type: part.kind, Bytes: part.bytes})
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return nil, err
		}
		settings = append(settings, "EXCHANGE_"+part.setting+"="+file)
	}
	return settings, nil
}

// Unchecked returns the configuration of a client that accepts any certificate.
func Unchecked() *tls.Config { return &tls.Config{InsecureSkipVerify: true} }

// abandon ends what runs after an error, and returns the error.
func (e *Exchange) abandon(err error) error {
	if e.whole != nil {
		_ = e.whole.Abandon()
	}
	return err
}

// add waits until a process is ready.
func (e *Exchange) add(ctx context.Context, name string) error {
	admin, err := e.whole.AdminAddress(name)
	if err != nil {
		return err
	}
	e.Processes, e.Admins = append(e.Processes, process.ID(e.whole.PID(name))), append(e.Admins, admin)
	return untilReady(ctx, admin)
}

// connect makes the client. Its token is valid for an hour.
func (e *Exchange) connect(s Settings) (err error) {
	e.Client, err = e.In(s.Organisation, s.Connections)
	e.Server.Client = e.Client
	return err
}

// organisationClaim is the claim of tokens that names an organisation.
const organisationClaim = "org"

// In returns a client that acts for an organisation, "" for none.
func (e *Exchange) In(organisation string, connections int) (*load.Client, error) {
	token, err := e.TokenOf(organisation, "bench")
	return load.Dial(strings.TrimPrefix(e.whole.Base, "http://"), token, connections), err
}

// TokenOf returns a token of a subject that acts for an organisation, "" for none.
func (e *Exchange) TokenOf(organisation, subject string) (string, error) {
	return e.whole.Signer.Issue(auth.Grant{
		Subject: subject, Scopes: []string{trial.Developer, trial.Admin}, Issuer: trial.Issuer,
		Audience: []string{trial.Audience}, Lifetime: time.Hour, Organisation: organisation,
		OrganisationClaim: organisationClaim,
	})
}

// Admin returns the address of the metrics of the gateway, or of the one process.
func (e *Exchange) Admin() string { return e.Admins[len(e.Admins)-1] }

// Process returns the one process.
func (e *Exchange) Process() process.ID { return e.Processes[len(e.Processes)-1] }

// Stop ends all processes and waits for their end. It does nothing if they have ended.
func (e *Exchange) Stop() error {
	if e.whole == nil {
		return nil
	}
	err := e.whole.Close()
	e.whole = nil
	return err
}

// Resident returns the memory of all processes.
func (e *Exchange) Resident() process.Memory { return process.Resident(e.Processes...) }

// untilReady asks for /readyz until it is 200 or the context ends.
func untilReady(ctx context.Context, admin string) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+admin+"/readyz", nil)
		if err != nil {
			return err
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// Rest waits until the processes have next to nothing left to do: an exchange is ready before it has collected what
// only its start needed. It waits for at most restPatience.
func (e *Exchange) Rest(ctx context.Context) {
	const restPatience, pause, atRest = 2 * time.Second, 100 * time.Millisecond, 0.02 // of a core
	seconds := func() (total float64) {
		for _, p := range e.Processes {
			total += p.CPUSeconds()
		}
		return total
	}
	tick := time.NewTicker(pause)
	defer tick.Stop()
	before := seconds()
	for range restPatience / pause {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		now := seconds()
		if now-before < atRest*pause.Seconds() {
			return
		}
		before = now
	}
}
