package trial

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
)

// The ports of FreeAddress, below those that systems give to clients: from 32768 on Linux, 49152 elsewhere.
const (
	firstPort = 15000
	lastPort  = 32000
)

// reserved holds the UDP sockets of the ports that FreeAddress has returned.
var reserved struct {
	sync.Mutex
	sockets []net.PacketConn
}

// FreeAddress returns an address of loopback where nothing listens, for a process that is restarted at it. Its port is
// none that the system gives to the connections of clients, which would otherwise take it while the process is down.
// Nor do other tests get it before this process ends: the port is taken for UDP, which leaves it free for TCP.
func FreeAddress() (string, error) {
	var failed error
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", firstPort+rand.IntN(lastPort-firstPort))
		socket, err := net.ListenPacket("udp", address)
		if err != nil {
			failed = err
			continue
		}
		listener, err := net.Listen("tcp", address)
		if err != nil {
			failed = errors.Join(err, socket.Close())
			continue
		}
		reserved.Lock()
		reserved.sockets = append(reserved.sockets, socket)
		reserved.Unlock()
		return address, listener.Close()
	}
	return "", errors.Join(errors.New("no free port"), failed)
}

// ClosedAddress returns an address of loopback where nothing listens until the test ends: its port is one end of a
// connection, so that nobody else gets it.
func ClosedAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	connection, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return connection.LocalAddr().String()
}
