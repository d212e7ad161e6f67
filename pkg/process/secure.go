package process

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/secret"
	"insurance.example/exchange/pkg/setting"
)

// The names of the settings of Security.
const (
	tlsCertificate  = "tls-certificate"
	tlsKey          = "tls-key"
	tlsClientCA     = "tls-client-ca"
	tlsClientNames  = "tls-client-names"
	peerCA          = "peer-ca"
	peerCertificate = "peer-certificate"
	peerKey         = "peer-key"
)

// Security says how the connections of a process are secured. Files are in PEM, and are read again when they change.
type Security struct {
	// Certificate and Key are files; with them requests are served with TLS.
	Certificate, Key string
	// ClientCA is a file of authorities; with it callers must have a certificate that one of them has signed.
	ClientCA string
	// ClientNames are accepted names; the certificate of a caller must have one of them. A service then trusts it like
	// the shared credential.
	ClientNames []string
	// PeerCA is a file of the authorities that sign the certificates of other services; those of the system if it is
	// empty.
	PeerCA string
	// PeerCertificate and PeerKey are files by which the process proves to other services who it is.
	PeerCertificate, PeerKey string
}

func (s *Security) register(flags *pflag.FlagSet) {
	flags.StringVar(&s.Certificate, tlsCertificate, "", "PEM file of the certificate with which requests are "+
		"served (TLS); read again when it changes, as are the files below")
	flags.StringVar(&s.Key, tlsKey, "", "PEM file of the private key of "+tlsCertificate)
	flags.StringVar(&s.ClientCA, tlsClientCA, "",
		"PEM file of authorities; callers must have a certificate that one of them has signed")
	flags.StringSliceVar(&s.ClientNames, tlsClientNames, nil, "names (DNS or URI) of which the certificate of a "+
		"caller must bear one; it then takes the place of the shared credential")
	flags.StringVar(&s.PeerCA, peerCA, "",
		"PEM file of the authorities that sign the certificates of other services; those of the system if not given")
	flags.StringVar(&s.PeerCertificate, peerCertificate, "",
		"PEM file of the certificate by which this process proves to other services who it is")
	flags.StringVar(&s.PeerKey, peerKey, "", "PEM file of the private key of "+peerCertificate)
}

// check returns an error that names the settings that contradict each other.
func (s *Security) check() error {
	switch {
	case (s.Certificate == "") != (s.Key == ""):
		return errors.New("settings " + tlsCertificate + " and " + tlsKey + ": give both or neither")
	case s.ClientCA != "" && s.Certificate == "":
		return errors.New("setting " + tlsClientCA + ": callers can only show a certificate if " + tlsCertificate +
			" and " + tlsKey + " are given")
	case len(s.ClientNames) > 0 && s.ClientCA == "":
		return errors.New("setting " + tlsClientNames +
			": give the authorities of these certificates with --" + tlsClientCA)
	case (s.PeerCertificate == "") != (s.PeerKey == ""):
		return errors.New("settings " + peerCertificate + " and " + peerKey + ": give both or neither")
	}
	return nil
}

// readSecurity reads the files that secure the connections of the process. Errors name the setting.
func (p *Process) readSecurity() error {
	s := p.Settings.Security
	if err := s.check(); err != nil {
		return err
	}
	if s.Certificate != "" {
		pair, err := p.followPair(setting.File{Setting: tlsCertificate, Path: s.Certificate},
			setting.File{Setting: tlsKey, Path: s.Key}, func() {})
		if err != nil {
			return err
		}
		if s.ClientCA != "" {
			authorities, err := secret.ReadAuthorities(setting.File{Setting: tlsClientCA, Path: s.ClientCA})
			if err != nil {
				return err
			}
			follow(p, authorities, func(*secret.Authorities) {})
			p.callers = secret.NewCallers(authorities, s.ClientNames)
		}
		p.serving = secret.ServerTLS(pair, p.callers)
	}
	return p.readPeerSecurity(s)
}

// readPeerSecurity reads how this process calls other services. When that changes, new connections are made.
func (p *Process) readPeerSecurity(s Security) error {
	var authorities *secret.Value[*secret.Authorities]
	var pair *secret.Pair
	var err error
	if s.PeerCA != "" {
		if authorities, err = secret.ReadAuthorities(setting.File{Setting: peerCA, Path: s.PeerCA}); err != nil {
			return err
		}
		follow(p, authorities, func(*secret.Authorities) { p.renewPeers() })
	}
	if s.PeerCertificate != "" {
		pair, err = p.followPair(setting.File{Setting: peerCertificate, Path: s.PeerCertificate},
			setting.File{Setting: peerKey, Path: s.PeerKey}, p.renewPeers)
		if err != nil {
			return err
		}
	}
	p.calling = secret.ClientTLS(authorities, pair)
	return nil
}

func (p *Process) renewPeers() {
	for _, transport := range p.transports {
		transport.Renew()
	}
}

// followPair reads a certificate with its key, and reads them again when their files change. It exports the end of the
// certificate as a metric, logs it when it is near, and makes readiness say so.
func (p *Process) followPair(file, key setting.File, changed func()) (*secret.Pair, error) {
	pair, err := secret.ReadPair(file, key)
	if err != nil {
		return nil, err
	}
	follow(p, pair, func(*tls.Certificate) { changed() })
	p.Registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name:        "exchange_certificate_end_timestamp_seconds",
		Help:        "When the certificate of the setting ends, in Unix time.",
		ConstLabels: prometheus.Labels{"setting": file.Setting},
	}, func() float64 { return float64(pair.Get().Leaf.NotAfter.Unix()) }))
	p.Ready(file.Setting, func(context.Context) error { return Degraded(secret.Due(pair.Get(), time.Now())) })
	p.Background("end of "+file.Setting, func(ctx context.Context) error {
		return p.warnOfEnd(ctx, file.Setting, pair)
	})
	return pair, nil
}

// endCheckEvery is how often it is looked whether a certificate ends soon.
const endCheckEvery = time.Minute

// warnOfEnd logs that a certificate should be renewed or has ended, once each.
func (p *Process) warnOfEnd(ctx context.Context, setting string, pair *secret.Pair) error {
	tick := time.NewTicker(endCheckEvery)
	defer tick.Stop()
	said := ""
	for {
		now := ""
		if due := secret.Due(pair.Get(), time.Now()); due != nil {
			now = due.Error()
		}
		if now != said && now != "" {
			p.Log.Warn("a certificate is due for renewal", "setting", setting, "cause", now)
		}
		said = now
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// follow has a value follow its files while the process serves, and exports whether they can be used. changed is
// called with each new value.
func follow[T any](p *Process, value *secret.Value[T], changed func(T)) {
	p.Background(value.Name(), func(ctx context.Context) error { return value.Watch(ctx, p.Log, changed) })
	p.Registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_changed_file_refused",
		Help: "1 while what is in the files of the setting cannot be used, so that what they held before " +
			"still is.",
		ConstLabels: prometheus.Labels{"setting": value.Name()},
	}, func() float64 {
		if value.Refused() {
			return 1
		}
		return 0
	}))
}

// trust returns the credentials and certificates by which the services of this process recognise requests from within
// the exchange. It fails if there are none.
func (p *Process) trust() (request.Trust, error) {
	credentials, err := p.Credentials()
	if err != nil {
		return request.Trust{}, err
	}
	trust := request.Trust{Credentials: credentials, Organisations: p.Settings.OrganisationClaim != ""}
	if p.callers != nil && p.callers.Named() {
		trust.Certificate = p.callers.Accept
	}
	if !credentials.Given() && trust.Certificate == nil {
		return trust, fmt.Errorf("setting credential: the service would not know the gateway; give --%s, or --%s "+
			"with --%s", credentialFile, tlsClientCA, tlsClientNames)
	}
	return trust, nil
}

// refuseFormer refuses a request on a connection whose caller would not be accepted any more, and has the connection
// closed. Requests within the process come on no connection.
func (p *Process) refuseFormer(c *gin.Context) {
	if c.Request.TLS == nil {
		return
	}
	if err := p.callers.Accept(c.Request.TLS); err != nil {
		c.Header("Connection", "close")
		Refuse(c, problem.New(problem.Unauthorized, "The certificate of this connection is not accepted any more.").
			WithHeader("WWW-Authenticate", `Bearer realm="exchange"`).Because(err))
	}
}

// Reach returns the URL of a peer in another process, by the address in the settings, and a transport to it. Errors
// name the setting.
func (p *Process) Reach(name string) (*url.URL, *peer.Transport, error) {
	address, ok := p.Settings.Peers[name]
	if !ok {
		return nil, nil, fmt.Errorf("setting peer: the address of %s is missing; give --peer %s=http://host:port", name,
			name)
	}
	base, err := peer.ParseAddress(address)
	if err != nil {
		return nil, nil, fmt.Errorf("setting peer: %s: %w", name, err)
	}
	if certified := base.Scheme == "https" &&
		p.Settings.Security.PeerCertificate != ""; p.knownByCertificate() && !certified {
		return nil, nil, fmt.Errorf("setting peer: nothing proves to %s who calls; give --%s, or an address that "+
			"begins with https, with --%s and --%s",
			name, credentialFile, peerCertificate, peerKey)
	}
	transport := peer.NewTransport(p.calling)
	p.transports = append(p.transports, transport)
	return base, transport, nil
}
