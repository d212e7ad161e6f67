package mongostore

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
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
	in := make(bson.A, len(ids))
	for i, id := range ids {
		in[i] = uuidBinary(id)
	}
	selected := bson.D{{Key: versionField, Value: 1}, {Key: ownerField, Value: 1}}
	for _, path := range paths {
		selected = append(selected, bson.E{Key: path, Value: 1})
	}
	filter := bson.D{{Key: idField, Value: bson.D{{Key: "$in", Value: in}}}}
	// One more, so that the first batch is the last.
	how := options.Find().SetProjection(selected).SetBatchSize(int32(len(ids) + 1))
	if who.Name() != "" {
		filter, how = append(bson.D{ownedBy(who.Name())}, filter...), how.SetHint(ownerIndex)
	}
	cursor, err := c.docs.Find(ctx, filter, how)
	if err != nil {
		return unavailable(ctx, err)
	}
	defer func() { _ = cursor.Close(ctx) }()
	for cursor.Next(ctx) {
		var part struct {
			ID      bson.Binary `bson:"_id"`
			Version int64       `bson:"v"`
			Owner   string      `bson:"o"`
			Body    bson.Raw    `bson:"body"`
		}
		if err := bson.Unmarshal(cursor.Current, &part); err != nil {
			return unavailable(ctx, err)
		}
		if part.Version == tombstone || !seenBy(who, part.Owner) {
			continue
		}
		if err := use(uuid.UUID(part.ID.Data), part.Body); err != nil {
			return err
		}
	}
	if err := cursor.Err(); err != nil {
		return unavailable(ctx, err)
	}
	return nil
}

func (c *collection) OwnerAfter(ctx context.Context, who organisation.ID, after string) (string, error) {
	if err := who.CheckUnnamed(); err != nil {
		return "", err
	}
	var r record
	err := decode(c.docs.FindOne(ctx, bson.D{{Key: ownerField, Value: bson.D{{Key: "$gt", Value: after}}}},
		options.FindOne().SetHint(ownerIndex).SetSort(bson.D{{Key: ownerField, Value: 1}}).
			SetProjection(bson.D{{Key: ownerField, Value: 1}})), &r)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return "", nil
	}
	if err != nil {
		return "", unavailable(ctx, err)
	}
	return r.Owner, nil
}
