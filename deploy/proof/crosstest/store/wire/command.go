package wire

import (
	"bytes"
	"encoding/binary"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Command is a command that a client sends.
type Command struct {
	// Name is the name of the command, as "insert", and Collection the collection that it is for; empty for a command
	// about no collection.
	Name, Collection string
	// Body is the command without its sequence of documents.
	Body bson.Raw
	// Documents are what it inserts, or its updates or deletes.
	Documents []bson.Raw
}

// The layout of a message of the kind OP_MSG: a header of four numbers, flags, and sections, each with its kind.
const (
	headerSize   = 16
	opMsg        = 2013
	flagChecksum = 1
	kindBody     = 0
	kindSequence = 1
)

func requestID(message []byte) int32  { return int32(binary.LittleEndian.Uint32(message[4:])) }
func responseTo(message []byte) int32 { return int32(binary.LittleEndian.Uint32(message[8:])) }

// parse reads a command, or a reply as the Body of one. It returns false for a message of another kind.
func parse(message []byte) (Command, bool) {
	if len(message) < headerSize+5 || binary.LittleEndian.Uint32(message[12:]) != opMsg {
		return Command{}, false
	}
	var c Command
	sections := message[headerSize+4:]
	if binary.LittleEndian.Uint32(message[headerSize:])&flagChecksum != 0 {
		sections = sections[:len(sections)-4]
	}
	for len(sections) > 5 {
		kind, rest := sections[0], sections[1:]
		size := int(binary.LittleEndian.Uint32(rest))
		if size < 4 || size > len(rest) {
			return Command{}, false
		}
		switch kind {
		case kindBody:
			c.Body = rest[:size]
		case kindSequence:
			_, documents, found := bytes.Cut(rest[4:size], []byte{0})
			if !found {
				return Command{}, false
			}
			for len(documents) > 4 {
				one := int(binary.LittleEndian.Uint32(documents))
				if one < 5 || one > len(documents) {
					return Command{}, false
				}
				c.Documents = append(c.Documents, documents[:one])
				documents = documents[one:]
			}
		}
		sections = rest[size:]
	}
	first, err := c.Body.IndexErr(0)
	if err != nil {
		return Command{}, false
	}
	c.Name = first.Key()
	c.Collection, _ = first.Value().StringValueOK()
	return c, true
}

// own reports whether the command is one that a driver sends for itself.
func (c Command) own() bool {
	switch c.Name {
	case "hello", "isMaster", "ismaster", "ping", "buildInfo", "endSessions", "saslStart", "saslContinue":
		return true
	}
	return false
}

// Asked returns the condition of each read, update or delete of the command, and each document that it inserts.
func (c Command) Asked() []bson.Raw {
	switch c.Name {
	case "insert":
		return c.Documents
	case "find":
		filter, _ := c.Body.Lookup("filter").DocumentOK()
		return []bson.Raw{filter}
	case "findAndModify":
		filter, _ := c.Body.Lookup("query").DocumentOK()
		return []bson.Raw{filter}
	}
	var conditions []bson.Raw
	for _, one := range c.Documents {
		condition, _ := one.Lookup("q").DocumentOK()
		conditions = append(conditions, condition)
	}
	return conditions
}

// reply returns the message with which a server replies to a request.
func reply(to int32, body bson.D) []byte {
	encoded, err := bson.Marshal(body)
	if err != nil {
		panic("a test's reply is no BSON: " + err.Error())
	}
	message := make([]byte, headerSize+5, headerSize+5+len(encoded))
	binary.LittleEndian.PutUint32(message, uint32(cap(message)))
	binary.LittleEndian.PutUint32(message[8:], uint32(to))
	binary.LittleEndian.PutUint32(message[12:], opMsg)
	return append(message, encoded...)
}
