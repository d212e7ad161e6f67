package local

import (
	"fmt"
	"io"
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
	localIssuer   = "exchange-local"
	localAudience = "insurance-exchange"
)

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
			signer, err := auth.OpenSigner(keyFolder(data))
			if err != nil {
				return err
			}
			token, err := signer.Issue(auth.Grant{
				Subject: subject, Scopes: strings.Fields(scope), Issuer: localIssuer, Audience: []string{localAudience}, Lifetime: lifetime,
			})
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
	flags.StringVar(&scope, "scope", gateway.ScopeDeveloper+" "+gateway.ScopeAdmin, "scopes of the token, separated by spaces")
	flags.StringVar(&subject, "subject", "local", "who the token speaks for")
	flags.DurationVar(&lifetime, "lifetime", time.Hour, "how long the token is good")
	return command
}

func lookup(environ []string, name string) string {
	for _, entry := range environ {
		if value, is := strings.CutPrefix(entry, name+"="); is {
			return value
		}
	}
	return ""
}
