package mongostore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/internal/backfill"
)

// searchAgain is the time from one search for documents without the keys of the spec's indexes to the next. Replicas
// of an earlier release may write such documents at any time.
const searchAgain = 5 * time.Second

// stale are the documents of a collection that were written with another set of indexes. Each of its operations ends
// within timeout.
type stale struct {
	*collection
	timeout time.Duration
}

func (c *collection) Backfill() docstore.Backfill { return c.backfill.Progress() }

// Stamps asks for one document after another by the index of the stamps, so that it reads as many as there are stamps.
func (s stale) Stamps(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	var stamps []string
	// A comparison with null also selects the documents without the field.
	condition := any(nil)
	for {
		var next record
		err := decode(s.docs.FindOne(ctx, bson.D{{Key: stampField, Value: condition}},
			options.FindOne().SetHint(stampIndex).
				SetSort(bson.D{{Key: stampField, Value: 1}}).SetProjection(bson.D{{Key: stampField, Value: 1}})), &next)
		switch {
		case errors.Is(err, mongo.ErrNoDocuments) && condition != nil:
			return stamps, nil
		case err != nil && !errors.Is(err, mongo.ErrNoDocuments):
			return nil, unavailable(ctx, err)
		case err == nil && next.Stamp != s.stamp:
			stamps = append(stamps, next.Stamp)
		}
		condition = bson.D{{Key: "$gt", Value: next.Stamp}}
	}
}

// foundStale is a document as it was read, with what says whether it was changed since.
type foundStale struct {
	Record  record `bson:",inline"`
	Takings *int64 `bson:"t"`
}

// look returns what the document is compared with.
func (f foundStale) look() look {
	l := look{ID: f.Record.ID, Version: f.Record.Version, Write: f.Record.Write, Takings: f.Takings,
		Keys: map[string]string{}}
	for _, key := range f.Record.Keys {
		if value, ok := key.Value.(string); ok {
			l.Keys[key.Key] = value
		}
	}
	return l
}

// Rekey adds keys and keeps those of indexes that the spec does not have, and the stamp stands for both. So replicas
// of two releases, each with an index that the other lacks, do not undo each other's work. A document of which no
// stamp says what keys it has gets those of the spec.
func (s stale) Rekey(ctx context.Context, stamp string, derive backfill.Derive) (backfill.Batch, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	known, err := s.Labels(ctx, stamp)
	if err != nil {
		return backfill.Batch{}, err
	}
	labels := backfill.Labels(s.spec)
	if stamp != backfill.Unstamped {
		labels = backfill.Union(labels, known)
	}
	next := backfill.Stamp(labels)
	if err := s.keepStamp(ctx, next, labels); err != nil {
		return backfill.Batch{}, unavailable(ctx, err)
	}
	found, err := s.batch(ctx, stamp)
	if err != nil || len(found) == 0 {
		return backfill.Batch{}, err
	}
	batch := backfill.Batch{Read: len(found)}
	read := rekeying{collection: s.collection, known: known, derive: derive, batch: &batch}
	writes := make([]mongo.WriteModel, len(found))
	for i, f := range found {
		values, err := read.valuesOf(ctx, f)
		if err != nil {
			return backfill.Batch{}, err
		}
		// Takings are counted up, so that neither a contender nor a replacement that has read the document before
		// takes it for what it was: this is a write of the same version that may give it a value.
		update := bson.D{
			{Key: "$inc", Value: bson.D{{Key: takingsField, Value: int64(1)}}},
			{Key: "$set", Value: append(bson.D{{Key: stampField, Value: next}}, values...)},
		}
		writes[i] = mongo.NewUpdateOneModel().SetFilter(f.look().filter()).SetUpdate(update)
	}
	err = retried(ctx, func() error {
		result, err := s.docs.BulkWrite(ctx, writes, options.BulkWrite().SetOrdered(false))
		if err == nil {
			batch.Done = int(result.MatchedCount)
		}
		return err
	})
	if err != nil {
		// What was written has its new stamp, and the rest is found again.
		return backfill.Batch{}, unavailable(ctx, err)
	}
	return batch, nil
}

// batch reads documents with a stamp.
func (s stale) batch(ctx context.Context, stamp string) ([]foundStale, error) {
	condition := any(nil)
	if stamp != backfill.Unstamped {
		condition = stamp
	}
	cursor, err := s.docs.Find(ctx, bson.D{{Key: stampField, Value: condition}}, options.Find().SetHint(stampIndex).
		SetSort(bson.D{{Key: stampField, Value: 1}, {Key: idField, Value: 1}}).SetLimit(backfill.BatchLength))
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	defer func() { _ = cursor.Close(ctx) }()
	var found []foundStale
	for size := 0; size < backfill.BatchSize && cursor.Next(ctx); {
		var f foundStale
		if err := bson.Unmarshal(cursor.Current, &f); err != nil {
			return nil, unavailable(ctx, err)
		}
		size += len(f.Record.Body) + len(f.Record.State)
		found = append(found, f)
	}
	if err := cursor.Err(); err != nil {
		return nil, unavailable(ctx, err)
	}
	return found, nil
}

// rekeying finds out the keys of a batch of documents.
type rekeying struct {
	*collection
	// known are the labels that the stamp of the documents stands for.
	known  []string
	derive backfill.Derive
	batch  *backfill.Batch
}

// derived returns what is derived from a document, with keys for the caller to change. If there is nothing because of
// a failure, it takes note of the document.
func (r rekeying) derived(doc docstore.Document) (keys docstore.Keys, ok bool) {
	keys, err := r.derive(doc)
	if err != nil {
		r.batch.Lacking = append(r.batch.Lacking, backfill.Lacking{ID: doc.ID, Cause: err})
	}
	return maps.Clone(keys), err == nil
}

// valuesOf returns the fields that a document is to have: its keys.
func (r rekeying) valuesOf(ctx context.Context, found foundStale) (bson.D, error) {
	if found.Record.Version == tombstone {
		return bson.D{{Key: keysField, Value: bson.D{}}}, nil
	}
	derived, ok := r.derived(found.Record.document())
	if !ok {
		return bson.D{{Key: keysField, Value: append(bson.D{}, found.Record.Keys...)}}, nil
	}
	keys, err := r.keysOf(ctx, found, derived)
	return bson.D{{Key: keysField, Value: keys}}, err
}

// keysOf returns the keys that a document is to have: those that are derived, and those it has of indexes that the
// spec does not have. It reserves the unique values that are new, and leaves out those that another document has.
func (r rekeying) keysOf(ctx context.Context, found foundStale, derived docstore.Keys) (bson.D, error) {
	has := found.look()
	for {
		var wanted []uniqueKey
		for _, key := range uniqueKeys(r.spec, derived) {
			// What the document has in an index that was not unique, it has not reserved.
			if !has.has(key) ||
				!slices.Contains(r.known, backfill.Label(docstore.Index{Name: key.index, Unique: true})) {
				wanted = append(wanted, key)
			}
		}
		_, err := r.acquire(ctx, found.Record.ID, wanted)
		index, taken := docstore.Duplicate(err)
		if !taken && err != nil {
			return nil, err
		}
		if !taken {
			break
		}
		r.batch.Lacking = append(r.batch.Lacking, backfill.Lacking{ID: found.Record.document().ID, Cause: err})
		delete(derived, index)
	}
	keys := append(bson.D{}, keysOf(r.spec, derived)...)
	for _, key := range found.Record.Keys {
		if !r.spec.Has(key.Key) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// fillBatch is the number of documents that are marked for the log of changes together.
const fillBatch = 500

// fillLog marks the documents for the log of changes that a release without it has written, in the background, until
// the context ends. Their stamp shows them.
func (s stale) fillLog(ctx context.Context) {
	for ctx.Err() == nil {
		wait := searchAgain
		stamps, err := s.Stamps(ctx)
		for _, stamp := range stamps {
			if err == nil {
				err = s.markAll(ctx, stamp)
			}
		}
		if err != nil {
			wait = time.Second
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// markAll marks the documents with a stamp, unless it stands for the mark. It pauses after each batch for as long as
// the batch took.
func (s stale) markAll(ctx context.Context, stamp string) error {
	known, err := s.Labels(ctx, stamp)
	if err != nil || slices.Contains(known, logLabel) || stamp == backfill.Unstamped && s.spec.Keys != nil {
		return err // documents without a stamp get one with their keys
	}
	next := backfill.Union(known, []string{logLabel})
	if err := s.keepStamp(ctx, backfill.Stamp(next), next); err != nil {
		return err
	}
	for {
		began := time.Now()
		count, err := s.markBatch(ctx, stamp, backfill.Stamp(next))
		if err != nil || count == 0 {
			return err
		}
		select {
		case <-time.After(time.Since(began)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// markBatch marks some documents with a stamp and gives them another, and returns how many it found.
func (s stale) markBatch(ctx context.Context, stamp, next string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	condition := any(nil)
	if stamp != backfill.Unstamped {
		condition = stamp
	}
	cursor, err := s.docs.Find(ctx, bson.D{{Key: stampField, Value: condition}}, options.Find().SetHint(stampIndex).
		SetSort(bson.D{{Key: stampField, Value: 1}, {Key: idField, Value: 1}}).SetLimit(fillBatch).
		SetBatchSize(fillBatch+1).SetProjection(bson.D{{Key: idField, Value: 1}}))
	if err != nil {
		return 0, err
	}
	var found []record
	if err := cursor.All(ctx, &found); err != nil || len(found) == 0 {
		return 0, err
	}
	ids := make(bson.A, len(found))
	for i, r := range found {
		ids[i] = r.ID
	}
	those := bson.D{{Key: idField, Value: bson.D{{Key: "$in", Value: ids}}}, {Key: stampField, Value: condition}}
	stamped := bson.E{Key: "$set", Value: bson.D{{Key: stampField, Value: next}}}
	_, err = updateMany(ctx, s.docs, append(slices.Clone(those), bson.E{Key: versionField,
		Value: bson.D{{Key: "$gt", Value: int64(tombstone)}}}),
		bson.D{stamped, {Key: "$min", Value: bson.D{{Key: markField, Value: time.Now()}}}})
	if err == nil {
		_, err = updateMany(ctx, s.docs,
			append(slices.Clone(those), bson.E{Key: versionField, Value: int64(tombstone)}), bson.D{stamped})
	}
	return len(found), err
}
