package trial

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"insurance.example/exchange/pkg/auth"
)

// The issuer and the audience of the tokens of a local exchange.
const (
	Issuer   = "exchange-local"
	Audience = "insurance-exchange"
)

// The scopes of the interface.
const (
	Admin     = "std.admin"
	Developer = "std.developer"
)

// Exchange is a running exchange: one process, or several.
type Exchange struct {
	// Base is the URL of the gateway, without a slash at its end.
	Base string
	// Data is the folder that holds its data.
	Data string
	// Signer issues the tokens that it accepts.
	Signer *auth.Signer

	commands *Commands
	environ  []string
	order    []string // of the start
	parts    map[string]*part
	// mu guards what is in the parts, which a test may ask for while it restarts one.
	mu sync.Mutex
	// volumes hold the certificates of the processes; nil without TLS.
	volumes   *Volumes
	balancers balancers
}

// part is a process of an exchange, and the command line that starts it again.
type part struct {
	*Process
	command, address string
	args             []string
	// from holds its command.
	from *Commands
}

// Patient is a variable of every process that a test starts, and of every command: it waits for others for so long that
// no slow one counts as away.
const Patient = "EXCHANGE_PATIENCE=20"

// unhurried are variables of every process that a test starts, unless the test sets others. No request is refused or
// ended because the machine is busy: a test that is about such a limit sets it.
func unhurried() []string {
	limit := Patience.String()
	return []string{
		"EXCHANGE_REQUEST_TIMEOUT=" + limit, "EXCHANGE_CLIENT_TIMEOUT=" + limit, "EXCHANGE_OVERLOAD_LATENCY=0",
		Patient,
	}
}

// RunInOne runs the exchange as one process, with settings as in its environment (EXCHANGE_...). It is unhurried
// unless the settings say otherwise.
func (c *Commands) RunInOne(data string, settings ...string) (*Exchange, error) {
	e, err := c.exchange(data,
		slices.Concat([]string{"EXCHANGE_DATA=" + data}, unhurried(), settings))
	if err != nil {
		return nil, err
	}
	address, err := e.start("exchange", "exchange", "run")
	e.Base = "http://" + address
	return e, err
}

func (c *Commands) exchange(data string, environ []string) (*Exchange, error) {
	signer, err := auth.OpenSigner(filepath.Join(data, "keys"))
	return &Exchange{commands: c, Data: data, Signer: signer, environ: environ, parts: map[string]*part{}}, err
}

// The lines in which a process says where it listens.
var (
	banner = regexp.MustCompile(`(?m)listens on (?:https?://)?([0-9.]+:\d+)`)
	admin  = regexp.MustCompile(`"msg":"metrics and health","address":"([^"]+)"`)
	logged = regexp.MustCompile(`"msg":"listening","address":"([^"]+)"`)
)

// start starts a part on a free address, or on the one that it had, and returns the address once it listens. No client
// takes the address while the part is restarted; see FreeAddress.
func (e *Exchange) start(name, command string, args ...string) (address string, err error) {
	p := e.parts[name]
	if p == nil {
		free, err := FreeAddress()
		if err != nil {
			return "", err
		}
		p = &part{command: command, address: free, args: args, from: e.commands}
		e.parts[name], e.order = p, append(e.order, name)
	}
	started, err := Start(p.from.Path(p.command), e.environ, append(slices.Clone(p.args), "--addr", p.address)...)
	if err != nil {
		return "", err
	}
	e.mu.Lock()
	p.Process = started
	e.mu.Unlock()
	in, line := started.Stderr, logged
	if p.command == "exchange" || p.command == "kafka" {
		in, line = started.Stdout, banner
	}
	if address, err = started.Find(in, line); err != nil {
		return "", errors.Join(err, e.Kill(name))
	}
	e.mu.Lock()
	p.address = address
	e.mu.Unlock()
	return address, nil
}

// AdminAddress returns where a part serves metrics and health, as host:port.
func (e *Exchange) AdminAddress(name string) (string, error) {
	e.mu.Lock()
	p := e.parts[name].Process
	e.mu.Unlock()
	return p.Find(p.Stderr, admin)
}

// URL returns the URL of a service or gateway.
func (e *Exchange) URL(name string) string { return e.scheme() + e.Address(name) }

func (e *Exchange) scheme() string {
	if e.volumes != nil {
		return "https://"
	}
	return "http://"
}

// Address returns where a part listens, as host:port.
func (e *Exchange) Address(name string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.parts[name].address
}

// Metrics returns the metrics of a part that logs JSON, as its admin address serves them to one that accepts a media
// type.
func (e *Exchange) Metrics(t testing.TB, name, accept string) string {
	t.Helper()
	address, err := e.AdminAddress(name)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", accept)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("metrics of %s: status %d, %v", name, response.StatusCode, err)
	}
	return string(text)
}

// PID returns the process id of a part.
func (e *Exchange) PID(name string) int { return e.parts[name].PID() }

// Kill ends a part as a crash would.
func (e *Exchange) Kill(name string) error { return e.parts[name].Kill() }

// Stop asks a part to end. It returns an error unless the exit status is 0.
func (e *Exchange) Stop(name string) error { return e.parts[name].Stop() }

// Restart starts a part that has ended, with the same address and data.
func (e *Exchange) Restart(name string) error {
	_, err := e.start(name, "")
	return err
}

// RestartFrom starts a part that has ended, with the same address and data, from other commands. It is started from
// these until RestartFrom says otherwise.
func (e *Exchange) RestartFrom(name string, commands *Commands) error {
	e.parts[name].from = commands
	return e.Restart(name)
}

// Close asks every part to end, the last one started first. It returns an error unless the exit status of each is 0.
// It kills a part that does not end.
func (e *Exchange) Close() error {
	var failures []error
	for _, name := range slices.Backward(e.order) {
		failures = append(failures, e.parts[name].Stop())
	}
	return errors.Join(append(failures, e.Abandon())...)
}

// Abandon kills the parts that still run.
func (e *Exchange) Abandon() error {
	var failures []error
	for _, p := range e.parts {
		if p.Process != nil {
			failures = append(failures, p.Kill())
		}
	}
	e.balancers.close()
	return errors.Join(failures...)
}

// Logs returns the end of what each part wrote on stderr.
func (e *Exchange) Logs() string {
	var all strings.Builder
	for _, name := range e.order {
		if p := e.parts[name].Process; p != nil {
			fmt.Fprintf(&all, "--- %s\n%s\n", name, p.Stderr)
		}
	}
	return all.String()
}

// Client returns a client with a token for the subject and the scopes. The token is valid for an hour.
func (e *Exchange) Client(subject string, scopes ...string) (*Client, error) {
	return e.ClientOf(Issuer, subject, scopes...)
}

// ClientOf returns a client with a token that names an issuer.
func (e *Exchange) ClientOf(issuer, subject string, scopes ...string) (*Client, error) {
	return e.granted(auth.Grant{Subject: subject, Scopes: scopes, Issuer: issuer})
}

// Member returns a client with a token that names an organisation, in the claim org.
func (e *Exchange) Member(organisation, subject string, scopes ...string) (*Client, error) {
	return e.granted(auth.Grant{
		Subject: subject, Scopes: scopes, Issuer: Issuer, Organisation: organisation, OrganisationClaim: "org",
	})
}

func (e *Exchange) granted(to auth.Grant) (*Client, error) {
	noteCommands()
	to.Audience, to.Lifetime = []string{Audience}, time.Hour
	token, err := e.Signer.Issue(to)
	c := &Client{e.Base, "Bearer " + token, sender}
	if e.volumes != nil {
		c = c.Through(e.volumes.Transport())
	}
	return c, err
}

// Printed returns the first group of what a part has written to stdout, once it matches.
func (e *Exchange) Printed(name string, pattern *regexp.Regexp) (string, error) {
	p := e.parts[name].Process
	return p.Find(p.Stdout, pattern)
}

// Logged returns how many lines of the log of a part hold the text.
func (e *Exchange) Logged(name, text string) int {
	all, _ := e.parts[name].Stderr.read()
	return strings.Count(all, text)
}

// LinesOf returns the lines of the log of a part that are about a request, by its id.
func (e *Exchange) LinesOf(name, request string) (lines []map[string]any, err error) {
	all, _ := e.parts[name].Stderr.read()
	for text := range strings.Lines(all) {
		var line map[string]any
		if !strings.Contains(text, request) {
			continue
		}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			return nil, fmt.Errorf("the log of %s: %q: %w", name, text, err)
		}
		if line["request"] == request {
			lines = append(lines, line)
		}
	}
	return lines, nil
}
