package mongostore

import (
	"time"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/mongostore/internal/bsonjson"
)

// record is a document as MongoDB holds it. Body and state are values that MongoDB's tools can read; see package
// bsonjson.
type record struct {
	ID      bson.Binary `bson:"_id"`
	Version int64       `bson:"v"`
	// Write is new for each write of a version, so that a writer who did not hear what became of its write recognises
	// it.
	Write bson.ObjectID `bson:"w"`
	// Stamp says of which indexes the document has keys; see migrate.go.
	Stamp string        `bson:"s,omitempty"`
	Body  bsonjson.Text `bson:"body"`
	State bsonjson.Text `bson:"state,omitempty"`
	// Digest is the digest of the version; absent for none. A release without digests drops it, or leaves it as it is.
	Digest docstore.Digest `bson:"h,omitempty"`
	// Keys are written and searched. Only a contender for a unique value reads them back.
	Keys   bson.D `bson:"k,omitempty"`
	Unsent bool   `bson:"unsent"`
	// Owner is the organisation that the document belongs to; absent for none.
	Owner string `bson:"o,omitempty"`
	// Marked is the instant of the first write that the log of changes may lack; nil if the log has no such documents.
	Marked *time.Time `bson:"i,omitempty"`
}

// tombstone is the version of what lies in the place of a document that will never be: see bury. No read returns it.
const tombstone = 0

// The names of a record's fields in filters, updates and indexes.
const (
	idField      = "_id"
	versionField = "v"
	stateField   = "state"
	digestField  = "h"
	writeField   = "w"
	stampField   = "s"
	// takingsField counts how often a contender took a value from this version of the document, see countTaking, and
	// how often the version got the keys of new indexes.
	takingsField = "t"
	keysField    = "k"
	unsentField  = "unsent"
	ownerField   = "o"
	// markField is the mark of a document whose last versions the log lacks, and loggedField the last version that the
	// log has; absent for none.
	markField   = "i"
	loggedField = "g"
)

// keyField is the field of an index's values.
func keyField(index string) string { return keysField + "." + index }

// recordOf returns the document, at the version it is to have, as a record.
func (c *collection) recordOf(doc docstore.Document, version int64) record {
	r := record{
		ID: uuidBinary(doc.ID), Version: version, Write: bson.NewObjectID(), Stamp: c.stamp, Body: doc.Body,
		State: doc.State, Digest: doc.Digest,
		Keys: keysOf(c.spec, doc.Keys), Unsent: doc.Unsent, Owner: doc.Owner,
	}
	if !c.spec.Unlogged {
		r.Marked = new(time.Now())
	}
	return r
}

// replacement returns the update that puts the record in the place of another version. The mark keeps the earliest
// instant: a sequencer may take it off at the same time, with the version that the log has.
func (r record) replacement() (bson.D, error) {
	encoded, err := bson.Marshal(r)
	if err != nil {
		return nil, err
	}
	elements, err := bson.Raw(encoded).Elements()
	if err != nil {
		return nil, err
	}
	set := make(bson.D, 0, len(elements))
	absent := bson.D{{Key: takingsField, Value: ""}}
	for _, field := range []string{stateField, digestField, keysField} {
		if _, err := bson.Raw(encoded).LookupErr(field); err != nil {
			absent = append(absent, bson.E{Key: field, Value: ""})
		}
	}
	for _, element := range elements {
		if key := element.Key(); key != idField && key != markField {
			set = append(set, bson.E{Key: key, Value: element.Value()})
		}
	}
	update := bson.D{{Key: "$set", Value: set}, {Key: "$unset", Value: absent}}
	if r.Marked != nil {
		update = append(update, bson.E{Key: "$min", Value: bson.D{{Key: markField, Value: r.Marked}}})
	}
	return update, nil
}

// keysOf returns the values of the indexes, in the order of the spec.
func keysOf(spec docstore.Spec, values docstore.Keys) bson.D {
	var keys bson.D
	for _, index := range spec.Indexes {
		if value, ok := values[index.Name]; ok {
			keys = append(keys, bson.E{Key: index.Name, Value: value})
		}
	}
	return keys
}

// document returns the record as readers get it, without its keys.
func (r record) document() docstore.Document {
	doc := docstore.Document{
		Version: r.Version, Owner: r.Owner, Body: r.Body, State: r.State, Digest: r.Digest, Unsent: r.Unsent,
	}
	copy(doc.ID[:], r.ID.Data)
	return doc
}

// uuidBinary returns a UUID as the BSON type that MongoDB's tools show as a UUID. Its values sort by their bytes.
func uuidBinary(id uuid.UUID) bson.Binary {
	return bson.Binary{Subtype: bson.TypeBinaryUUID, Data: id[:]}
}
