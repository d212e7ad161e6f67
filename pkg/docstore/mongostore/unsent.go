package mongostore

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

func (c *collection) Unsent(
	ctx context.Context, who organisation.ID, after uuid.UUID, limit int,
) ([]docstore.Document, error) {
	if err := who.CheckUnnamed(); err != nil {
		return nil, err
	}
	marked := bson.D{{Key: unsentField, Value: true},
		{Key: idField, Value: bson.D{{Key: "$gt", Value: uuidBinary(after)}}}}
	return c.list(ctx, marked, limit, 0, options.Find().SetHint(unsentIndex).SetProjection(shown).SetSort(inOrder))
}

func (c *collection) Sent(ctx context.Context, who organisation.ID, refs []docstore.Ref) (removed int, err error) {
	if err := who.CheckUnnamed(); err != nil {
		return 0, err
	}
	if len(refs) == 0 {
		return 0, nil
	}
	writes := make([]mongo.WriteModel, 0, len(refs))
	for _, ref := range refs {
		writes = append(writes, mongo.NewUpdateOneModel().SetFilter(versionOf(ref)).
			SetUpdate(bson.D{{Key: "$set", Value: bson.D{{Key: unsentField, Value: false}}}}))
	}
	_, removed, err = bulk(ctx, c.docs, writes)
	if err != nil {
		err = c.settleSent(ctx, refs, err)
	}
	return removed, err
}

// settleSent returns nil if none of the documents, at the versions named, has its mark, although the outcome of the
// write that takes the marks is unknown because of cause; else cause, as unavailable.
func (c *collection) settleSent(ctx context.Context, refs []docstore.Ref, cause error) error {
	ids, versions := make([]bson.Binary, len(refs)), make(map[uuid.UUID]int64, len(refs))
	for i, ref := range refs {
		ids[i], versions[ref.ID] = uuidBinary(ref.ID), ref.Version
	}
	still, err := all[record](ctx, c.docs, bson.D{amongIDs(ids), {Key: unsentField, Value: true}},
		options.Find().SetProjection(bson.D{{Key: versionField, Value: 1}}))
	if err != nil {
		return unavailable(ctx, errors.Join(cause, err))
	}
	for _, r := range still {
		if doc := r.document(); versions[doc.ID] == doc.Version {
			return unavailable(ctx, cause)
		}
	}
	return nil
}

// versionOf selects a document if it still is at this version.
func versionOf(ref docstore.Ref) bson.D {
	return bson.D{{Key: idField, Value: uuidBinary(ref.ID)}, {Key: versionField, Value: ref.Version}}
}
