package mongostore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
)

// Each write stamps its document with the number of the collection's last migration. So documents that lack keys have
// a lower stamp, and an index finds them, whether they were there before the migration or a replica of an earlier
// release has written them since: these get their keys at the next start. This is why a release uses an index only if
// the release before has written it.

// stampsSuffix ends the name of the collection that has the migrations of a collection: the document of each stamp
// says of which indexes documents with it have keys, and another one which process migrates at present.
const stampsSuffix = ".stamps"

// stampOf returns the stamp of a collection. Releases up to v1.2.0 stamped with hexadecimal digits, which are lower.
func stampOf(spec docstore.Spec) string { return fmt.Sprintf("~%06d", spec.Migration()) }

// logLabel stands among the labels, and the names of unique indexes with an ending, as releases up to v1.2.0 read
// them: they take documents with the stamp for those of their own.
const logLabel = "(log)"

// stampRecord is what a stamp stands for. It is written once.
type stampRecord struct {
	Labels []string `bson:"indexes"`
}

// checkMigrated notes what the stamp of the collection stands for, or compares it with what is noted.
func (c *collection) checkMigrated(ctx context.Context) error {
	noted := stampRecord{}
	err := retried(ctx, func() error {
		return decode(c.stamps.FindOneAndUpdate(ctx, bson.D{{Key: idField, Value: c.stamp}}, bson.D{{
			Key: "$setOnInsert", Value: bson.D{{Key: "indexes", Value: append(c.spec.Labels(), logLabel)}},
		}}, options.FindOneAndUpdate().SetUpsert(true).SetReturnDocument(options.After)), &noted)
	})
	if mongo.IsDuplicateKeyError(err) {
		return c.checkMigrated(ctx) // another replica came first
	}
	if err != nil {
		return err
	}
	if err := c.spec.CheckMigrated(noted.Labels); err != nil {
		return refusal{err}
	}
	return nil
}

// migration gives the documents of a collection their keys. Each of its operations ends within timeout.
type migration struct {
	*collection
	timeout time.Duration
	// process is the name of the process among those that migrate.
	process string
}

// run gives the documents with lower stamps their keys. Of several processes one does it, and the others wait for it.
func (m migration) run(ctx context.Context) error {
	if m.spec.Keys == nil {
		return nil
	}
	for {
		some, err := m.some(ctx)
		if err != nil || !some {
			return err
		}
		if err := m.begin(ctx); err != nil {
			return err
		}
		if err := m.all(ctx); !errors.Is(err, errLost) {
			return errors.Join(err, m.leave(context.WithoutCancel(ctx)))
		}
	}
}

// all goes through the documents. It ends where a page has few and none was changed meanwhile: replicas of an earlier
// release may go on writing.
func (m migration) all(ctx context.Context) error {
	read := int64(0)
	for _, condition := range []any{nil, bson.D{{Key: "$lt", Value: m.stamp}}} {
		for more := true; more; {
			var found []foundRecord
			var err error
			if found, more, err = m.page(ctx, condition); err != nil {
				return err
			}
			done, err := m.rekey(ctx, found)
			if err != nil {
				return err
			}
			more = more || done < len(found)
			if read += int64(len(found)); m.spec.Progress != nil && len(found) > 0 {
				m.spec.Progress(read)
			}
			if err := m.stay(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// some reports whether there are documents with lower stamps.
func (m migration) some(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	for _, condition := range []any{nil, bson.D{{Key: "$lt", Value: m.stamp}}} {
		err := m.docs.FindOne(ctx, bson.D{{Key: stampField, Value: condition}},
			options.FindOne().SetHint(stampIndex).SetProjection(bson.D{{Key: idField, Value: 1}})).Err()
		if !errors.Is(err, mongo.ErrNoDocuments) {
			return err == nil, err
		}
	}
	return false, nil
}

// foundRecord is a document as it was read, with what says whether it was changed since.
type foundRecord struct {
	Record  record `bson:",inline"`
	Takings *int64 `bson:"t"`
}

// look returns what the document is compared with.
func (f foundRecord) look() look {
	l := look{ID: f.Record.ID, Version: f.Record.Version, Write: f.Record.Write, Takings: f.Takings,
		Keys: map[string]string{}}
	for _, key := range f.Record.Keys {
		if value, ok := key.Value.(string); ok {
			l.Keys[key.Key] = value
		}
	}
	return l
}

// page reads documents by their stamp. more reports whether others may follow.
func (m migration) page(ctx context.Context, condition any) (found []foundRecord, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	cursor, err := m.docs.Find(ctx, bson.D{{Key: stampField, Value: condition}}, options.Find().SetHint(stampIndex).
		SetSort(bson.D{{Key: stampField, Value: 1}, {Key: idField, Value: 1}}).SetLimit(docstore.MigrationLength).
		SetBatchSize(docstore.MigrationLength+1))
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = cursor.Close(ctx) }()
	for size := 0; cursor.Next(ctx); {
		var f foundRecord
		if err := bson.Unmarshal(cursor.Current, &f); err != nil {
			return nil, false, err
		}
		found = append(found, f)
		if size += len(f.Record.Body) + len(f.Record.State); size >= docstore.MigrationSize {
			return found, true, nil
		}
	}
	return found, len(found) == docstore.MigrationLength, cursor.Err()
}

// rekey gives documents that are still as they were read their keys and the stamp. Takings are counted up, so that
// neither a contender nor a replacement that has read the document before takes it for what it was: this is a write of
// the same version that may give it a value. It returns how many were as they were read.
func (m migration) rekey(ctx context.Context, found []foundRecord) (done int, err error) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	writes := make([]mongo.WriteModel, len(found))
	for i, f := range found {
		keys, err := m.keysOf(ctx, f)
		if err != nil {
			return 0, err
		}
		writes[i] = mongo.NewUpdateOneModel().SetFilter(f.look().filter()).SetUpdate(bson.D{
			{Key: "$inc", Value: bson.D{{Key: takingsField, Value: int64(1)}}},
			{Key: "$set", Value: bson.D{{Key: stampField, Value: m.stamp}, {Key: keysField, Value: keys}}},
		})
	}
	if len(writes) == 0 {
		return 0, nil
	}
	err = retried(ctx, func() error {
		result, err := m.docs.BulkWrite(ctx, writes, options.BulkWrite().SetOrdered(false))
		if err == nil {
			done = int(result.MatchedCount)
		}
		return err
	})
	return done, err
}

// keysOf returns the keys that a document is to have: those that its record gives, and those it has of indexes that
// the spec does not have. It reserves the unique values that are new, and leaves out those that another document has.
func (m migration) keysOf(ctx context.Context, found foundRecord) (bson.D, error) {
	if found.Record.Version == tombstone {
		return bson.D{}, nil
	}
	doc, has := found.Record.document(), found.look()
	anew, err := m.spec.KeysAnew(doc)
	if err != nil {
		m.spec.Report(doc, err)
		return append(bson.D{}, found.Record.Keys...), nil
	}
	left := map[string]bool{}
	for {
		var wanted []uniqueKey
		for _, key := range uniqueKeys(m.spec, anew) {
			if !has.has(key) && !left[key.index] {
				wanted = append(wanted, key)
			}
		}
		_, err := m.acquire(ctx, found.Record.ID, wanted)
		index, taken := docstore.Duplicate(err)
		if !taken && err != nil {
			return nil, err
		}
		if !taken {
			break
		}
		m.spec.Report(doc, err)
		left[index] = true
	}
	keys := slices.DeleteFunc(keysOf(m.spec, anew), func(key bson.E) bool { return left[key.Key] })
	for _, key := range found.Record.Keys {
		if !m.spec.Has(key.Key) {
			keys = append(keys, key)
		}
	}
	return append(bson.D{}, keys...), nil
}
