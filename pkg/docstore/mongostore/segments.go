package mongostore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore/sequencer"
)

// The collections of the log of changes, the only document of the head, and the names of fields.
const (
	segmentsName   = "log.segments"
	headName       = "log.head"
	headID         = "head"
	logField       = "log"
	numberField    = "n"
	closedField    = "closed"
	watermarkField = "m"
)

// marked selects the documents that are marked for the log of changes.
var marked = bson.D{{Key: markField, Value: bson.D{{Key: "$gte", Value: time.Unix(0, 0)}}}}

// changeLog is the log of changes of a database, and the work in the background that makes it.
type changeLog struct {
	segments, head *mongo.Collection
	timeout        time.Duration

	running context.Context
	cancel  context.CancelFunc
	work    sync.WaitGroup
	// mu guards collections, those that were opened.
	mu          sync.Mutex
	collections []*collection
}

func newChangeLog(s *Store) *changeLog {
	l := &changeLog{segments: s.database.Collection(segmentsName), head: s.database.Collection(headName),
		timeout: s.timeout}
	l.running, l.cancel = context.WithCancel(context.Background())
	return l
}

// add has the log take the changes of a collection.
func (l *changeLog) add(c *collection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.collections = append(l.collections, c)
	if len(l.collections) == 1 {
		l.work.Go(func() { sequencer.New(segments{l}, time.Now).Run(l.running) })
	}
}

// end ends the work in the background.
func (l *changeLog) end() {
	l.cancel()
	l.work.Wait()
}

// make makes the head where it is missing, and with it the identity of the log.
func (l *changeLog) make(ctx context.Context) error {
	return ensure(ctx, l.head, headID, bson.D{
		{Key: logField, Value: bson.NewObjectID().Hex()}, {Key: numberField, Value: int64(0)},
		{Key: closedField, Value: false}, {Key: watermarkField, Value: time.Unix(0, 0)},
	})
}

// headRecord is the head as MongoDB holds it.
type headRecord struct {
	Log       string    `bson:"log"`
	Number    int64     `bson:"n"`
	Closed    bool      `bson:"closed"`
	Watermark time.Time `bson:"m"`
}

func (r headRecord) head() sequencer.Head {
	return sequencer.Head{Number: r.Number, Closed: r.Closed, Watermark: r.Watermark}
}

// segmentRecord is a segment as MongoDB holds it.
type segmentRecord struct {
	Number    int64         `bson:"_id"`
	Watermark time.Time     `bson:"m"`
	Entries   []entryRecord `bson:"e"`
}

// entryRecord is an entry as MongoDB holds it.
type entryRecord struct {
	Collection string      `bson:"c"`
	ID         bson.Binary `bson:"d"`
	First      int64       `bson:"a"`
	Last       int64       `bson:"z"`
	At         time.Time   `bson:"i"`
}

// segments are the log as a sequencer works on it.
type segments struct{ *changeLog }

func (s segments) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, s.timeout)
}

func (s segments) Head(ctx context.Context) (sequencer.Head, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	r, err := s.readHead(ctx)
	return r.head(), err
}

func (l *changeLog) readHead(ctx context.Context) (r headRecord, err error) {
	return r, decode(l.head.FindOne(ctx, bson.D{{Key: idField, Value: headID}}), &r)
}

// ahead is the number of segments that are looked for at a time.
const ahead = 16

// Newest asks for the numbers that follow, so that each question names its shard.
func (s segments) Newest(ctx context.Context, from int64) (sequencer.Segment, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	newest, err := s.newest(ctx, from)
	if err != nil || newest == 0 {
		return sequencer.Segment{}, err
	}
	var r segmentRecord
	if err := decode(s.segments.FindOne(ctx, bson.D{{Key: idField, Value: newest}}), &r); err != nil {
		return sequencer.Segment{}, err
	}
	segment := sequencer.Segment{Number: newest, Watermark: r.Watermark}
	for _, e := range r.Entries {
		segment.Entries = append(segment.Entries, sequencer.Entry{Collection: e.Collection, ID: uuid.UUID(e.ID.Data),
			First: e.First, Last: e.Last, At: e.At})
	}
	return segment, nil
}

// newest returns the number of the newest segment, which is not before from.
func (l *changeLog) newest(ctx context.Context, from int64) (int64, error) {
	for {
		cursor, err := l.from(ctx, from+1, ahead, options.Find().SetProjection(onlyID))
		if err != nil {
			return 0, err
		}
		if from += int64(len(cursor)); len(cursor) < ahead {
			return from, nil
		}
	}
}

// from returns the segments from a number on, up to so many.
func (l *changeLog) from(
	ctx context.Context, number, most int64, how *options.FindOptionsBuilder,
) (found []segmentRecord, err error) {
	numbers := make([]int64, most)
	for i := range numbers {
		numbers[i] = number + int64(i)
	}
	found, err = all[segmentRecord](ctx, l.segments, bson.D{amongIDs(numbers)}, how.SetSort(inOrder))
	for i, segment := range found { // one that is not there yet ends the log
		if segment.Number != number+int64(i) {
			return found[:i], err
		}
	}
	return found, err
}

// markedRecord is what the log has to know of a marked document.
type markedRecord struct {
	ID      bson.Binary `bson:"_id"`
	Version int64       `bson:"v"`
	Logged  int64       `bson:"g"`
	At      time.Time   `bson:"i"`
}

func (s segments) Marked(ctx context.Context, limit int) ([]sequencer.Marked, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	s.mu.Lock()
	collections := s.collections
	s.mu.Unlock()
	var marks []sequencer.Marked
	for _, c := range collections {
		how := options.Find().SetHint(markIndex).SetLimit(int64(limit)).
			SetBatchSize(int32(limit + 1)). // one more, so that the first batch is the last
			SetSort(valueAndID(markField)).
			SetProjection(bson.D{{Key: versionField, Value: 1}, {Key: loggedField, Value: 1},
				{Key: markField, Value: 1}})
		err := each(ctx, c.docs, marked, how, func(m markedRecord) (more bool, err error) {
			marks = append(marks, sequencer.Marked{Collection: c.spec.Name, ID: uuid.UUID(m.ID.Data), Logged: m.Logged,
				Version: m.Version, At: m.At})
			return true, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return sequencer.Order(marks, limit), nil
}

// Clear updates the documents of one collection and one version together, as most of a segment are.
func (s segments) Clear(ctx context.Context, entries []sequencer.Entry) error {
	ctx, cancel := s.within(ctx)
	defer cancel()
	type group struct {
		collection string
		version    int64
	}
	groups := map[group]bson.A{}
	for _, e := range entries {
		of := group{e.Collection, e.Last}
		groups[of] = append(groups[of], uuidBinary(e.ID))
	}
	for of, ids := range groups {
		docs := s.head.Database().Collection(of.collection)
		those := amongIDs(ids)
		logged := bson.E{Key: "$max", Value: bson.D{{Key: loggedField, Value: of.version}}}
		matched, err := updateMany(ctx, docs, bson.D{those, {Key: versionField, Value: of.version}},
			bson.D{logged, {Key: "$unset", Value: bson.D{{Key: markField, Value: ""}}}})
		if err == nil && matched < int64(len(ids)) {
			// The others have a later version by now, which the log lacks.
			_, err = updateMany(ctx, docs,
				bson.D{those, {Key: versionField, Value: bson.D{{Key: "$gt", Value: of.version}}}}, bson.D{logged})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func updateMany(ctx context.Context, docs *mongo.Collection, filter, update bson.D) (matched int64, err error) {
	err = retried(ctx, func() error {
		result, err := docs.UpdateMany(ctx, filter, update)
		if err == nil {
			matched = result.MatchedCount
		}
		return err
	})
	return matched, err
}

func (s segments) Append(ctx context.Context, segment sequencer.Segment) (taken bool, err error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	r := segmentRecord{Number: segment.Number, Watermark: segment.Watermark,
		Entries: make([]entryRecord, len(segment.Entries))}
	for i, e := range segment.Entries {
		r.Entries[i] = entryRecord{e.Collection, uuidBinary(e.ID), e.First, e.Last, e.At}
	}
	_, err = s.segments.InsertOne(ctx, r)
	if mongo.IsDuplicateKeyError(err) {
		return true, nil
	}
	return false, err
}

func (s segments) Close(ctx context.Context, number int64) (sequencer.Head, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	var was headRecord
	err := retried(ctx, func() error {
		return decode(s.head.FindOneAndUpdate(ctx, bson.D{{Key: idField, Value: headID},
			{Key: numberField, Value: bson.D{{Key: "$lte", Value: number}}}},
			bson.D{{Key: "$set", Value: bson.D{{Key: numberField, Value: number}, {Key: closedField, Value: true}}}},
			options.FindOneAndUpdate().SetReturnDocument(options.Before)), &was)
	})
	if errors.Is(err, mongo.ErrNoDocuments) {
		was, err = s.readHead(ctx)
	}
	return was.head(), err
}

func (s segments) Open(ctx context.Context, segment sequencer.Segment) error {
	return s.moveHead(ctx, bson.D{{Key: numberField, Value: bson.D{{Key: "$lt", Value: segment.Number}}}},
		bson.D{{Key: "$set", Value: bson.D{{Key: numberField, Value: segment.Number}, {Key: closedField, Value: false},
			{Key: watermarkField, Value: segment.Watermark}}}})
}

func (s segments) Beat(ctx context.Context, number int64, watermark time.Time) error {
	return s.moveHead(ctx, bson.D{{Key: numberField, Value: number}, {Key: closedField, Value: false}},
		bson.D{{Key: "$max", Value: bson.D{{Key: watermarkField, Value: watermark}}}})
}

func (s segments) moveHead(ctx context.Context, condition, update bson.D) error {
	ctx, cancel := s.within(ctx)
	defer cancel()
	_, err := updated(ctx, s.head, append(bson.D{{Key: idField, Value: headID}}, condition...), update)
	return err
}
