package store_test

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/wiremessage"
)

// link is one connection of a client, and the one to the server that belongs to it.
type link struct {
	proxy          *wireProxy
	client, server net.Conn

	mu sync.Mutex
	// replies are the actions that are due when the reply to a request comes, by the request's id.
	replies map[int32]wireAction
}

// close ends both directions.
func (l *link) close() {
	_ = l.client.Close()
	_ = l.server.Close()
}

// requests passes on what the client sends.
func (l *link) requests() {
	defer l.close()
	for {
		message, err := readMessage(l.client)
		if err != nil {
			return
		}
		_, id, _, _, _, _ := wiremessage.ReadHeader(message)
		command, is := parse(message)
		if !is {
			if _, err := l.server.Write(message); err != nil {
				return
			}
			continue
		}
		action := l.proxy.ask(command)
		time.Sleep(action.Delay)
		switch {
		case action.CutRequest:
			l.close()
			action.then()
			return
		case action.Reply != nil:
			_, err = l.client.Write(reply(id, action.Reply))
			action.then()
		default:
			l.mu.Lock()
			l.replies[id] = action
			l.mu.Unlock()
			_, err = l.server.Write(message)
		}
		if err != nil {
			return
		}
	}
}

// responses passes on what the server sends.
func (l *link) responses() {
	defer l.close()
	for {
		message, err := readMessage(l.server)
		if err != nil {
			return
		}
		_, _, to, _, _, _ := wiremessage.ReadHeader(message)
		l.mu.Lock()
		action := l.replies[to]
		delete(l.replies, to)
		l.mu.Unlock()
		if action.CutReply {
			l.close()
			action.then()
			return
		}
		if action.Add != nil {
			if command, is := parse(message); is {
				var body bson.D
				if err := bson.Unmarshal(command.Body, &body); err != nil {
					return
				}
				message = reply(to, append(body, action.Add...))
			}
		}
		if _, err := l.client.Write(message); err != nil {
			return
		}
		action.then()
	}
}

func (a wireAction) then() {
	if a.Then != nil {
		a.Then()
	}
}

// readMessage reads one message of MongoDB's protocol, with its header.
func readMessage(from io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(from, length[:]); err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint32(length[:])
	if size < 16 || size > 64<<20 {
		return nil, io.ErrUnexpectedEOF
	}
	message := make([]byte, size)
	copy(message, length[:])
	_, err := io.ReadFull(from, message[4:])
	return message, err
}
