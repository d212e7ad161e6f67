package trial

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// The ports of FreeAddress, below those that systems give to clients: from 32768 on Linux, 49152 elsewhere.
const (
	firstPort = 15000
	lastPort  = 32000
)

// FreeAddress returns an address of loopback where nothing listens, for a process that is restarted at it. Its port is
// none that the system gives to the connections of clients, which would otherwise take it while the process is down.
func FreeAddress() (string, error) {
	var failed error
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", firstPort+rand.IntN(lastPort-firstPort))
		listener, err := net.Listen("tcp", address)
		if err == nil {
			return address, listener.Close()
		}
		failed = err
	}
	return "", errors.Join(errors.New("no free port"), failed)
}
