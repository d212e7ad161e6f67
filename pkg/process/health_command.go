package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"insurance.example/exchange/pkg/patience"
	"insurance.example/exchange/pkg/setting"
)

// healthPatience bounds the command health. It is longer than a readiness check may take.
const healthPatience = checkTimeout + time.Second

// healthCommand returns the command that asks a running program for its readiness. It reads the same settings as the
// program, and so finds it: an image without a shell and without curl checks itself with it.
func healthCommand(program string, read func() ([]setting.Ignored, error), own *Settings) *cobra.Command {
	return &cobra.Command{
		Use: "health", Short: "Ask the running " + program + " whether it is ready; the exit status is 0 if it is",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if _, err := read(); err != nil {
				return err
			}
			patience.Set(own.Patience)
			return askReadiness(command.Context(), own.Admin, command.OutOrStdout())
		},
	}
}

// askReadiness writes the report of the process whose admin address is given. It fails if the process is not ready, and
// if it cannot be asked.
func askReadiness(ctx context.Context, admin string, out io.Writer) error {
	if admin == "" {
		return errors.New("setting admin-addr: without that address there is no health to ask for; give --admin-addr")
	}
	host, port, err := net.SplitHostPort(admin)
	if err != nil {
		return fmt.Errorf("setting admin-addr: %w", err)
	}
	if port == "0" {
		return errors.New(
			"setting admin-addr: nobody knows which port 0 became; give the process a port with --admin-addr")
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	ctx, cancel := context.WithTimeout(ctx, patience.Times(healthPatience))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("setting admin-addr: %w", err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("not running, or not at this address: %w", err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(out, response.Body); err != nil {
		return fmt.Errorf("reading %s: %w", request.URL, err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s responds with %s", request.URL, response.Status)
	}
	return nil
}

// resolved returns a function that reads the settings of a command. It returns the variables that are ignored.
func (g Program) resolved(command *cobra.Command, defaults error, environ []string) func() ([]setting.Ignored, error) {
	return func() ([]setting.Ignored, error) {
		if defaults != nil {
			return nil, defaults
		}
		return setting.Resolve(command.PersistentFlags(), environ, append(SharedSettings(), g.Foreign...))
	}
}
