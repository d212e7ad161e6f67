package mongostore

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
)

// A write that failed was either refused or its outcome is unknown. It was refused if the server says that the id is
// taken, or that it could not be made because of another write. After any other error the server may have made it, or
// may make it yet: the connection was cut, the time was up, not enough members of the replica set have confirmed it,
// the primary stepped down. Then the writer reads what it wrote. If it is there, the write succeeded. If it is not,
// the outcome stays unknown, and the error says so.

// settle returns nil if a document is as a write left it, although the outcome of the write is unknown because of
// cause; else cause, as unavailable.
func (c *collection) settle(ctx context.Context, written record, cause error) error {
	now, exists, err := c.look(ctx, written.ID)
	if err != nil {
		return unavailable(ctx, errors.Join(cause, err))
	}
	if exists && now.Write == written.Write {
		return nil
	}
	return unavailable(ctx, cause)
}

// duplicateAt returns the position of the document whose _id was taken, in an ordered insert of several, and whether
// those before it are known to be confirmed. refused is false if the server did not refuse the insert for this
// reason.
func duplicateAt(err error) (position int, confirmed, refused bool) {
	var bulk mongo.BulkWriteException
	if !errors.As(err, &bulk) {
		return 0, false, false
	}
	for _, failed := range bulk.WriteErrors {
		if mongo.IsDuplicateKeyError(failed.WriteError) {
			return failed.Index, bulk.WriteConcernError == nil, true
		}
	}
	return 0, false, false
}

// The codes with which MongoDB refuses a write because of another one that is under way.
const (
	codeLockTimeout   = 24
	codeWriteConflict = 112
)

// conflicted reports whether the server refused a write because of another one. PostgreSQL behind FerretDB calls it a
// deadlock, and gives no code of MongoDB's.
func conflicted(err error) bool {
	var refusal mongo.ServerError
	return errors.As(err, &refusal) &&
		(refusal.HasErrorCode(codeWriteConflict) || refusal.HasErrorCode(codeLockTimeout) ||
			refusal.HasErrorMessage("deadlock detected"))
}

// retried runs a write, and runs it again while it is refused because of another one. Each write of the store can be
// repeated: it changes nothing that it has changed before.
func retried(ctx context.Context, write func() error) error {
	const tries = 12
	wait := 2 * time.Millisecond
	for range tries - 1 {
		err := write()
		if !conflicted(err) {
			return err
		}
		if ended := pause(ctx, wait); ended != nil {
			return err
		}
		wait = min(2*wait, longestPoll)
	}
	return write()
}

// pause waits for a random time, half of d to all of it, so that contenders do not meet again. If ctx ends first, it
// returns an error that wraps ErrUnavailable.
func pause(ctx context.Context, about time.Duration) error {
	timer := time.NewTimer(about/2 + rand.N(about/2+1))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return unavailable(ctx, ctx.Err())
	}
}
