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

// claim is a document's claim to a unique value. It has nothing to do with the claims of insurance. The _id of a
// claim is the value, so that one document at most claims it, on whatever shard the documents are. A document has a
// unique value only while it owns the claim to it; README.md gives the argument.
type claim struct {
	ID    string      `bson:"_id"`
	Owner bson.Binary `bson:"doc"`
	// Nonce is new whenever the claim is acquired, also when its owner acquires it again. So whoever has read the claim
	// changes it only if nobody has acquired it since.
	Nonce bson.ObjectID `bson:"n"`
}

// claimsSuffix ends the name of the collection of a collection's claims. The name of no other collection has a dot.
const claimsSuffix = ".claims"

// The names of a claim's fields.
const (
	ownerField = "doc"
	nonceField = "n"
)

// longestValue is the length in bytes up to which a value is a claim's _id as it is. Of a longer one it is the
// digest, so that the index of the claims stays small, whatever callers send.
const longestValue = 200

// claimID returns the _id of the claim to a value: "policyNumber:M-1", or "policyNumber#" and a digest. No name of an
// index has a colon or a number sign.
func claimID(index, value string) string {
	if len(value) <= longestValue {
		return index + ":" + value
	}
	sum := sha256.Sum256([]byte(value))
	return index + "#" + base64.RawURLEncoding.EncodeToString(sum[:])
}

// uniqueKey is a value that a document is to have in a unique index.
type uniqueKey struct{ index, value string }

func (k uniqueKey) claimID() string { return claimID(k.index, k.value) }

// uniqueKeys returns the unique values of a document in the order of the spec. All writers claim in this order, so
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

// acquisition is what one try to write a document has claimed. A document may be written with a unique value only on an
// acquisition of the same try, or if it has the value already.
type acquisition struct {
	claims *mongo.Collection
	owner  bson.Binary
	nonce  bson.ObjectID
	// gained are the claims that nobody or another document had before. Those that the document had claimed before stay
	// when the try fails: the document may have their values.
	gained []string
}

// acquire claims values for a document that is about to be written with them. Without contenders it is one round trip.
// Errors: *docstore.DuplicateError if another document has one of the values, in which case nothing stays claimed;
// docstore.ErrUnavailable.
func (c *collection) acquire(ctx context.Context, owner bson.Binary, keys []uniqueKey) (*acquisition, error) {
	a := &acquisition{claims: c.claims, owner: owner, nonce: bson.NewObjectID()}
	for len(keys) > 0 {
		wanted := make([]claim, len(keys))
		for i, key := range keys {
			wanted[i] = a.claim(key)
		}
		// In order: the claims before the one that is refused were made, those after it were not.
		err := retried(ctx, func() error {
			_, err := c.claims.InsertMany(ctx, wanted)
			return err
		})
		made, confirmed, refused := duplicateAt(err)
		if !refused {
			made, confirmed = len(keys), err == nil
		}
		if !confirmed {
			if err := c.settleClaims(ctx, wanted[:made], err); err != nil {
				return nil, err
			}
		}
		for _, claim := range wanted[:made] {
			a.gained = append(a.gained, claim.ID)
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

// claim returns the claim to a value as the acquisition makes it.
func (a *acquisition) claim(key uniqueKey) claim {
	return claim{ID: key.claimID(), Owner: a.owner, Nonce: a.nonce}
}

// release deletes what was gained, after the server has refused the write that it was for. It deletes nothing that was
// acquired again since. What cannot be deleted stays, and whoever wants the value takes it over: so an error is none.
func (a *acquisition) release(ctx context.Context) {
	if len(a.gained) == 0 {
		return
	}
	_, _ = a.claims.DeleteMany(ctx, bson.D{
		{Key: idField, Value: bson.D{{Key: "$in", Value: a.gained}}},
		{Key: ownerField, Value: a.owner},
		{Key: nonceField, Value: a.nonce},
	})
}

// claimed returns the claim with an _id; ok is false if there is none.
func (c *collection) claimed(ctx context.Context, id string) (current claim, ok bool, err error) {
	err = decode(c.claims.FindOne(ctx, bson.D{{Key: idField, Value: id}}), &current)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return claim{}, false, nil
	}
	return current, err == nil, err
}

// replaceClaim replaces a claim if nobody has acquired it since it was read, and reports whether it did. If the
// outcome is unknown, it reads the claim.
func (c *collection) replaceClaim(ctx context.Context, read, next claim) (bool, error) {
	filter := bson.D{
		{Key: idField, Value: read.ID}, {Key: ownerField, Value: read.Owner}, {Key: nonceField, Value: read.Nonce},
	}
	matched := int64(0)
	err := retried(ctx, func() error {
		result, err := c.claims.ReplaceOne(ctx, filter, next)
		if err == nil {
			matched = result.MatchedCount
		}
		return err
	})
	if err != nil {
		return true, c.settleClaims(ctx, []claim{next}, err)
	}
	return matched == 1, nil
}

// settleClaims returns nil if all claims are as they were written, although the outcome of their write is unknown
// because of cause; else cause, as unavailable. A write that comes late does no harm: the try that it belongs to has
// ended.
func (c *collection) settleClaims(ctx context.Context, written []claim, cause error) error {
	if len(written) == 0 {
		return nil
	}
	ids := make([]string, len(written))
	for i := range written {
		ids[i] = written[i].ID
	}
	filter := bson.D{{Key: idField, Value: bson.D{{Key: "$in", Value: ids}}}, {Key: nonceField, Value: written[0].Nonce}}
	found, err := c.claims.Find(ctx, filter, options.Find().SetProjection(bson.D{{Key: idField, Value: 1}}))
	if err != nil {
		return unavailable(ctx, errors.Join(cause, err))
	}
	var there []claim
	if err := found.All(ctx, &there); err != nil {
		return unavailable(ctx, errors.Join(cause, err))
	}
	if len(there) != len(written) {
		return unavailable(ctx, cause)
	}
	return nil
}
