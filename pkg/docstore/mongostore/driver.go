package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// The calls of the driver as the store makes them. Their errors are unavailable.

// one returns the document that a find gives first; exists is false if it gives none.
func one[T any](
	ctx context.Context, in *mongo.Collection, filter bson.D, how *options.FindOneOptionsBuilder,
) (found T, exists bool, err error) {
	err = decode(in.FindOne(ctx, filter, how), &found)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return found, false, nil
	}
	if err != nil {
		return found, false, unavailable(ctx, err)
	}
	return found, true, nil
}

// each calls a function with each document that a find gives, as long as it asks for more.
func each[T any](
	ctx context.Context, in *mongo.Collection, filter bson.D, how *options.FindOptionsBuilder,
	use func(T) (more bool, err error),
) error {
	cursor, err := in.Find(ctx, filter, how)
	if err != nil {
		return unavailable(ctx, err)
	}
	defer func() { _ = cursor.Close(ctx) }()
	for cursor.Next(ctx) {
		var value T
		if err := bson.Unmarshal(cursor.Current, &value); err != nil {
			return unavailable(ctx, err)
		}
		if more, err := use(value); err != nil || !more {
			return err
		}
	}
	if err := cursor.Err(); err != nil {
		return unavailable(ctx, err)
	}
	return nil
}

// all returns the documents that a find gives.
func all[T any](
	ctx context.Context, in *mongo.Collection, filter bson.D, how *options.FindOptionsBuilder,
) (found []T, err error) {
	err = each(ctx, in, filter, how, func(one T) (more bool, err error) {
		found = append(found, one)
		return true, nil
	})
	return found, err
}

// decode decodes the document of a result. The result would decode it through a buffer of 4 KiB, which it makes for
// each document, as a cursor does.
func decode(of *mongo.SingleResult, into any) error {
	document, err := of.Raw()
	if err != nil {
		return err
	}
	return bson.Unmarshal(document, into)
}

// updated updates a document, and reports whether a filter selected one.
func updated(ctx context.Context, in *mongo.Collection, filter, update bson.D) (done bool, err error) {
	err = retried(ctx, func() error {
		result, err := in.UpdateOne(ctx, filter, update)
		if err == nil {
			done = result.MatchedCount == 1
		}
		return err
	})
	if err != nil {
		return false, unavailable(ctx, err)
	}
	return done, nil
}

// ensure makes a document where it is missing.
func ensure(ctx context.Context, in *mongo.Collection, id string, fields bson.D) error {
	err := retried(ctx, func() error {
		_, err := in.UpdateOne(ctx, bson.D{{Key: idField, Value: id}},
			bson.D{{Key: "$setOnInsert", Value: fields}}, options.UpdateOne().SetUpsert(true))
		return err
	})
	if err == nil || mongo.IsDuplicateKeyError(err) { // another replica came first
		return nil
	}
	return unavailable(ctx, err)
}

// bulk makes several updates, in any order, and returns how many documents they selected and how many they changed,
// also where some failed. Its error is the driver's: the caller finds out what became of them.
func bulk(ctx context.Context, in *mongo.Collection, writes []mongo.WriteModel) (matched, modified int, err error) {
	err = retried(ctx, func() error {
		result, err := in.BulkWrite(ctx, writes, options.BulkWrite().SetOrdered(false))
		if result != nil {
			matched += int(result.MatchedCount)
			modified += int(result.ModifiedCount)
		}
		return err
	})
	return matched, modified, err
}

// amongIDs is the condition that a document has one of some ids.
func amongIDs[T any](ids []T) bson.E {
	return bson.E{Key: idField, Value: bson.D{{Key: "$in", Value: ids}}}
}
