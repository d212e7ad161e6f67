package premium

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/process"
)

// TestAPeriodWithoutBrokersEndsTheStart: such a service would take receipts that never reach the bordereau.
func TestAPeriodWithoutBrokersEndsTheStart(t *testing.T) {
	for period, starts := range map[string]bool{"month": false, "": true} {
		var settings process.Settings
		flags := pflag.NewFlagSet("premium", pflag.ContinueOnError)
		settings.Register(flags)
		definition := Service().Definition()
		definition.Flags(flags)
		arguments := []string{"--credential", "the-secret-of-one-test-run"}
		if period != "" {
			arguments = append(arguments, "--bordereau-period", period)
		}
		if err := flags.Parse(arguments); err != nil {
			t.Fatal(err)
		}
		store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "premium.db"))
		if err != nil {
			t.Fatal(err)
		}
		running := process.NewProcess(settings, slog.New(slog.DiscardHandler))
		credentials, err := running.Credentials()
		if err != nil {
			t.Fatal(err)
		}
		_, err = running.Start(t.Context(), definition, process.Links{
			Store: store, Now: time.Now,
			Peer: func(name string) (peer.Config, error) {
				return peer.Config{
					Name: name, Address: "http://" + name, Handler: coverageStub, Credentials: credentials,
				}, nil
			},
		})
		if starts != (err == nil) || err != nil && (!strings.Contains(err.Error(), "bordereau-period") ||
			!strings.Contains(err.Error(), "--brokers")) {
			t.Errorf("period %q: the start says %v", period, err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}
