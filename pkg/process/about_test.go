package process_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/setting"
)

// TestOnlySettingsThatAreNamedAreShown asks a process about itself.
func TestOnlySettingsThatAreNamedAreShown(t *testing.T) {
	for names, fault := range map[string]string{
		"window":         "",
		"window,secret":  "there is no setting secret",
		"credential":     "has a list of values",
		"window,origins": "has a list of values",
	} {
		var about process.About
		program := process.Program{Name: "claims", Flags: func(flags *pflag.FlagSet) {
			setting.SharedDuration(flags, "window", "how long")
			flags.StringSlice("origins", nil, "from where")
			var other time.Duration
			setting.DurationVar(flags, &other, "other", time.Hour, 0, "how short")
		}, Run: func(_ context.Context, p *process.Process) (err error) {
			about, err = p.About("claims", strings.Split(names, ","))
			return err
		}}
		var stderr strings.Builder
		args := []string{"--window", "48h", "--other", "3h", "--credential", "a-secret-of-the-exchange", "--max-body", "77"}
		status := program.Execute(t.Context(), args, nil, &stderr, &stderr)
		if (status == 0) != (fault == "") || !strings.Contains(stderr.String(), fault) {
			t.Errorf("%s: status %d, %s", names, status, stderr.String())
		}
		if fault != "" {
			continue
		}
		var shown []string
		for _, s := range about.Settings {
			shown = append(shown, s.Name+"="+s.Value)
		}
		if want := []string{"max-body=77", "request-timeout=15s", "client-timeout=10s", "window=48h0m0s"}; !slices.Equal(
			shown, want) {
			t.Errorf("%v is shown, not %v", shown, want)
		}
		if about.Name != "claims" || about.Version == "" || about.Commit == "" {
			t.Errorf("%+v", about)
		}
	}
}
