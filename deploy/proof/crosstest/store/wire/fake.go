package wire

import (
	"bytes"
	"encoding/binary"
	"net"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// The kind of the reply to the first greeting of a driver, which does not know yet that the server takes OP_MSG.
const (
	opReply     = 1
	replyHeader = headerSize + 20
)

// Serve starts a server of the test's own, for what no server here is, such as a router of a sharded cluster. It ends
// with the test. hello is what it adds to its greeting; handle is asked about each command that a driver does not send
// for itself, by several goroutines at once. It returns the connection string.
func Serve(t *testing.T, hello bson.D, handle func(Command) bson.D) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	greeting := append(bson.D{
		{Key: "ok", Value: 1}, {Key: "isWritablePrimary", Value: true}, {Key: "minWireVersion", Value: 0},
		{Key: "maxWireVersion", Value: 21}, {Key: "maxBsonObjectSize", Value: 16 << 20},
		{Key: "maxMessageSizeBytes", Value: 48_000_000}, {Key: "maxWriteBatchSize", Value: 100_000},
		{Key: "logicalSessionTimeoutMinutes", Value: 30},
	}, hello...)
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[conn] = true
			mu.Unlock()
			running.Go(func() {
				defer conn.Close()
				for {
					message, err := readMessage(conn)
					if err != nil {
						return
					}
					if _, err := conn.Write(replyTo(message, greeting, handle)); err != nil {
						return
					}
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		for conn := range open {
			_ = conn.Close()
		}
		mu.Unlock()
		running.Wait()
	})
	return "mongodb://" + listener.Addr().String() + "/"
}

// replyTo returns the reply to a message.
func replyTo(message []byte, greeting bson.D, handle func(Command) bson.D) []byte {
	command, is := parse(message)
	if !is {
		return oldReply(requestID(message), greeting)
	}
	switch {
	case command.Name == "hello":
		return reply(requestID(message), greeting)
	case command.own():
		return reply(requestID(message), bson.D{{Key: "ok", Value: 1}})
	}
	return reply(requestID(message), handle(command))
}

// oldReply returns the reply to a message that is no OP_MSG, which only a first greeting is.
func oldReply(to int32, body bson.D) []byte {
	message := make([]byte, replyHeader)
	encoded := bytes.Clone(reply(to, body)[headerSize+5:])
	binary.LittleEndian.PutUint32(message, uint32(replyHeader+len(encoded)))
	binary.LittleEndian.PutUint32(message[8:], uint32(to))
	binary.LittleEndian.PutUint32(message[12:], opReply)
	binary.LittleEndian.PutUint32(message[replyHeader-4:], 1) // document
	return append(message, encoded...)
}
