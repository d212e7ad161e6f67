package mongo

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
)

// The wire protocol, as far as a proxy needs it: a message begins with its length, and an OP_MSG, after the header, with
// flags. One of the flags says that no reply shall be sent.
const (
	headerLength  = 16
	largestLength = 48_000_000
	opMsg         = 2013
	moreToCome    = 1 << 1
)

// serializer passes requests on, one at a time.
type serializer struct {
	backend string
	turn    sync.Mutex
}

// serve passes on the requests of one client until either side closes its connection or ctx ends.
func (s *serializer) serve(ctx context.Context, client net.Conn) {
	defer client.Close()
	server, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.backend)
	if err != nil {
		return
	}
	defer server.Close()
	defer context.AfterFunc(ctx, func() {
		_ = client.Close()
		_ = server.Close()
	})()
	requests, replies := bufio.NewReader(client), bufio.NewReader(server)
	for {
		// A whole message is read before the client gets its turn, so that a slow client does not make the others wait.
		request, err := readMessage(requests)
		if err != nil {
			return
		}
		reply, err := s.roundTrip(server, replies, request)
		if err != nil {
			return
		}
		if _, err := client.Write(reply); err != nil {
			return
		}
	}
}

// roundTrip sends a request and returns its reply, which is empty if the request gets none. Meanwhile no other request is sent.
func (s *serializer) roundTrip(server io.Writer, replies io.Reader, request []byte) ([]byte, error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	if _, err := server.Write(request); err != nil {
		return nil, err
	}
	if unanswered(request) {
		return nil, nil
	}
	return readMessage(replies)
}

// unanswered reports whether the request is one that the server does not reply to.
func unanswered(request []byte) bool {
	return binary.LittleEndian.Uint32(request[12:]) == opMsg && len(request) >= headerLength+4 &&
		binary.LittleEndian.Uint32(request[headerLength:])&moreToCome != 0
}

// readMessage reads a message, its header included.
func readMessage(r io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n < headerLength || n > largestLength {
		return nil, fmt.Errorf("a message of %d bytes", n)
	}
	message := make([]byte, n)
	copy(message, length[:])
	_, err := io.ReadFull(r, message[len(length):])
	return message, err
}
