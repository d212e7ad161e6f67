package store_test

import (
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/wiremessage"
)

// wireCommand is a command that a client sends.
type wireCommand struct {
	// Name is the name of the command, as "insert", and Collection the collection that it is for; empty for a command
	// about no collection.
	Name, Collection string
	// Body is the command without its sequence of documents.
	Body bson.Raw
	// Documents are what it inserts, or its updates or deletes.
	Documents []bson.Raw
}

// parse reads a command, or a reply as the Body of one. It returns false for a message of another kind than OP_MSG.
func parse(message []byte) (c wireCommand, is bool) {
	_, _, _, kind, rest, _ := wiremessage.ReadHeader(message)
	flags, rest, is := wiremessage.ReadMsgFlags(rest)
	if kind != wiremessage.OpMsg || !is {
		return wireCommand{}, false
	}
	if flags&wiremessage.ChecksumPresent != 0 {
		rest = rest[:len(rest)-4]
	}
	for len(rest) > 0 && is {
		var section wiremessage.SectionType
		var documents []bsoncore.Document
		if section, rest, _ = wiremessage.ReadMsgSectionType(rest); section == wiremessage.SingleDocument {
			var body bsoncore.Document
			body, rest, is = wiremessage.ReadMsgSectionSingleDocument(rest)
			c.Body = bson.Raw(body)
			continue
		}
		_, documents, rest, is = wiremessage.ReadMsgSectionDocumentSequence(rest)
		for _, document := range documents {
			c.Documents = append(c.Documents, bson.Raw(document))
		}
	}
	first, err := c.Body.IndexErr(0)
	if err != nil || !is {
		return wireCommand{}, false
	}
	c.Name = first.Key()
	c.Collection, _ = first.Value().StringValueOK()
	return c, true
}

// own reports whether the command is one that a driver sends for itself.
func (c wireCommand) own() bool {
	switch c.Name {
	case "hello", "isMaster", "ismaster", "ping", "buildInfo", "endSessions", "saslStart", "saslContinue":
		return true
	}
	return false
}

// Asked returns the condition of each read, update or delete of the command, and each document that it inserts.
func (c wireCommand) Asked() []bson.Raw {
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
	_, message := wiremessage.AppendHeaderStart(nil, 0, to, wiremessage.OpMsg)
	message = wiremessage.AppendMsgSectionType(wiremessage.AppendMsgFlags(message, 0), wiremessage.SingleDocument)
	message = append(message, encoded...)
	return bsoncore.UpdateLength(message, 0, int32(len(message)))
}
