package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore/internal/floor"
)

// The collection of the board, its only document, and the names of its fields.
const (
	boardName      = "ids.floor"
	boardID        = "ids"
	leastField     = "least"
	wantedField    = "wanted"
	revisionField  = "r"
	processesField = "p"
)

// board is the document of a database on which processes announce the least ids that they give.
type board struct {
	docs    *mongo.Collection
	timeout time.Duration
}

func (s *Store) board() board { return board{s.database.Collection(boardName), s.timeout} }

// closingTime bounds what a store does with its database when it closes.
const closingTime = time.Second

func (s *Store) closeFloor() {
	ctx, cancel := context.WithTimeout(context.Background(), closingTime)
	defer cancel()
	s.floor.Close(ctx)
}

// boardRecord is the board as MongoDB holds it.
type boardRecord struct {
	Least     bson.Binary `bson:"least"`
	Wanted    bson.Binary `bson:"wanted"`
	Revision  int64       `bson:"r"`
	Processes map[string]struct {
		Floor bson.Binary `bson:"f"`
		Beat  int64       `bson:"n"`
	} `bson:"p"`
}

func (r boardRecord) state() floor.State {
	s := floor.State{Least: uuid.UUID(r.Least.Data), Wanted: uuid.UUID(r.Wanted.Data), Revision: r.Revision,
		Processes: map[string]floor.Announced{}}
	for name, p := range r.Processes {
		s.Processes[name] = floor.Announced{Floor: uuid.UUID(p.Floor.Data), Beat: p.Beat}
	}
	return s
}

// processField is the field of a process's announcement, and of a field of that. The names of processes have no points.
func processField(process, of string) string {
	path := processesField + "." + process
	if of != "" {
		path += "." + of
	}
	return path
}

// make makes the board where it is missing.
func (b board) make(ctx context.Context) error {
	return retried(ctx, func() error {
		_, err := b.docs.UpdateOne(ctx, bson.D{{Key: idField, Value: boardID}}, bson.D{{Key: "$setOnInsert",
			Value: bson.D{{Key: leastField, Value: uuidBinary(uuid.Nil)},
				{Key: wantedField, Value: uuidBinary(uuid.Nil)}, {Key: revisionField, Value: int64(0)}}}},
			options.UpdateOne().SetUpsert(true))
		if mongo.IsDuplicateKeyError(err) {
			return nil // another replica came first
		}
		return err
	})
}

func (b board) Read(ctx context.Context) (floor.State, error) {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	var r boardRecord
	if err := decode(b.docs.FindOne(ctx, bson.D{{Key: idField, Value: boardID}}), &r); err != nil {
		return floor.State{}, err
	}
	return r.state(), nil
}

func (b board) Join(ctx context.Context, process string, least uuid.UUID) (bool, error) {
	return b.change(ctx, bson.D{{Key: leastField, Value: bson.D{{Key: "$lte", Value: uuidBinary(least)}}}}, bson.D{
		{Key: "$set", Value: bson.D{{Key: processField(process, ""), Value: bson.D{
			{Key: "f", Value: uuidBinary(least)}, {Key: "n", Value: int64(0)},
		}}}},
		{Key: "$inc", Value: bson.D{{Key: revisionField, Value: int64(1)}}},
	})
}

func (b board) Renew(ctx context.Context, process string, least uuid.UUID) (now floor.State, member bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	var r boardRecord
	err = retried(ctx, func() error {
		return decode(b.docs.FindOneAndUpdate(ctx, bson.D{{Key: idField, Value: boardID},
			{Key: processField(process, "n"), Value: bson.D{{Key: "$gte", Value: int64(0)}}}},
			bson.D{
				{Key: "$set", Value: bson.D{{Key: processField(process, "f"), Value: uuidBinary(least)}}},
				{Key: "$inc", Value: bson.D{{Key: processField(process, "n"), Value: int64(1)}}},
			}, options.FindOneAndUpdate().SetReturnDocument(options.After)), &r)
	})
	if errors.Is(err, mongo.ErrNoDocuments) {
		now, err = b.Read(ctx)
		return now, false, err
	}
	if err != nil {
		return now, false, err
	}
	return r.state(), true, nil
}

func (b board) Want(ctx context.Context, wanted uuid.UUID) error {
	_, err := b.change(ctx, nil, bson.D{{Key: "$max", Value: bson.D{{Key: wantedField, Value: uuidBinary(wanted)}}}})
	return err
}

func (b board) Leave(ctx context.Context, process string) error {
	_, err := b.change(ctx, nil, bson.D{{Key: "$unset", Value: bson.D{{Key: processField(process, ""), Value: ""}}}})
	return err
}

func (b board) Raise(ctx context.Context, revision int64, least uuid.UUID, dead map[string]int64) (bool, error) {
	condition := bson.D{{Key: revisionField, Value: revision}}
	removed := bson.D{}
	for process, beat := range dead {
		condition = append(condition, bson.E{Key: processField(process, "n"), Value: beat})
		removed = append(removed, bson.E{Key: processField(process, ""), Value: ""})
	}
	update := bson.D{
		{Key: "$set", Value: bson.D{{Key: leastField, Value: uuidBinary(least)}}},
		{Key: "$inc", Value: bson.D{{Key: revisionField, Value: int64(1)}}},
	}
	if len(removed) > 0 {
		update = append(update, bson.E{Key: "$unset", Value: removed})
	}
	return b.change(ctx, condition, update)
}

// change changes the board if a condition holds, and reports whether it did.
func (b board) change(ctx context.Context, condition, update bson.D) (changed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	err = retried(ctx, func() error {
		result, err := b.docs.UpdateOne(ctx, append(bson.D{{Key: idField, Value: boardID}}, condition...), update)
		if err == nil {
			changed = result.MatchedCount == 1
		}
		return err
	})
	return changed, err
}
