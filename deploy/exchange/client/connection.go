package client

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"insurance.example/exchange/pkg/patience"
)

// connection holds the flags that say how to reach the exchange.
type connection struct {
	url, token, tokenFile, data, org string
	timeout, retryFor                time.Duration
	verbose                          bool
	// changed reports whether a flag was given.
	changed func(name string) bool
	// given returns the flags that a further command needs to reach the same exchange, each after a blank: those
	// that were given, but for the token itself.
	given func() string
}

// Exchange sends a request and returns the body of the response, which was a success. Its errors are for Report, and
// the one of the context.
type Exchange func(ctx context.Context, r Request) ([]byte, error)

// Connect declares the flags of a command that say how to reach the exchange. connect is called when the command runs.
func Connect(around Surroundings, command *cobra.Command) (connect func() (Exchange, error)) {
	p := newProgram(around)
	c := p.registerConnection(command)
	return func() (Exchange, error) {
		call, err := p.call(c)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, r Request) ([]byte, error) {
			got, err := call.send(ctx, r)
			return got.body, err
		}, nil
	}
}

// DefaultURL is where an exchange on this machine listens unless something else is said.
const DefaultURL = "http://127.0.0.1:8080"

func (p *program) registerConnection(command *cobra.Command) *connection {
	var c connection
	flags := command.Flags()
	flags.StringVar(&c.url, "url", cmp.Or(p.variable("EXCHANGE_URL"), DefaultURL), "URL of the exchange (EXCHANGE_URL)")
	flags.StringVar(&c.token, "token", "",
		"bearer token (EXCHANGE_TOKEN, which other users of this machine cannot see)")
	flags.StringVar(&c.tokenFile, "token-file", "", "file with the bearer token, read again for each request")
	flags.StringVar(&c.data, "data", cmp.Or(p.variable("EXCHANGE_DATA"), "data"),
		"data folder of an exchange on this machine: its keys issue the token if none is given (EXCHANGE_DATA)")
	flags.StringVar(&c.org, "org", p.variable("EXCHANGE_ORG"),
		"organisation that a token issued with these keys names, where organisations share the exchange (EXCHANGE_ORG)")
	flags.DurationVar(&c.timeout, "timeout", 30*time.Second,
		"how long one request may take; like retry-for, EXCHANGE_PATIENCE times as long on slow machines")
	flags.DurationVar(&c.retryFor, "retry-for", 30*time.Second, "how long an outage is waited for, 0 for not at "+
		"all; an exchange that never responded is given up after 3s unless this is given")
	flags.BoolVarP(&c.verbose, "verbose", "v", false, "log each request on stderr")
	command.MarkFlagsMutuallyExclusive("token", "token-file")
	c.changed = flags.Changed
	c.given = func() (words string) {
		for _, name := range []string{"url", "data", "org", "token-file"} {
			if f := flags.Lookup(name); f.Changed {
				words += " --" + name + " " + Quoted(f.Value.String())
			}
		}
		return words
	}
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage("%v", err) })
	return &c
}

// patient returns the connection with longer bounds, where none were given, as EXCHANGE_PATIENCE says.
func (p *program) patient(c *connection) (*connection, error) {
	text := p.variable("EXCHANGE_PATIENCE")
	if text == "" {
		return c, nil
	}
	times, err := strconv.ParseInt(text, 10, 64)
	if err != nil || times < 1 || times > patience.Most {
		return nil, usage("EXCHANGE_PATIENCE is %q; give a whole number from 1 to %d", text, patience.Most)
	}
	patience.Set(times)
	slow := *c
	for name, bound := range map[string]*time.Duration{"timeout": &slow.timeout, "retry-for": &slow.retryFor} {
		if !c.changed(name) {
			*bound = patience.Times(*bound)
		}
	}
	return &slow, nil
}

var plain = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// Quoted returns a word as a shell reads it.
func Quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// call returns a caller of the exchange that the flags name.
func (p *program) call(c *connection) (*caller, error) {
	base, err := url.Parse(c.url)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, usage("--url %q is no http or https URL", c.url)
	}
	if c, err = p.patient(c); err != nil {
		return nil, err
	}
	if c.timeout <= 0 || c.retryFor < 0 {
		return nil, usage("--timeout must be greater than 0, and --retry-for not less")
	}
	base.Path, base.RawQuery, base.Fragment = strings.TrimRight(base.Path, "/"), "", ""
	log := newLog(p.Err, c.verbose)
	token, from, err := p.tokens(c, base)
	if err != nil {
		return nil, err
	}
	log.Debug("calling the exchange", "url", base.String(), "token", from)
	return newCaller(base, token, c, p, log), nil
}

// tokens returns a function that returns the token for a request, or "" for none. from says in words where the token
// comes from.
func (p *program) tokens(c *connection, base *url.URL) (token func() (string, error), from string, err error) {
	fixed := func(token string) func() (string, error) {
		return func() (string, error) { return strings.TrimSpace(token), nil }
	}
	switch {
	case c.token != "":
		return fixed(c.token), "from --token", nil
	case c.tokenFile != "":
		return func() (string, error) {
			text, err := os.ReadFile(c.tokenFile)
			return strings.TrimSpace(string(text)), err
		}, "from " + c.tokenFile, nil
	case p.variable("EXCHANGE_TOKEN") != "":
		return fixed(p.variable("EXCHANGE_TOKEN")), "from EXCHANGE_TOKEN", nil
	case !onThisMachine(base.Hostname()):
		return fixed(""), "none: there is no --token, and keys in " + c.data + " are not used for other machines", nil
	}
	local := &localToken{issue: func() (string, error) { return p.IssueToken(c.data, c.org) }}
	first, err := local.current()
	switch {
	case err != nil:
		return nil, "", fmt.Errorf("issuing a token with the keys in %s: %w", c.data, err)
	case first == "":
		return fixed(""), "none: there is no --token, and there are no keys in " + c.data, nil
	}
	return local.current, "issued with the keys in " + c.data, nil
}

func onThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// localToken issues tokens that are valid for an hour. Each is used for half an hour.
type localToken struct {
	issue func() (string, error)

	mu    sync.Mutex
	token string
	until time.Time
}

func (l *localToken) current() (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Now().Before(l.until) {
		return l.token, nil
	}
	token, err := l.issue()
	if err != nil {
		return "", err
	}
	l.token, l.until = token, time.Now().Add(30*time.Minute)
	return token, nil
}
