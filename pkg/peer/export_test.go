package peer

import (
	"context"
	"net"
)

// DialBy has a transport make its connections by a function.
func (t *Transport) DialBy(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	t.dial = dial
}
