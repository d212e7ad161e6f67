// Package local has what an exchange needs where there is neither an identity provider nor Kafka: secrets, tokens, a
// folder for its data, and a broker. It knows no service, so that a command of these parts alone stays small.
package local

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/deploy/exchange/texts"
	"insurance.example/exchange/gateway"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/setting"
)

// The claims of tokens that an exchange issues itself.
const (
	Issuer   = gateway.LocalIssuer
	Audience = "insurance-exchange"
	// OrganisationClaim is the claim that names the organisation unless something else is said.
	OrganisationClaim = "org"
	// Subject is the name of the caller unless something else is said.
	Subject       = "local"
	localLifetime = time.Hour
)

var allScopes = []string{gateway.ScopeDeveloper, gateway.ScopeAdmin}

// KeyFolder returns the folder of the keys of local tokens, in a data folder.
func KeyFolder(data string) string { return filepath.Join(data, "keys") }

// RegisterData declares the setting that names the folder of data.
func RegisterData(flags *pflag.FlagSet, data *string) {
	flags.StringVar(data, settings.Data, "data", "folder of the exchange's data")
}

// registerFolder declares the setting that names the folder of data, which the environment may have said already.
func registerFolder(flags *pflag.FlagSet, environ []string, data *string) {
	RegisterData(flags, data)
	if fromEnvironment := setting.Lookup(environ, "EXCHANGE_DATA"); fromEnvironment != "" {
		*data = fromEnvironment
		flags.Lookup(settings.Data).DefValue = *data
	}
}

//go:embed commands.yaml
var commands []byte

// described makes a command with its texts.
var described = texts.Of(commands)

// command returns a command that works on the folder of data, and takes no arguments.
func command(environ []string, name string, data *string, run func() error) *cobra.Command {
	c := described(name)
	c.Args, c.Version = cobra.NoArgs, process.CurrentBuild().String()
	c.RunE = func(*cobra.Command, []string) error { return run() }
	registerFolder(c.Flags(), environ, data)
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return setting.CommandLine(c.Flags(), err) })
	return c
}

// TokenCommand returns the command that prints a bearer token for the exchange that keeps its data in a folder.
func TokenCommand(environ []string, out io.Writer) *cobra.Command {
	var data, scope, subject, org, claim string
	var lifetime time.Duration
	var newKeys bool
	command := command(environ, "token", &data, func() error {
		if !newKeys && !hasKeys(data) {
			return noExchange(data)
		}
		if _, err := organisation.Owner(org); err != nil {
			return fmt.Errorf("--org %q: %w", org, err)
		}
		token, err := issue(data, auth.Grant{
			Subject: subject, Scopes: strings.Fields(scope), Lifetime: lifetime,
			Organisation: org, OrganisationClaim: claim,
		})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, token)
		return err
	})
	flags := command.Flags()
	flags.StringVar(&scope, "scope", strings.Join(allScopes, " "), "scopes of the token, separated by spaces")
	flags.StringVar(&subject, "subject", Subject, "name of the caller that the token identifies")
	flags.StringVar(&org, "org", "", "organisation that the caller acts for; the token names none if not given")
	flags.StringVar(&claim, "org-claim", organisationClaim(environ),
		"claim of the token that names the organisation; that which the exchange has as its org-claim")
	flags.DurationVar(&lifetime, "lifetime", localLifetime, "how long the token is valid")
	flags.BoolVar(&newKeys, "new-keys", false,
		"create the keys if the folder has none, for services in separate processes")
	return command
}

// IssueToken returns a bearer token with every scope, valid for an hour, for the exchange that keeps its data in a
// folder. It returns "" if no exchange has used the folder. A claim of the token names the organisation, if that is not
// empty.
func IssueToken(data, claim, organisation string) (string, error) {
	return IssueTokenTo(Subject, data, claim, organisation)
}

// IssueTokenTo returns a token as IssueToken does, for a caller with another name.
func IssueTokenTo(subject, data, claim, organisation string) (string, error) {
	if !hasKeys(data) {
		return "", nil
	}
	return issue(data, auth.Grant{
		Subject: subject, Scopes: allScopes, Lifetime: localLifetime, OrganisationClaim: claim,
		Organisation: organisation,
	})
}

// Issuing returns what issues a token with every scope for the exchange that keeps its data in a folder, of an
// organisation unless that is empty. The environment names the claim that says which.
func Issuing(environ []string) func(data, organisation string) (string, error) {
	claim := organisationClaim(environ)
	return func(data, organisation string) (string, error) { return IssueToken(data, claim, organisation) }
}

// organisationClaim returns the claim that names the organisation, as an environment has it.
func organisationClaim(environ []string) string {
	return cmp.Or(setting.Lookup(environ, "EXCHANGE_ORG_CLAIM"), OrganisationClaim)
}

// hasKeys reports whether a data folder has keys. It has none before the first start, and none if an identity provider
// issues the tokens.
func hasKeys(data string) bool {
	_, err := os.Stat(KeyFolder(data))
	return !errors.Is(err, fs.ErrNotExist)
}

// noExchange returns the error for a data folder without keys.
func noExchange(data string) error {
	path, err := filepath.Abs(data)
	if err != nil {
		path = data
	}
	return fmt.Errorf("no exchange that issues its own tokens keeps its data in %s; start one with exchange run, "+
		"or name the folder of a running one with --data or EXCHANGE_DATA", path)
}

func issue(data string, grant auth.Grant) (string, error) {
	signer, err := auth.OpenSigner(KeyFolder(data))
	if err != nil {
		return "", err
	}
	grant.Issuer, grant.Audience = Issuer, []string{Audience}
	return signer.Issue(grant)
}
