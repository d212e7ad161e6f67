package mongostore

import (
	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/mongostore/internal/bsonjson"
)

// record is a document as MongoDB holds it. Body and state are values that MongoDB's tools can read; see package bsonjson.
type record struct {
	ID      bson.Binary   `bson:"_id"`
	Version int64         `bson:"v"`
	Body    bsonjson.Text `bson:"body"`
	State   bsonjson.Text `bson:"state,omitempty"`
	// Keys are written and searched, never read back.
	Keys   bson.D `bson:"k,omitempty"`
	Unsent bool   `bson:"unsent"`
}

// The names of a record's fields in filters and indexes.
const (
	idField      = "_id"
	versionField = "v"
	keysField    = "k"
	unsentField  = "unsent"
)

// keyField is the field of an index's values.
func keyField(index string) string { return keysField + "." + index }

// recordOf returns the document, at the version it is to have, as a record.
func recordOf(spec docstore.Spec, doc docstore.Document, version int64) record {
	return record{
		ID: binary(doc.ID), Version: version, Body: doc.Body, State: doc.State,
		Keys: keysOf(spec, doc), Unsent: doc.Unsent,
	}
}

// keysOf returns the values of the indexes. MongoDB counts an absent field as null, and a unique index lets only one document
// have null. So the field of a unique index is never absent: without a key it holds the document's own id. No other
// document has this id, and no key can be equal to it, because keys are strings and the id is binary.
func keysOf(spec docstore.Spec, doc docstore.Document) bson.D {
	var keys bson.D
	for _, index := range spec.Indexes {
		if value, ok := doc.Keys[index.Name]; ok {
			keys = append(keys, bson.E{Key: index.Name, Value: value})
		} else if index.Unique {
			keys = append(keys, bson.E{Key: index.Name, Value: binary(doc.ID)})
		}
	}
	return keys
}

// document returns the record as readers get it, without its keys.
func (r record) document() docstore.Document {
	doc := docstore.Document{Version: r.Version, Body: r.Body, State: r.State, Unsent: r.Unsent}
	copy(doc.ID[:], r.ID.Data)
	return doc
}

// binary returns a UUID as the BSON type that MongoDB's tools show as a UUID. Its values sort by their bytes.
func binary(id uuid.UUID) bson.Binary {
	return bson.Binary{Subtype: bson.TypeBinaryUUID, Data: id[:]}
}
