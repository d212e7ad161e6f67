package client_test

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"insurance.example/exchange/deploy/exchange/backup"
	"insurance.example/exchange/deploy/exchange/check"
	"insurance.example/exchange/deploy/exchange/client"
)

// TestVariablesThatAreNoSettings checks that the commands which work on the data of an exchange refuse and ignore the
// variables that its processes refuse and ignore. There is no data, which comes after the settings.
func TestVariablesThatAreNoSettings(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	for name, c := range map[string]struct {
		make      func(environ []string, notes io.Writer) *cobra.Command
		arguments []string
	}{
		"backup": {func(environ []string, notes io.Writer) *cobra.Command {
			return backup.Commands(environ, io.Discard, notes)[0]
		},
			[]string{filepath.Join(t.TempDir(), "copy"), "--data", none}},
		"restore": {func(environ []string, notes io.Writer) *cobra.Command {
			return backup.Commands(environ, io.Discard, notes)[1]
		},
			[]string{none, "--data", filepath.Join(t.TempDir(), "restored")}},
		"check": {func(environ []string, notes io.Writer) *cobra.Command {
			return check.Command(environ, io.Discard, notes)
		},
			[]string{"--data", none}},
	} {
		run := func(environ ...string) (notes string, err error) {
			var said bytes.Buffer
			command := c.make(environ, &said)
			command.SilenceErrors, command.SilenceUsage = true, true
			command.SetArgs(c.arguments)
			err = command.ExecuteContext(t.Context())
			return said.String(), err
		}
		if notes, err := run("EXCHANGE_URL=http://127.0.0.1:8080", "EXCHANGE_TOKEN=t",
			"EXCHANGE_BORDEREAU_PERIOD=month", "SHAPE=round"); notes != "" || err == nil {
			t.Errorf("%s: notes %q, error %v", name, notes, err)
		}
		if notes, err := run("EXCHANGE_SHAPE_OF_TABLE=round"); !strings.Contains(notes,
			"the variable EXCHANGE_SHAPE_OF_TABLE is ignored: ") || err == nil ||
			strings.Contains(err.Error(), "SHAPE") {
			t.Errorf("%s: notes %q, error %v", name, notes, err)
		}
		_, err := run("EXCHANGE_DATTA=here")
		if status := client.Report(io.Discard, err); status != 2 ||
			!strings.Contains(err.Error(), "did you mean EXCHANGE_DATA?") {
			t.Errorf("%s: status %d: %v", name, status, err)
		}
	}
}
