package mongostore

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/mongostore/internal/bsonjson"
	"insurance.example/exchange/pkg/organisation"
)

// formerRecord is a former version of a document as MongoDB holds it, in a collection of its own. Its _id makes sure
// that it is written once.
type formerRecord struct {
	// ID is the document's id and then the version, so that the versions of a document are read in order along the
	// index of the _id, which every collection has.
	ID bson.Binary `bson:"_id"`
	// Document is the document's id again. All former versions of a document are on the shard that it names.
	Document bson.Binary   `bson:"doc"`
	Version  int64         `bson:"v"`
	Key      string        `bson:"key,omitempty"`
	Body     bsonjson.Text `bson:"body"`
	State    bsonjson.Text `bson:"state,omitempty"`
	// Digest is the digest of the version; absent for none.
	Digest docstore.Digest `bson:"h,omitempty"`
	// Owner is the owner of the document; absent for none.
	Owner string `bson:"o,omitempty"`
}

// The names of a former version's fields in filters and indexes, besides _id and v.
const (
	documentField  = "doc"
	formerKeyField = "key"
	bodyField      = "body"
)

// historySuffix ends the name of the collection of the former versions. The name of no other collection has a dot.
const historySuffix = ".history"

// formerKeyIndex is the name of the index of the former versions that have a key.
const formerKeyIndex = "by_key"

// ensureHistory creates the index of the former versions if it is missing, and waits until it is built.
func (c *collection) ensureHistory(ctx context.Context) error {
	keys := bson.D{{Key: documentField, Value: 1}, {Key: formerKeyField, Value: 1}, {Key: versionField, Value: -1}}
	return createIndexes(ctx, c.history, indexModel(formerKeyIndex, keys, hasText(formerKeyField)))
}

// formerID returns the _id of a former version.
func formerID(id uuid.UUID, version int64) bson.Binary {
	return bson.Binary{Data: binary.BigEndian.AppendUint64(id[:], uint64(version))}
}

// keepFormer writes a former version, if there is one to be kept. It comes before the replacement: if that does not
// follow, the former version is still what the document was.
func (c *collection) keepFormer(ctx context.Context, of docstore.Document, former *docstore.Former) error {
	if former == nil {
		return nil
	}
	kept := formerRecord{
		ID: formerID(of.ID, former.Version), Document: uuidBinary(of.ID), Version: former.Version,
		Key: former.Key, Body: former.Body, State: former.State, Digest: former.Digest, Owner: of.Owner,
	}
	err := retried(ctx, func() error {
		_, err := c.history.InsertOne(ctx, kept)
		return err
	})
	if err == nil {
		return nil
	}
	if mongo.IsDuplicateKeyError(err) {
		return c.addDigest(ctx, kept)
	}
	// It does not matter whose insert it was: the version is the same.
	_, unsettled := c.Former(ctx, organisation.Exchange(), of.ID, former.Version)
	if unsettled != nil {
		return unavailable(ctx, errors.Join(err, unsettled))
	}
	return nil
}

// addDigest gives a former version its digest if it lacks it, because a replica of a release without digests was the
// first to keep it, and came too late with its replacement.
func (c *collection) addDigest(ctx context.Context, former formerRecord) error {
	if len(former.Digest) == 0 {
		return nil
	}
	filter := bson.D{
		{Key: documentField, Value: former.Document}, {Key: idField, Value: former.ID},
		{Key: digestField, Value: bson.D{{Key: "$exists", Value: false}}},
	}
	_, err := updated(ctx, c.history, filter,
		bson.D{{Key: "$set", Value: bson.D{{Key: digestField, Value: former.Digest}}}})
	return err
}

func (c *collection) Former(
	ctx context.Context, who organisation.ID, id uuid.UUID, version int64,
) (docstore.Former, error) {
	filter := bson.D{{Key: documentField, Value: uuidBinary(id)}, {Key: idField, Value: formerID(id, version)}}
	return c.oneFormer(ctx, who, id, filter, options.FindOne())
}

func (c *collection) FormerByKey(
	ctx context.Context, who organisation.ID, id uuid.UUID, key string,
) (docstore.Former, error) {
	filter := bson.D{{Key: documentField, Value: uuidBinary(id)}, {Key: formerKeyField, Value: key}}
	return c.oneFormer(ctx, who, id, filter, options.FindOne().SetHint(formerKeyIndex).
		SetSort(bson.D{{Key: versionField, Value: -1}}).SetProjection(bson.D{{Key: bodyField, Value: 0}}))
}

func (c *collection) oneFormer(
	ctx context.Context, who organisation.ID, id uuid.UUID, filter bson.D, which *options.FindOneOptionsBuilder,
) (docstore.Former, error) {
	if sees, err := c.sees(ctx, who, id); err != nil || !sees {
		return docstore.Former{}, cmp.Or(err, docstore.ErrNotFound)
	}
	r, kept, err := one[formerRecord](ctx, c.history, filter, which)
	if err != nil {
		return docstore.Former{}, err
	}
	if !kept || who.Name() == "" && !seenBy(who, r.Owner) {
		return docstore.Former{}, docstore.ErrNotFound
	}
	return r.former(), nil
}

func (c *collection) Formers(
	ctx context.Context, who organisation.ID, id uuid.UUID, after int64, limit int,
) ([]docstore.Former, error) {
	if limit < 1 {
		return nil, unavailable(ctx, errors.New("a page of former versions needs a limit"))
	}
	if sees, err := c.sees(ctx, who, id); err != nil || !sees {
		return nil, err
	}
	filter := bson.D{
		{Key: documentField, Value: uuidBinary(id)},
		{Key: idField, Value: bson.D{
			{Key: "$gt", Value: formerID(id, max(after, 0))}, {Key: "$lte", Value: formerID(id, math.MaxInt64)},
		}},
	}
	how := options.Find().SetHint(idIndex).SetSort(inOrder).SetLimit(int64(limit)).SetBatchSize(int32(limit)).
		SetProjection(bson.D{{Key: bodyField, Value: 0}})
	var formers []docstore.Former
	left := docstore.FormersBytes
	err := each(ctx, c.history, filter, how, func(r formerRecord) (more bool, err error) {
		if who.Name() == "" && !seenBy(who, r.Owner) {
			return false, nil
		}
		if left -= len(r.State); left < 0 && len(formers) > 0 {
			return false, nil
		}
		formers = append(formers, r.former())
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return formers, nil
}

// former returns the record as readers get it.
func (r formerRecord) former() docstore.Former {
	return docstore.Former{Version: r.Version, Key: r.Key, Body: r.Body, State: r.State, Digest: r.Digest}
}
