package mongostore

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"
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
	for _, condition := range lowerStamps(m.stamp) {
		var seen unchanged
		for more := true; more; {
			var records []foundRecord
			var err error
			if records, more, err = m.page(ctx, condition); err != nil {
				return err
			}
			done, err := m.rekey(ctx, records)
			if err != nil {
				return err
			}
			if more = more || done < len(records); more && done == 0 {
				if err := seen.again(ctx, records[0].look()); err != nil {
					return err
				}
			}
			if read += int64(len(records)); m.spec.Progress != nil && len(records) > 0 {
				m.spec.Progress(read)
			}
			if err := m.stay(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostTries bounds how often a document that nobody changes may be other than it was read: a read may show what a write
// has replaced that is not confirmed yet. One that was written by hand, without a field, is so for ever.
const mostTries = 10

// unchanged is a document that was not what was read of it, and how often the same was read.
type unchanged struct {
	was   look
	times int
}

// again waits before the document is read again. Errors: it was the same too often.
func (u *unchanged) again(ctx context.Context, now look) error {
	if u.times++; !reflect.DeepEqual(now, u.was) {
		u.was, u.times = now, 0
	}
	if u.times == mostTries {
		return refusal{fmt.Errorf("document %s does not get the keys of new indexes, as if it were not what is read "+
			"of it: put its fields v and w as this store writes them", uuid.UUID(now.ID.Data))}
	}
	return pause(ctx, lookAgain)
}

// lowerStamps are the conditions that a document has a stamp below another one: none, or a lower one.
func lowerStamps(stamp string) []any { return []any{nil, bson.D{{Key: "$lt", Value: stamp}}} }

// some reports whether there are documents with lower stamps.
func (m migration) some(ctx context.Context) (some bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	for _, condition := range lowerStamps(m.stamp) {
		if err == nil && !some {
			_, some, err = one[record](ctx, m.docs, bson.D{{Key: stampField, Value: condition}},
				options.FindOne().SetHint(stampIndex).SetProjection(onlyID))
		}
	}
	return some, err
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
func (m migration) page(ctx context.Context, condition any) (records []foundRecord, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	how := options.Find().SetHint(stampIndex).SetSort(valueAndID(stampField)).SetLimit(docstore.MigrationLength).
		SetBatchSize(docstore.MigrationLength + 1)
	size := 0
	err = each(ctx, m.docs, bson.D{{Key: stampField, Value: condition}}, how, func(f foundRecord) (bool, error) {
		records = append(records, f)
		size += len(f.Record.Body) + len(f.Record.State)
		return size < docstore.MigrationSize, nil
	})
	return records, size >= docstore.MigrationSize || len(records) == docstore.MigrationLength, err
}

// rekey gives documents that are still as they were read their keys and the stamp. Takings are counted up, so that
// neither a contender nor a replacement that has read the document before takes it for what it was: this is a write of
// the same version that may give it a value. It returns how many were as they were read.
func (m migration) rekey(ctx context.Context, records []foundRecord) (done int, err error) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	writes := make([]mongo.WriteModel, len(records))
	for i, f := range records {
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
	done, _, err = bulk(ctx, m.docs, writes)
	return done, err
}

// keysOf returns the keys that a document is to have: those that its record gives, and those it has of indexes that
// the spec does not have. It reserves the unique values that are new, and leaves out those that another document has.
func (m migration) keysOf(ctx context.Context, record foundRecord) (bson.D, error) {
	if record.Record.Version == tombstone {
		return bson.D{}, nil
	}
	doc, has := record.Record.document(), record.look()
	anew, err := m.spec.KeysAnew(doc)
	if err != nil {
		m.spec.Report(doc, err)
		return append(bson.D{}, record.Record.Keys...), nil
	}
	left := map[string]bool{}
	for {
		var wanted []uniqueKey
		for _, key := range uniqueKeys(m.spec, anew) {
			if !has.has(key) && !left[key.index] {
				wanted = append(wanted, key)
			}
		}
		_, err := m.acquire(ctx, record.Record.ID, wanted)
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
	for _, key := range record.Record.Keys {
		if !m.spec.Has(key.Key) {
			keys = append(keys, key)
		}
	}
	return append(bson.D{}, keys...), nil
}
