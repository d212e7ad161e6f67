package mongostore

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Of several processes that start at once, one migrates. It is named in a document, with a beat that it counts up with
// each page. A process whose beat stays the same for as long as another one looks on has ended, or loses its place. No
// clock of another process is read. If two work for a moment, they do the same twice and nothing else.
const (
	leaseID     = "lease"
	leaseHolder = "holder"
	leaseBeat   = "beat"

	// lookAgain is the time from one look at the beat to the next.
	lookAgain = 500 * time.Millisecond
	// leaseTimeouts is how many timeouts of the store a beat may stay the same: that of each operation from one to the
	// next, and one more.
	leaseTimeouts = 6
)

// errLost means that another process has taken the place of this one.
var errLost = errors.New("mongostore: another process migrates the collection")

// lease is the document that names the process, none if Holder is empty.
type lease struct {
	Holder string `bson:"holder"`
	Beat   int64  `bson:"beat"`
}

// begin takes the place of the process that migrates, or waits until it is free, or its owner ends.
func (m migration) begin(ctx context.Context) error {
	var seen lease
	since := time.Now()
	for {
		now, err := m.lease(ctx)
		if err != nil {
			return err
		}
		if now != seen {
			seen, since = now, time.Now()
		}
		if now.Holder == "" || time.Since(since) > leaseTimeouts*m.timeout {
			if taken, err := m.setLease(ctx, now, lease{m.process, now.Beat + 1}); err != nil || taken {
				return err
			}
			continue
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return ctx.Err()
		}
		if some, err := m.some(ctx); err != nil || !some {
			return err // it has ended
		}
	}
}

// stay counts up the beat. Errors: errLost.
func (m migration) stay(ctx context.Context) error {
	now, err := m.lease(ctx)
	if err != nil {
		return err
	}
	if now.Holder != m.process {
		return errLost
	}
	set, err := m.setLease(ctx, now, lease{m.process, now.Beat + 1})
	if err == nil && !set {
		err = errLost
	}
	return err
}

// leave gives the place back.
func (m migration) leave(ctx context.Context) error {
	now, err := m.lease(ctx)
	if err == nil && now.Holder == m.process {
		_, err = m.setLease(ctx, now, lease{Beat: now.Beat + 1})
	}
	return err
}

// lease reads the document, which it makes where it is missing.
func (m migration) lease(ctx context.Context) (now lease, err error) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	now, exists, err := one[lease](ctx, m.stamps, bson.D{{Key: idField, Value: leaseID}}, options.FindOne())
	if err == nil && !exists {
		err = ensure(ctx, m.stamps, leaseID, bson.D{{Key: leaseHolder, Value: ""}, {Key: leaseBeat, Value: int64(0)}})
	}
	return now, err
}

// setLease changes the document if it is still as it was read, and reports whether it did.
func (m migration) setLease(ctx context.Context, from, to lease) (done bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	filter := bson.D{{Key: idField, Value: leaseID}, {Key: leaseHolder, Value: from.Holder},
		{Key: leaseBeat, Value: from.Beat}}
	return updated(ctx, m.stamps, filter, bson.D{{Key: "$set", Value: to}})
}
