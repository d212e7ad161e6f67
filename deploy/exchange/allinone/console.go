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
	r.hasConsole = true
	r.gateway.Console = map[string]http.Handler{
		signInPath: links{data: r.data, now: time.Now, issue: func(subject string) (string, error) {
			return local.IssueTokenTo(subject, r.data, p.Settings.OrganisationClaim, r.organisation)
		}},
		seedPath: seed(func(ctx context.Context, token string) error {
			environ := []string{"EXCHANGE_URL=" + p.URL(), "EXCHANGE_TOKEN=" + token}
			return fill(ctx, client.Surroundings{Environ: environ, Out: io.Discard, Err: io.Discard})
		}),
	}
}

// fill runs the command exchange seed with arguments.
func fill(ctx context.Context, around client.Surroundings, args ...string) error {
	around.In = strings.NewReader("")
	var said bytes.Buffer
	for _, command := range client.Commands(around) {
		if command.Name() != "seed" {
			continue
		}
		command.SilenceErrors, command.SilenceUsage = true, true
		command.SetArgs(append([]string{}, args...)) // nil stands for those of this process
		if err := command.ExecuteContext(ctx); err != nil {
			client.Report(&said, err)
			return errors.New(strings.TrimSpace(said.String()))
		}
	}
	return nil
}
