package allinone

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/deploy/exchange/local"
	"insurance.example/exchange/gateway/console"
	"insurance.example/exchange/pkg/process"
)

// openConsole gives the console what only an exchange that issues its own tokens has: a link that signs a person in,
// and the command that fills an empty exchange.
func (r *runner) openConsole(p *process.Process) {
	if !console.Built() {
		return
	}
	r.link = newLink(func() (string, error) {
		return local.IssueToken(r.data, p.Settings.OrganisationClaim, r.organisation)
	}, time.Now)
	r.gateway.Console = map[string]http.Handler{
		signInPath: r.link,
		seedPath:   seed(func(ctx context.Context, token string) error { return fill(ctx, p.URL(), token) }),
	}
}

// consoleLink returns a link to the console of the exchange at a URL, or "" if there is none.
func (r *runner) consoleLink(base string) string {
	if r.link == nil {
		return ""
	}
	return r.link.URL(base)
}

// fill runs the command exchange seed for the exchange at a URL, as the caller with a token.
func fill(ctx context.Context, base, token string) error {
	var said bytes.Buffer
	for _, command := range client.Commands(client.Surroundings{
		Environ: []string{"EXCHANGE_URL=" + base, "EXCHANGE_TOKEN=" + token},
		In:      strings.NewReader(""), Out: io.Discard, Err: io.Discard,
	}) {
		if command.Name() != "seed" {
			continue
		}
		command.SilenceErrors, command.SilenceUsage = true, true
		command.SetArgs([]string{}) // nil stands for those of this process
		if err := command.ExecuteContext(ctx); err != nil {
			client.Report(&said, err)
			return errors.New(strings.TrimSpace(said.String()))
		}
	}
	return nil
}
