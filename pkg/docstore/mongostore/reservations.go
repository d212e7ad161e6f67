package mongostore

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
)

// reservation is a document's reservation of a unique value. The _id of a reservation is the value, so that one
// document at most reserves it, on whatever shard the documents are. A document has a unique value only while it owns
// the reservation of it; README.md gives the argument.
type reservation struct {
	ID    string      `bson:"_id"`
	Owner bson.Binary `bson:"doc"`
	// Nonce is new whenever the reservation is acquired, also when its owner acquires it again. So a writer that has
	// read the reservation changes it only if nobody has acquired it since.
	Nonce bson.ObjectID `bson:"n"`
}

// reservationsSuffix ends the name of the collection of a collection's reservations. The name of no other collection
// has a dot.
const reservationsSuffix = ".claims"

// The names of a reservation's fields.
const (
	holderField = "doc"
	nonceField  = "n"
)

// longestValue is the length in bytes up to which a value is a reservation's _id as it is. Of a longer one it is the
// digest, so that the index of the reservations stays small, whatever callers send.
const longestValue = 200

// reservationID returns the _id of the reservation of a value: "policyNumber:M-1", or "policyNumber#" and a digest. No
// name of an index has a colon or a number sign.
func reservationID(index, value string) string {
	if len(value) <= longestValue {
		return index + ":" + value
	}
	sum := sha256.Sum256([]byte(value))
	return index + "#" + base64.RawURLEncoding.EncodeToString(sum[:])
}

// uniqueKey is a value that a document is to have in a unique index.
type uniqueKey struct{ index, value string }

func (k uniqueKey) reservationID() string { return reservationID(k.index, k.value) }

// uniqueKeys returns the unique values of a document in the order of the spec. All writers reserve in this order, so
// that two that want the same values do not wait for each other.
func uniqueKeys(spec docstore.Spec, keys docstore.Keys) []uniqueKey {
	var unique []uniqueKey
	for _, index := range spec.Indexes {
		if value, ok := keys[index.Name]; ok && index.Unique {
			unique = append(unique, uniqueKey{index.Name, value})
		}
	}
	return unique
}

// acquisition is what one try to write a document has reserved. A document may be written with a unique value only on
// an acquisition of the same try, or if it has the value already.
type acquisition struct {
	reservations *mongo.Collection
	owner        bson.Binary
	nonce        bson.ObjectID
	// gained are the reservations that nobody or another document had before. Those that the document had reserved
	// before stay when the try fails: the document may have their values.
	gained []string
}

// acquire reserves values for a document that is about to be written with them. Without contenders it is one round
// trip. Errors: *docstore.DuplicateError if another document has one of the values, in which case nothing stays
// reserved; docstore.ErrUnavailable.
func (c *collection) acquire(ctx context.Context, owner bson.Binary, keys []uniqueKey) (*acquisition, error) {
	a := &acquisition{reservations: c.reservations, owner: owner, nonce: bson.NewObjectID()}
	for len(keys) > 0 {
		wanted := make([]reservation, len(keys))
		for i, key := range keys {
			wanted[i] = a.reservation(key)
		}
		// In order: the reservations before the one that is refused were made, those after it were not.
		err := retried(ctx, func() error {
			_, err := c.reservations.InsertMany(ctx, wanted)
			return err
		})
		made, confirmed, refused := duplicateAt(err)
		if !refused {
			made, confirmed = len(keys), err == nil
		}
		if !confirmed {
			if err := c.settleReservations(ctx, wanted[:made], err); err != nil {
				return nil, err
			}
		}
		for _, reservation := range wanted[:made] {
			a.gained = append(a.gained, reservation.ID)
		}
		if !refused {
			break
		}
		if err := c.contest(ctx, a, keys[made]); err != nil {
			if _, duplicate := docstore.Duplicate(err); duplicate {
				a.release(ctx)
			}
			return nil, err
		}
		keys = keys[made+1:]
	}
	return a, nil
}

// reservation returns the reservation of a value as the acquisition makes it.
func (a *acquisition) reservation(key uniqueKey) reservation {
	return reservation{ID: key.reservationID(), Owner: a.owner, Nonce: a.nonce}
}

// release deletes the reservations gained for a write that the server has refused. It deletes none that was acquired
// again since. It returns no error: a reservation that cannot be deleted stays, and the next writer that wants the
// value takes it over.
func (a *acquisition) release(ctx context.Context) {
	if len(a.gained) == 0 {
		return
	}
	_, _ = a.reservations.DeleteMany(ctx, bson.D{
		amongIDs(a.gained),
		{Key: holderField, Value: a.owner},
		{Key: nonceField, Value: a.nonce},
	})
}

// reserved returns the reservation with an _id; ok is false if there is none.
func (c *collection) reserved(ctx context.Context, id string) (current reservation, ok bool, err error) {
	return one[reservation](ctx, c.reservations, bson.D{{Key: idField, Value: id}}, options.FindOne())
}

// replaceReservation replaces a reservation if nobody has acquired it since it was read, and reports whether it did. If
// the outcome is unknown, it reads the reservation.
func (c *collection) replaceReservation(ctx context.Context, read, next reservation) (bool, error) {
	filter := bson.D{
		{Key: idField, Value: read.ID}, {Key: holderField, Value: read.Owner}, {Key: nonceField, Value: read.Nonce},
	}
	matched := int64(0)
	err := retried(ctx, func() error {
		result, err := c.reservations.ReplaceOne(ctx, filter, next)
		if err == nil {
			matched = result.MatchedCount
		}
		return err
	})
	if err != nil {
		return true, c.settleReservations(ctx, []reservation{next}, err)
	}
	return matched == 1, nil
}

// settleReservations returns nil if all reservations are as they were written, although the outcome of their write is
// unknown because of cause; else cause, as unavailable. A write that comes late does no harm: the try that it belongs
// to has ended.
func (c *collection) settleReservations(ctx context.Context, written []reservation, cause error) error {
	if len(written) == 0 {
		return nil
	}
	ids := make([]string, len(written))
	for i := range written {
		ids[i] = written[i].ID
	}
	filter := bson.D{amongIDs(ids), {Key: nonceField, Value: written[0].Nonce}}
	there, err := all[reservation](ctx, c.reservations, filter, options.Find().SetProjection(onlyID))
	if err != nil {
		return unavailable(ctx, errors.Join(cause, err))
	}
	if len(there) != len(written) {
		return unavailable(ctx, cause)
	}
	return nil
}
