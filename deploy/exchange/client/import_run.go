package client

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/deploy/exchange/progress"
)

// importRun is an import under way.
type importRun struct {
	importing
	caller   *caller
	keys     *keys
	rejects  *rejects
	progress *progress.Progress
	out      io.Writer
	checker  *checker // of a dry run

	created, replayed int
	read              int64

	// made are the outcomes that have come before those of earlier rows, by their place in the file, from 0; next is
	// the place of the first that is still awaited.
	made map[int]string
	next int
}

// String returns in words what has been done.
func (r *importRun) String() string {
	if r.dryRun {
		return fmt.Sprintf("%d records: %d fit, %d do not", r.done(), r.created, r.rejects.count)
	}
	return fmt.Sprintf("%d records: %d created, %d already there, %d refused",
		r.done(), r.created, r.replayed, r.rejects.count)
}

// done returns the number of records that have an outcome.
func (r *importRun) done() int { return r.created + r.replayed + r.rejects.count }

// keyed is a row and its Idempotency-Key.
type keyed struct {
	row
	key string
	// place is the place of the row among those of the file, from 0.
	place int
}

// outcome is the result of importing a row.
type outcome struct {
	row
	place    int
	problem  *problem // nil: the record is there
	replayed bool
	// record is the record in the response; nil if there is none.
	record jsontext.Value
}

// all imports rows. The error is one of reading the rows, one of an exchange that refuses every request or does not
// respond, one of writing the rejects, or context.Canceled. The records imported until then are counted.
func (r *importRun) all(ctx context.Context, rows iter.Seq2[row, error]) error {
	ctx, stop := context.WithCancelCause(ctx) // the first failure is the cause
	defer stop(nil)
	queue, outcomes := make(chan keyed, r.concurrency), make(chan outcome, r.concurrency)
	go func() {
		defer close(queue)
		if err := r.feed(ctx, rows, queue); err != nil {
			stop(err)
		}
	}()
	var senders sync.WaitGroup
	for range r.concurrency {
		senders.Go(func() {
			if err := r.sendAll(ctx, queue, outcomes); err != nil {
				stop(err)
			}
		})
	}
	go func() {
		senders.Wait()
		close(outcomes)
	}()
	for o := range outcomes {
		if err := r.count(o); err != nil {
			stop(err)
		}
	}
	return context.Cause(ctx)
}

// feed queues rows in the order of the file, so that their keys are the same each time.
func (r *importRun) feed(ctx context.Context, rows iter.Seq2[row, error], queue chan<- keyed) error {
	place := 0
	for row, err := range rows {
		if err != nil {
			return fmt.Errorf("%s: %w", r.file, err)
		}
		select {
		case queue <- keyed{row, r.keys.next(row.record), place}:
			place++
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// sendAll sends the rows of the queue. Once ctx has ended it waits for no further row, because the file may be a pipe
// that stays silent.
func (r *importRun) sendAll(ctx context.Context, queue <-chan keyed, outcomes chan<- outcome) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case next, more := <-queue:
			if !more {
				return nil
			}
			o, err := r.send(ctx, next)
			if err != nil {
				return err
			}
			o.place = next.place
			outcomes <- o
		}
	}
}

func (r *importRun) send(ctx context.Context, next keyed) (outcome, error) {
	if next.unreadable != "" {
		return outcome{
			row:     next.row,
			problem: &problem{Title: fmt.Sprintf("line %d cannot be read", next.line), Detail: next.unreadable},
		}, nil
	}
	if r.checker != nil {
		wrong, err := r.checker.check(ctx, next.record)
		return outcome{row: next.row, problem: wrong}, err
	}
	got, err := r.caller.send(ctx, Request{
		Method: http.MethodPost, Path: "/" + r.resource.Name, Body: next.record, Key: next.key,
	})
	if refused, is := errors.AsType[*refusal](err); is && !refused.passing() {
		return outcome{row: next.row, problem: &refused.problem}, nil
	}
	return outcome{row: next.row, replayed: got.replayed(), record: got.body}, err
}

// print prints what became of a row that is a record now, and of those after it that were waiting for that: the line
// of the file, the id of the record, and its number or name.
func (r *importRun) print(o outcome) error {
	r.made[o.place] = ""
	if o.record != nil {
		r.made[o.place] = fmt.Sprintf("%d\t%s\n", o.line, strings.Join(r.resource.KnownBy(o.record), "\t"))
	}
	for {
		text, is := r.made[r.next]
		if !is {
			return nil
		}
		delete(r.made, r.next)
		r.next++
		if _, err := io.WriteString(r.out, text); err != nil {
			return err
		}
	}
}

func (r *importRun) count(o outcome) error {
	var failed error
	switch {
	case o.problem != nil:
		failed = r.rejects.add(o.row, *o.problem)
	case o.replayed:
		r.replayed++
	default:
		r.created++
	}
	r.read = max(r.read, o.read)
	r.progress.At(r.read, r.String())
	return errors.Join(failed, r.print(o))
}

// keys makes the Idempotency-Keys of the records of an import. A key follows from the resource, from the JSON value
// of the record, and from the number of records with the same value before it. So a record keeps its key when rows
// are reordered, corrected or removed, which would not be the case if the key followed from the line number.
type keys struct {
	scope string
	seen  map[[sha256.Size]byte]int
}

// newKeys returns the keys for records of a resource. Batches with different names have different keys.
func newKeys(resource, batch string) *keys {
	return &keys{scope: fmt.Sprintf("%q %q", resource, batch), seen: map[[sha256.Size]byte]int{}}
}

// next returns the key of the next record.
func (k *keys) next(record []byte) string {
	value := jsontext.Value(record).Clone()
	// A record that is no JSON is refused with any key. Digits are kept, because 1.0 and 1.00 may mean different
	// things.
	if err := value.Canonicalize(jsontext.CanonicalizeRawInts(false),
		jsontext.CanonicalizeRawFloats(false)); err != nil {
		value = record
	}
	content := sha256.Sum256(value)
	k.seen[content]++
	key := sha256.Sum256(fmt.Appendf(nil, "%s %x %d", k.scope, content, k.seen[content]))
	return "import-" + hex.EncodeToString(key[:])
}

// rejects is the file of the lines of an import that are refused: each with a reason, so that it can be corrected and
// imported again. The first one creates it. If an import ends without any, the file of an earlier import is removed.
type rejects struct {
	path  string
	count int

	file *os.File
	out  *bufio.Writer
}

// add writes a line and why it was refused: the record with the reason as its first member. A line that is no JSON
// object becomes a member of one.
func (r *rejects) add(o row, p problem) (err error) {
	if r.file == nil {
		if r.file, err = os.OpenFile(r.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); err != nil {
			return err
		}
		r.out = bufio.NewWriter(r.file)
	}
	r.count++
	// Invalid UTF-8 is replaced, because JSON cannot hold it.
	reason := strings.ToValidUTF8(p.words(), "\ufffd")
	rejected := rejectedRecord{Reason: &reason, Record: o.record}
	if rejected.Record.Kind() != jsontext.KindBeginObject || !rejected.Record.IsValid() {
		rejected.Line, rejected.Record = strings.ToValidUTF8(string(o.record), "\ufffd"), nil
	}
	text, err := json.Marshal(rejected)
	if err != nil {
		return err
	}
	_, err = r.out.Write(append(text, '\n'))
	return err
}

// close writes what is left. whole says that the import is complete, so that the file of an earlier import can be
// removed.
func (r *rejects) close(whole bool) error {
	switch {
	case r.file != nil:
		return errors.Join(r.out.Flush(), r.file.Close())
	case whole:
		return removeStale(r.path)
	}
	return nil
}

// removeStale removes the file of refused records of an earlier import, if there is one.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	if err == nil && info.Mode().IsRegular() {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
