package mongostore

import (
	"context"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore/mongostore/internal/bsonjson"
	"insurance.example/exchange/pkg/organisation"
)

func (c *collection) Texts(
	ctx context.Context, who organisation.ID, ids []uuid.UUID, member string,
) (map[uuid.UUID]string, error) {
	texts := map[uuid.UUID]string{}
	if member == "" {
		return texts, c.eachOf(ctx, who, ids, nil, func(id uuid.UUID, _ bson.Raw) error {
			texts[id] = ""
			return nil
		})
	}
	err := c.eachOf(ctx, who, ids, bsonjson.Paths(bodyField, member), func(id uuid.UUID, body bson.Raw) error {
		text, err := bsonjson.TextOf(body, member)
		if err != nil {
			return unavailable(ctx, err)
		}
		texts[id] = text
		return nil
	})
	return texts, err
}

// eachOf calls a function with the id of each document that has one of some ids, and with that of its body which the
// paths select.
func (c *collection) eachOf(
	ctx context.Context, who organisation.ID, ids []uuid.UUID, paths []string,
	use func(id uuid.UUID, body bson.Raw) error,
) error {
	if len(ids) == 0 {
		return nil
	}
	in := make([]bson.Binary, len(ids))
	for i, id := range ids {
		in[i] = uuidBinary(id)
	}
	selected := bson.D{{Key: versionField, Value: 1}, {Key: ownerField, Value: 1}}
	for _, path := range paths {
		selected = append(selected, bson.E{Key: path, Value: 1})
	}
	filter := bson.D{amongIDs(in)}
	// One more, so that the first batch is the last.
	how := options.Find().SetProjection(selected).SetBatchSize(int32(len(ids) + 1))
	if who.Name() != "" {
		filter, how = append(bson.D{ownedBy(who.Name())}, filter...), how.SetHint(ownerIndex)
	}
	return each(ctx, c.docs, filter, how, func(part bodyPart) (more bool, err error) {
		if part.Version == tombstone || !seenBy(who, part.Owner) {
			return true, nil
		}
		return true, use(uuid.UUID(part.ID.Data), part.Body)
	})
}

// bodyPart is a document of which a part of the body was read.
type bodyPart struct {
	ID      bson.Binary `bson:"_id"`
	Version int64       `bson:"v"`
	Owner   string      `bson:"o"`
	Body    bson.Raw    `bson:"body"`
}

func (c *collection) OwnerAfter(ctx context.Context, who organisation.ID, after string) (string, error) {
	if err := who.CheckUnnamed(); err != nil {
		return "", err
	}
	r, _, err := one[record](ctx, c.docs, bson.D{{Key: ownerField, Value: bson.D{{Key: "$gt", Value: after}}}},
		options.FindOne().SetHint(ownerIndex).SetSort(bson.D{{Key: ownerField, Value: 1}}).
			SetProjection(bson.D{{Key: ownerField, Value: 1}}))
	return r.Owner, err
}
