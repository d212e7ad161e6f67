package mongostore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"insurance.example/exchange/pkg/docstore/internal/floor"
	"insurance.example/exchange/pkg/docstore/mongostore/access"
	"insurance.example/exchange/pkg/setting"
)

// ErrRefused means that MongoDB cannot be used as the settings say, and that it is of no use to try again: they
// contradict each other, name what cannot be read, or hold credentials that the server does not accept.
var ErrRefused = errors.New("mongostore: the settings of MongoDB do not work")

// refusal is an ErrRefused that says its cause only.
type refusal struct{ cause error }

func (r refusal) Error() string   { return r.cause.Error() }
func (r refusal) Unwrap() []error { return []error{ErrRefused, r.cause} }

// connectTimeout bounds how long the making of a connection may take, unless the URI says otherwise.
const connectTimeout = 5 * time.Second

// Options says how a deployment is reached.
type Options struct {
	// URI is the connection string ("mongodb://..."). The store ignores its read and write concerns.
	URI string
	// AppName is the name of this process in the server's log and monitoring. The URI may give another one.
	AppName string
	// Settings holds settings that were given apart from the URI. They override the URI.
	Settings access.Settings
}

// Open connects to the deployment and returns the database of this name, once the deployment has responded. Errors:
// ErrRefused, docstore.ErrUnavailable. None shows a secret.
func (o Options) Open(ctx context.Context, database string) (*Store, error) {
	client, timeout, err := o.connect(ctx)
	if err != nil {
		return nil, err
	}
	s := &Store{client: client, database: client.Database(database), timeout: timeout}
	s.clock, s.log = floor.NewClock(s.now), newChangeLog(s)
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := s.clock.Read(bounded); err != nil {
		return nil, errors.Join(unavailable(ctx, err), client.Disconnect(context.Background()))
	}
	s.log.work.Go(func() { s.clock.Keep(s.log.running, timeout) })
	return s, nil
}

// now asks for the time of the primary, or of the router.
func (s *Store) now(ctx context.Context) (time.Time, error) {
	var hello struct {
		LocalTime time.Time `bson:"localTime"`
	}
	err := s.database.RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}).Decode(&hello)
	return hello.LocalTime, err
}

// OpenToRead is Open for who only reads, such as somebody who looks for faults while others write: it makes nothing,
// refuses writes, and settles no page. Each read sees the database as it is then.
func (o Options) OpenToRead(ctx context.Context, database string) (*Store, error) {
	s, err := o.Open(ctx, database)
	if err != nil {
		return nil, err
	}
	s.readOnly = true
	return s, nil
}

// connect returns a client of a deployment that has responded, and the bound of one operation.
func (o Options) connect(ctx context.Context) (*mongo.Client, time.Duration, error) {
	c, timeout, err := o.clientOptions()
	// The names behind a mongodb+srv:// URI may be published later.
	if unresolved := (*net.DNSError)(nil); errors.As(err, &unresolved) {
		return nil, 0, unavailable(ctx, err)
	}
	if err != nil {
		return nil, 0, refusal{err}
	}
	client, err := mongo.Connect(c)
	if err != nil {
		return nil, 0, refusal{o.withoutSecrets(err)}
	}
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := client.Ping(bounded, readpref.Primary()); err != nil {
		return nil, 0, errors.Join(o.explain(ctx, err), client.Disconnect(context.Background()))
	}
	return client, timeout, nil
}

// clientOptions returns how a client connects, and the bound of one operation.
func (o Options) clientOptions() (*options.ClientOptions, time.Duration, error) {
	c := options.Client().ApplyURI(o.URI)
	if err := c.Validate(); err != nil {
		return nil, 0, o.withoutSecrets(err)
	}
	if err := o.Settings.Check(); err != nil {
		return nil, 0, err
	}
	timeout := o.limit(c)
	if err := errors.Join(o.secure(c), o.authenticate(c)); err != nil {
		return nil, 0, err
	}
	// A write is acknowledged once a majority has it in its journal, so that no failover undoes it. A read goes to the
	// primary and sees only such writes, so that it sees all those that were acknowledged before it.
	journaled := true
	c.SetWriteConcern(&writeconcern.WriteConcern{W: writeconcern.WCMajority, Journal: &journaled}).
		SetReadConcern(readconcern.Majority()).SetReadPreference(readpref.Primary())
	return c, timeout, nil
}

// limit sets timeouts, pools and the name of the process, and returns the bound of one operation.
func (o Options) limit(c *options.ClientOptions) time.Duration {
	if c.Timeout != nil && *c.Timeout == 0 {
		c.Timeout = nil
	}
	timeout := *firstOf(o.Settings.Timeout, c.Timeout, access.DefaultTimeout)
	// The store bounds its operations itself, because the driver ignores its own bound where a context has a later
	// one. The making of an index, which has no bound, is none of them.
	c.Timeout = nil
	c.ServerSelectionTimeout = firstOf(o.Settings.SelectionTimeout, c.ServerSelectionTimeout,
		access.DefaultSelectionTimeout)
	c.ConnectTimeout = firstOf(0, c.ConnectTimeout, connectTimeout)
	c.MaxPoolSize = firstOf(uint64(o.Settings.MaxPool), c.MaxPoolSize, 0)
	c.MinPoolSize = firstOf(uint64(o.Settings.MinPool), c.MinPoolSize, 0)
	c.MaxConnecting = firstOf(uint64(o.Settings.MaxConnecting), c.MaxConnecting, access.DefaultMaxConnecting)
	c.AppName = firstOf("", c.AppName, o.AppName)
	return timeout
}

// firstOf returns what a setting gives, else what the URI does, else a default. What is zero is not given.
func firstOf[T comparable](setting T, uri *T, otherwise T) *T {
	var none T
	switch {
	case setting != none:
		return &setting
	case uri != nil || otherwise == none:
		return uri
	}
	return &otherwise
}

// secure sets what connections are secured with, where a setting asks for it. What only the URI says stays.
func (o Options) secure(c *options.ClientOptions) error {
	config, err := o.Settings.TLSConfig()
	if err != nil || config == nil {
		return err
	}
	if given := c.TLSConfig; given != nil {
		merged := given.Clone()
		if config.RootCAs != nil {
			merged.RootCAs = config.RootCAs
		}
		if config.GetClientCertificate != nil {
			merged.GetClientCertificate = config.GetClientCertificate
		}
		config = merged
	}
	c.SetTLSConfig(config)
	return nil
}

// authenticate sets how the process logs in, where a setting asks for it. What only the URI says stays.
func (o Options) authenticate(c *options.ClientOptions) error {
	var credential options.Credential
	if c.Auth != nil {
		credential = *c.Auth
	}
	if o.Settings.X509 {
		if c.TLSConfig == nil || c.TLSConfig.GetClientCertificate == nil && len(c.TLSConfig.Certificates) == 0 {
			return fmt.Errorf("setting %s: the certificate is missing; give --%s", access.X509Setting,
				access.CertificateSetting)
		}
		c.SetAuth(options.Credential{AuthMechanism: "MONGODB-X509", AuthSource: "$external"})
		return nil
	}
	if o.Settings.User != "" {
		credential.Username = o.Settings.User
	}
	if o.Settings.PasswordFile != "" {
		if credential.Username == "" {
			return fmt.Errorf("setting %s: the user is missing; give --%s, or name it in the URL",
				access.PasswordFileSetting, access.UserSetting)
		}
		password, err := setting.Password(setting.File{
			Setting: access.PasswordFileSetting, Path: o.Settings.PasswordFile,
		})
		if err != nil {
			return err
		}
		credential.Password, credential.PasswordSet = password, true
	}
	if credential.Username == "" {
		return nil
	}
	if credential.AuthMechanism == "" && credential.Password == "" {
		return fmt.Errorf("setting %s: the password of the user %q is missing; give --%[1]s",
			access.PasswordFileSetting, credential.Username)
	}
	c.SetAuth(credential)
	return nil
}

// authenticationFailed is the code of MongoDB's refusal of a login.
const authenticationFailed = 18

// explain returns the error for a deployment that does not let this process in, or does not respond.
func (o Options) explain(ctx context.Context, err error) error {
	var answered mongo.ServerError
	if errors.As(err, &answered) && answered.HasErrorCode(authenticationFailed) {
		return refusal{fmt.Errorf(
			"MongoDB does not accept the credentials; check the user, the password and the authSource: %w",
			o.withoutSecrets(err))}
	}
	return unavailable(ctx, o.withoutSecrets(err))
}

// withoutSecrets returns an error of the driver without the password of the URI.
func (o Options) withoutSecrets(err error) error {
	for _, secret := range o.secrets() {
		if text := err.Error(); strings.Contains(text, secret) {
			err = errors.New(strings.ReplaceAll(text, secret, "..."))
		}
	}
	return err
}

// secrets returns what the password of the URI may be: what follows the user, as it is written there and as it is
// meant, and in place of the port of a host, where the @ after the password is missing.
func (o Options) secrets() (secrets []string) {
	_, rest, _ := strings.Cut(o.URI, "://")
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		_, password, _ := strings.Cut(rest[:at], ":")
		meant, _ := url.PathUnescape(password)
		secrets = append(secrets, password, meant)
	}
	hosts, _, _ := strings.Cut(rest, "/")
	for host := range strings.SplitSeq(hosts, ",") {
		_, port, _ := strings.Cut(host, ":")
		if _, err := strconv.Atoi(port); err != nil {
			secrets = append(secrets, port)
		}
	}
	return slices.DeleteFunc(secrets, func(s string) bool { return s == "" })
}

// pingTimeout bounds a Ping. It is shorter than the bound of a readiness check, which then says what is wrong.
const pingTimeout = 1500 * time.Millisecond

// Ping returns nil if the primary responds, and its clock and that of this process differ by a second at most. Its
// errors wrap docstore.ErrUnavailable.
func (s *Store) Ping(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	if err := s.client.Ping(bounded, readpref.Primary()); err != nil {
		return unavailable(ctx, err)
	}
	if err := s.clock.Check(); err != nil {
		return unavailable(ctx, err)
	}
	return nil
}
