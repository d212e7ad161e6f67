package reconciliation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/google/uuid"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/services/desk/block"
	"insurance.example/exchange/services/desk/reconciliation/match"
	"insurance.example/exchange/services/desk/reconciliation/profile"
)

// LargestFile is the largest size of a file, in bytes.
const LargestFile = 64 << 20

// The blocks of a statement: pieces of the file as it was sent, and the rows that were read.
const (
	filePieces = "file"
	rowBlocks  = "rows"
	pieceSize  = 256 << 10
)

// readingMemory is how much memory the reading of a file takes at most, in bytes, by its format. A workbook has texts
// that its cells share.
var readingMemory = map[string]int{reconciliation.CSV: 4 << 20, reconciliation.XLSX: 48 << 20}

// statement is a statement as it is stored.
type statement struct {
	Head   reconciliation.Statement `json:"head"`
	Batch  uuid.UUID                `json:"batch"`
	Pieces int                      `json:"pieces"`
	// Columns are the numbers of the columns by their meanings.
	Columns map[string]int `json:"columns"`
}

// piece is a piece of a file.
type piece struct {
	Bytes []byte `json:"bytes"`
}

// Statement returns a statement. Errors: problem.NotFound, those of the store.
func (r *Reconciler) Statement(ctx context.Context, id string) (reconciliation.Statement, error) {
	s, err := r.statement(ctx, id)
	if err == nil {
		err = r.resolve(ctx, s)
	}
	if err != nil {
		return reconciliation.Statement{}, err
	}
	work, err := r.underWay.Of(ctx, comparisonOf(s.Head.ID))
	if work != nil {
		s.Head.Comparing = &work.WorkUnderWay
	}
	return s.Head, err
}

// statement returns a statement as it is stored. Errors: problem.NotFound, those of the store.
func (r *Reconciler) statement(ctx context.Context, id string) (*statement, error) {
	s := new(statement)
	h, err := r.get(ctx, id, s)
	if err == nil && (h == nil || s.Head.ID != id) {
		err = problem.New(problem.NotFound, "There is no statement "+problem.Short(id)+".")
	}
	return s, err
}

// WriteFile writes the file of a statement as it was sent. Errors: problem.NotFound, those of the store and the writer.
func (r *Reconciler) WriteFile(ctx context.Context, id string, to io.Writer) error {
	s, err := r.statement(ctx, id)
	if err != nil {
		return err
	}
	return eachOf(ctx, r, s.Batch, filePieces, 1, s.Pieces, func(p piece) error {
		_, err := to.Write(p.Bytes)
		return err
	})
}

// Send reads a file by a profile, and keeps it. The same file by the same version of a profile is the same statement.
// It takes the place of the statement with an id, unless that is empty. Errors: problem.NotFound for the profile,
// problem.Invalid for a file that cannot be read, problem.BadParameter, problem.Transition, those of the body and of
// the store.
func (r *Reconciler) Send(
	ctx context.Context, name, replaces string, body io.Reader,
) (sent reconciliation.Statement, err error) {
	digest := sha256.New()
	err = r.spooled(ctx, name, io.TeeReader(body, digest), func(
		p reconciliation.FileProfile, file *os.File, size int64,
	) error {
		former, err := r.replaceable(ctx, p, replaces)
		if err == nil {
			sent, err = r.keep(ctx, p, file, reconciliation.Statement{
				Profile: p.Name, ProfileVersion: p.Version, Digest: hex.EncodeToString(digest.Sum(nil)), Size: size,
				SentBy: request.CallerFrom(ctx).Key(), SentAt: scalar.Instant(r.now()), Replaces: replaces,
			})
		}
		if err == nil && former != nil {
			err = r.follow(ctx, former, sent.ID)
		}
		return err
	})
	if err == nil {
		sent, err = r.Statement(ctx, sent.ID)
	}
	return sent, err
}

// statementKey returns the key of a statement.
func statementKey(s *statement) string {
	return fmt.Sprintf("statement/%s/%d/%s", s.Head.Profile, s.Head.ProfileVersion, s.Head.Digest)
}

// keep keeps a statement with its file, unless there is the same.
func (r *Reconciler) keep(
	ctx context.Context, p reconciliation.FileProfile, file *os.File, head reconciliation.Statement,
) (reconciliation.Statement, error) {
	s := &statement{Batch: uuid.New(), Head: head}
	key := statementKey(s)
	var same statement
	if h, err := r.find(ctx, key, &same); err != nil || h != nil {
		return same.Head, err
	}
	if err := r.read(ctx, s, p.FileProfileTerms, file); err != nil {
		return s.Head, err
	}
	err := r.add(ctx, statementList, s, func(id string) string {
		s.Head.ID = id
		return key
	})
	if docstore.Overtaken(err) {
		_, err = r.find(ctx, key, &same) // somebody has sent it at the same time
		return same.Head, err
	}
	return s.Head, err
}

// read reads the rows of a file, and keeps them and the file.
func (r *Reconciler) read(
	ctx context.Context, s *statement, p reconciliation.FileProfileTerms, file *os.File,
) error {
	rows := &block.Writer[match.Entry]{List: r.itemsOf(s.Batch, rowBlocks, blockLength)}
	var found profile.Read
	// A file that turns out to be wrong at its end leaves nothing, so that it is read once before anything is written.
	for _, add := range []func(match.Entry) error{
		func(match.Entry) error { return ctx.Err() }, func(e match.Entry) error { return rows.Add(ctx, e) },
	} {
		var err error
		if found, err = profile.Entries(&p, file, s.Head.Size, add); err != nil {
			return unreadable(err)
		}
	}
	if err := rows.Flush(ctx); err != nil {
		return err
	}
	s.Head.Rows, s.Head.Quarantined, s.Head.Totals = found.Rows, found.Quarantined, found.Totals
	s.Head.Formulas, s.Head.Notes, s.Columns = found.Formulas, found.Notes, found.Columns
	pieces := &block.Writer[piece]{List: r.itemsOf(s.Batch, filePieces, 1)}
	for at := int64(0); at < s.Head.Size; at += pieceSize {
		some := make([]byte, min(pieceSize, s.Head.Size-at))
		if _, err := file.ReadAt(some, at); err != nil {
			return err
		}
		if err := pieces.Add(ctx, piece{some}); err != nil {
			return err
		}
	}
	s.Pieces = pieces.Count
	return nil
}
