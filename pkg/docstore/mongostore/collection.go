package mongostore

import (
	"context"
	"time"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/internal/floor"
	"insurance.example/exchange/pkg/organisation"
)

// stateless is the projection of a find that does not ask for the states.
var stateless = append(bson.D{{Key: stateField, Value: 0}, {Key: digestField, Value: 0}}, shown...)

// shown is the projection of every other read that returns documents.
var shown = bson.D{
	{Key: keysField, Value: 0}, {Key: writeField, Value: 0}, {Key: takingsField, Value: 0},
	{Key: stampField, Value: 0}, {Key: markField, Value: 0}, {Key: loggedField, Value: 0},
}

// onlyID is the projection of a read that finds out whether there is a document.
var onlyID = bson.D{{Key: idField, Value: 1}}

type collection struct {
	spec docstore.Spec
	docs *mongo.Collection
	// reservations are the reservations of the unique values of docs.
	reservations *mongo.Collection
	// history are the former versions of docs.
	history *mongo.Collection
	// stamps say what the stamps of docs stand for. This collection's own is stamp.
	stamps *mongo.Collection
	stamp  string
	// clock says how old the id of a new document may be; readOnly that none is stored.
	clock    *floor.Clock
	readOnly bool
	// log is the log of changes of the database.
	log *changeLog
	// timeout bounds what is done after a call has ended.
	timeout time.Duration
}

// ownedBy is the condition that a document has an owner, or, for the empty name, none.
func ownedBy(owner string) bson.E {
	if owner == "" {
		return bson.E{Key: ownerField, Value: nil}
	}
	return bson.E{Key: ownerField, Value: owner}
}

// sees reports whether an organisation sees the document with an id, if there is one. It asks the index of the owners
// alone. Who has no name is told so without a question.
func (c *collection) sees(ctx context.Context, who organisation.ID, id uuid.UUID) (bool, error) {
	if who.Name() == "" {
		return true, nil
	}
	_, sees, err := one[record](ctx, c.docs, bson.D{ownedBy(who.Name()), {Key: idField, Value: uuidBinary(id)}},
		options.FindOne().SetHint(ownerIndex).SetProjection(onlyID))
	return sees, err
}

// seenBy reports whether an organisation sees a document of an owner, the empty name for none. It is for what is found
// without a condition on the owner: by an organisation without a name.
func seenBy(who organisation.ID, owner string) bool { return who.All() || owner == who.Name() }

func (c *collection) Get(ctx context.Context, who organisation.ID, id uuid.UUID) (docstore.Document, error) {
	// By the id alone, a server needs no plan.
	filter, how := bson.D{{Key: idField, Value: uuidBinary(id)}}, options.FindOne().SetProjection(shown)
	if who.Name() != "" {
		filter, how = append(bson.D{ownedBy(who.Name())}, filter...), how.SetHint(ownerIndex)
	}
	r, exists, err := one[record](ctx, c.docs, filter, how)
	if err != nil {
		return docstore.Document{}, err
	}
	if !exists || r.Version == tombstone || !seenBy(who, r.Owner) {
		return docstore.Document{}, docstore.ErrNotFound
	}
	return r.document(), nil
}
