package deadletters

import (
	"context"
	"io"
	"net"

	"github.com/spf13/cobra"
)

// CommandOver returns the command for brokers to which dial opens connections.
func CommandOver(
	dial func(ctx context.Context, network, address string) (net.Conn, error), environ []string, out io.Writer,
) *cobra.Command {
	return (&program{environ: environ, out: out, notes: io.Discard, dial: dial}).command()
}
