package allinone

import (
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
	"insurance.example/exchange/gateway"
	"insurance.example/exchange/pkg/auth"
)

// What local tokens say of themselves.
const (
	localIssuer   = gateway.LocalIssuer
	localAudience = "insurance-exchange"
	localSubject  = "local"
	localLifetime = time.Hour
)

var allScopes = []string{gateway.ScopeDeveloper, gateway.ScopeAdmin}

func keyFolder(data string) string { return filepath.Join(data, "keys") }

func registerData(flags *pflag.FlagSet, data *string) {
	flags.StringVar(data, settings.Data, "data", "folder of the exchange's data")
}

// TokenCommand answers the command that prints a bearer token for the exchange that keeps its data in a folder.
func TokenCommand(environ []string, out io.Writer) *cobra.Command {
	var data, scope, subject string
	var lifetime time.Duration
	command := &cobra.Command{
		Use: "token", Short: "Print a bearer token for the exchange that runs on this machine",
		Example: `  exchange token
  exchange token --scope std.developer
  curl -H "Authorization: Bearer $(exchange token)" http://127.0.0.1:8080/vehicle`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			token, err := issue(data, auth.Grant{Subject: subject, Scopes: strings.Fields(scope), Lifetime: lifetime})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(out, token)
			return err
		},
	}
	flags := command.Flags()
	registerData(flags, &data)
	if fromEnvironment := lookup(environ, "EXCHANGE_DATA"); fromEnvironment != "" {
		data = fromEnvironment
		flags.Lookup(settings.Data).DefValue = data
	}
	flags.StringVar(&scope, "scope", strings.Join(allScopes, " "), "scopes of the token, separated by spaces")
	flags.StringVar(&subject, "subject", localSubject, "who the token speaks for")
	flags.DurationVar(&lifetime, "lifetime", localLifetime, "how long the token is good")
	return command
}

// IssueToken answers a bearer token of an hour with every scope for the exchange that keeps its data in a folder; "" if
// none ever ran there.
func IssueToken(data string) (string, error) {
	if _, err := os.Stat(keyFolder(data)); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return issue(data, auth.Grant{Subject: localSubject, Scopes: allScopes, Lifetime: localLifetime})
}

func issue(data string, grant auth.Grant) (string, error) {
	signer, err := auth.OpenSigner(keyFolder(data))
	if err != nil {
		return "", err
	}
	grant.Issuer, grant.Audience = localIssuer, []string{localAudience}
	return signer.Issue(grant)
}

func lookup(environ []string, name string) string {
	for _, entry := range environ {
		if value, is := strings.CutPrefix(entry, name+"="); is {
			return value
		}
	}
	return ""
}
