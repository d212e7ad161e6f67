package mongostore

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
)

const (
	// patience is how long a contender waits for the owner of a reservation to write its document before it bars the
	// owner. It spares an owner that is only slow; nothing depends on it but that.
	patience = time.Second
	// firstPoll and longestPoll bound the time between two looks at the owner.
	firstPoll, longestPoll = 5 * time.Millisecond, 100 * time.Millisecond
	// maxContests bounds how often a reservation is contested anew because others have changed it.
	maxContests = 200
)

// contest acquires a reservation that exists. Errors: *docstore.DuplicateError if its owner has the value,
// docstore.ErrUnavailable.
func (c *collection) contest(ctx context.Context, a *acquisition, key uniqueKey) error {
	mine := a.reservation(key)
	var waitsFor bson.ObjectID
	var since time.Time
	poll := firstPoll
	for range maxContests {
		current, exists, err := c.reserved(ctx, mine.ID)
		if err != nil {
			return unavailable(ctx, err)
		}
		if !exists {
			made, err := c.makeReservation(ctx, mine)
			if err != nil {
				return err
			}
			if made {
				a.gained = append(a.gained, mine.ID)
				return nil
			}
			// It is there, and not yet confirmed by a majority, so that reads do not show it.
			if err := pause(ctx, firstPoll); err != nil {
				return err
			}
			continue
		}
		own := current.Owner.Equal(a.owner)
		if own && current.Nonce == a.nonce {
			// The insert was repeated after a conflict, and this reservation had been made.
			a.gained = append(a.gained, mine.ID)
			return nil
		}
		if !own {
			if current.Nonce != waitsFor {
				waitsFor, since, poll = current.Nonce, time.Now(), firstPoll
			}
			state, err := c.bar(ctx, current.Owner, key, time.Since(since) < patience)
			if err != nil {
				return err
			}
			switch state {
			case hasValue:
				return &docstore.DuplicateError{Index: key.index}
			case mayYetAppear:
				if err := pause(ctx, poll); err != nil {
					return err
				}
				poll = min(2*poll, longestPoll)
				continue
			case barred:
			}
		}
		taken, err := c.replaceReservation(ctx, current, mine)
		if err != nil {
			return err
		}
		if taken {
			if !own {
				a.gained = append(a.gained, mine.ID)
			}
			return nil
		}
	}
	return unavailable(ctx, errors.New("the reservation of a value of "+key.index+" changed at every try"))
}

// makeReservation makes a reservation that did not exist. It returns false if another came first.
func (c *collection) makeReservation(ctx context.Context, mine reservation) (bool, error) {
	err := retried(ctx, func() error {
		_, err := c.reservations.InsertOne(ctx, mine)
		return err
	})
	if mongo.IsDuplicateKeyError(err) {
		return false, nil
	}
	if err != nil {
		return true, c.settleReservations(ctx, []reservation{mine}, err)
	}
	return true, nil
}

// ownerState is what a contender finds out about the owner of a reservation.
type ownerState int

const (
	// hasValue: the owner has the value.
	hasValue ownerState = iota
	// mayYetAppear: there is no document of the owner, and it was not barred.
	mayYetAppear
	// barred: the owner does not have the value, and no write that is under way can give it the value.
	barred
)

// bar makes sure that the owner of a reservation does not get the value by a write that is under way, unless it has the
// value. An owner whose document is there gets another count of takings, so that a replacement that has read the
// count before does not match. An owner whose document is not there gets a tombstone, so that its insert is refused;
// if wait is true, it is left alone.
func (c *collection) bar(ctx context.Context, owner bson.Binary, key uniqueKey, wait bool) (ownerState, error) {
	for range maxContests {
		now, exists, err := c.look(ctx, owner)
		switch {
		case err != nil:
			return 0, unavailable(ctx, err)
		case !exists && wait:
			return mayYetAppear, nil
		case exists && now.Version == tombstone:
			return barred, nil
		case exists && now.has(key):
			return hasValue, nil
		}
		done := false
		err = retried(ctx, func() (err error) {
			if exists {
				done, err = c.countTaking(ctx, now)
			} else {
				done, err = c.bury(ctx, owner)
			}
			return err
		})
		if err != nil {
			return 0, unavailable(ctx, err)
		}
		if done {
			return barred, nil
		}
		if err := pause(ctx, firstPoll); err != nil {
			return 0, err
		}
	}
	return 0, unavailable(ctx, errors.New("a document changed at every try to take its value of "+key.index))
}

// countTaking counts one more taking from a document, if it is still the one that was looked at.
func (c *collection) countTaking(ctx context.Context, now look) (bool, error) {
	result, err := c.docs.UpdateOne(ctx, now.filter(),
		bson.D{{Key: "$inc", Value: bson.D{{Key: takingsField, Value: int64(1)}}}})
	if err != nil {
		return false, err
	}
	return result.MatchedCount == 1, nil
}

// bury writes a tombstone under an id. It returns false if a document came first.
func (c *collection) bury(ctx context.Context, id bson.Binary) (bool, error) {
	_, err := c.docs.InsertOne(ctx, bson.D{
		{Key: idField, Value: id}, {Key: versionField, Value: int64(tombstone)}, {Key: writeField,
			Value: bson.NewObjectID()},
		{Key: stampField, Value: c.stamp},
	})
	if mongo.IsDuplicateKeyError(err) {
		return false, nil
	}
	return err == nil, err
}

// look is what a contender or a replacement reads of a document.
type look struct {
	ID      bson.Binary       `bson:"_id"`
	Version int64             `bson:"v"`
	Write   bson.ObjectID     `bson:"w"`
	Takings *int64            `bson:"t"`
	Owner   string            `bson:"o"`
	Keys    map[string]string `bson:"k"`
}

var lookedAt = bson.D{
	{Key: versionField, Value: 1}, {Key: writeField, Value: 1}, {Key: takingsField, Value: 1}, {Key: keysField,
		Value: 1}, {Key: ownerField, Value: 1},
}

// look reads a document or tombstone; exists is false if there is neither.
func (c *collection) look(ctx context.Context, id bson.Binary) (now look, exists bool, err error) {
	return one[look](ctx, c.docs, bson.D{{Key: idField, Value: id}}, options.FindOne().SetProjection(lookedAt))
}

// has reports whether the document has a value.
func (l look) has(key uniqueKey) bool {
	value, ok := l.Keys[key.index]
	return ok && value == key.value
}

// filter selects the document if neither a write nor a taking has changed it since.
func (l look) filter() bson.D {
	// A comparison with null also matches where the field is absent.
	return bson.D{
		{Key: idField, Value: l.ID}, {Key: versionField, Value: l.Version}, {Key: writeField, Value: l.Write},
		{Key: takingsField, Value: l.Takings},
	}
}
