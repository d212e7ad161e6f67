package reconciliation

import (
	"context"
	"fmt"
	"io"

	"github.com/google/uuid"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/services/desk/block"
	"insurance.example/exchange/services/desk/folder"
	"insurance.example/exchange/services/desk/reconciliation/match"
	"insurance.example/exchange/services/desk/reconciliation/profile"
)

// rowBlocks are the blocks of a statement with the rows that were read.
const rowBlocks = "rows"

// statement is a statement as it is stored.
type statement struct {
	Head   reconciliation.Statement `json:"head"`
	Batch  uuid.UUID                `json:"batch"`
	Pieces int                      `json:"pieces"`
	// Columns are the numbers of the columns by their meanings.
	Columns map[string]int `json:"columns"`
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
	h, err := r.Get(ctx, id, s)
	if err == nil && (h == nil || s.Head.ID != id) {
		err = problem.New(problem.NotFound, "There is no statement "+problem.Short(id)+".")
	}
	return s, err
}

// eachRow calls a function with each row of a statement. Errors: those of the function and of the store.
func (r *Reconciler) eachRow(ctx context.Context, s *statement, do func(match.Entry) error) error {
	return folder.EachOf(ctx, r.Folder, s.Batch, rowBlocks, folder.BlockLength, s.Head.Rows, do)
}

// WriteFile writes the file of a statement as it was sent. Errors: problem.NotFound, those of the store and the writer.
func (r *Reconciler) WriteFile(ctx context.Context, id string, to io.Writer) error {
	s, err := r.statement(ctx, id)
	if err != nil {
		return err
	}
	return r.Folder.WriteFile(ctx, s.Batch, s.Pieces, to)
}

// Send reads a file by a profile, and keeps it. The same file by the same version of a profile is the same statement.
// It takes the place of the statement with an id, unless that is empty. Errors: problem.NotFound for the profile,
// problem.Invalid for a file that cannot be read, problem.BadParameter, problem.Transition, those of the body and of
// the store.
func (r *Reconciler) Send(
	ctx context.Context, name, replaces string, body io.Reader,
) (head reconciliation.Statement, err error) {
	err = r.spooled(ctx, name, body, func(p reconciliation.FileProfile, file folder.File) error {
		former, err := r.replaceable(ctx, p, replaces)
		if err == nil {
			head, err = r.keep(ctx, p, file, reconciliation.Statement{
				Profile: p.Name, ProfileVersion: p.Version, Digest: file.Digest, Size: file.Size,
				SentBy: request.CallerFrom(ctx).Key(), SentAt: scalar.Instant(r.now()), Replaces: replaces,
			})
		}
		if err == nil && former != nil {
			err = r.follow(ctx, former, head.ID)
		}
		return err
	})
	if err == nil {
		head, err = r.Statement(ctx, head.ID)
	}
	return head, err
}

// statementKey returns the key of a statement.
func statementKey(s *statement) string {
	return fmt.Sprintf("statement/%s/%d/%s", s.Head.Profile, s.Head.ProfileVersion, s.Head.Digest)
}

// keep keeps a statement with its file, unless there is the same.
func (r *Reconciler) keep(
	ctx context.Context, p reconciliation.FileProfile, file folder.File, head reconciliation.Statement,
) (reconciliation.Statement, error) {
	s := &statement{Batch: uuid.New(), Head: head}
	key := statementKey(s)
	var same statement
	if h, err := r.Find(ctx, key, &same); err != nil || h != nil {
		return same.Head, err
	}
	if err := r.read(ctx, s, p.FileProfileTerms, file); err != nil {
		return s.Head, err
	}
	err := r.Add(ctx, statementList, s, func(id string) string {
		s.Head.ID = id
		return key
	})
	if docstore.Overtaken(err) {
		_, err = r.Find(ctx, key, &same) // somebody has sent it at the same time
		return same.Head, err
	}
	return s.Head, err
}

// read reads the rows of a file, and keeps them and the file.
func (r *Reconciler) read(
	ctx context.Context, s *statement, p reconciliation.FileProfileTerms, file folder.File,
) error {
	rows := &block.Writer[match.Entry]{List: r.ItemsOf(s.Batch, rowBlocks, folder.BlockLength)}
	var table profile.Read
	// A file that turns out to be wrong at its end leaves nothing, so that it is read once before anything is written.
	for _, add := range []func(match.Entry) error{
		func(match.Entry) error { return ctx.Err() }, func(e match.Entry) error { return rows.Add(ctx, e) },
	} {
		var err error
		if table, err = profile.Entries(&p, file, s.Head.Size, add); err != nil {
			return folder.Unreadable(err)
		}
	}
	if err := rows.Flush(ctx); err != nil {
		return err
	}
	s.Head.Rows, s.Head.Quarantined, s.Head.Totals = table.Rows, table.Quarantined, table.Totals
	s.Head.Formulas, s.Head.Notes, s.Columns = table.Formulas, table.Notes, table.Columns
	var err error
	s.Pieces, err = r.KeepFile(ctx, s.Batch, file)
	return err
}

// spooled calls a function with a body as a file that is to be read by a profile. The file is gone after that. Errors:
// problem.NotFound for the profile, problem.Invalid for one of files that are imported, problem.Unavailable, those of
// the body and of the function.
func (r *Reconciler) spooled(
	ctx context.Context, name string, body io.Reader, do func(reconciliation.FileProfile, folder.File) error,
) error {
	p, _, err := r.Profile(ctx, name)
	if err == nil && len(p.Records) > 0 {
		err = problem.New(problem.Invalid, "").InParameter("profile", "is of files that are imported, not compared")
	}
	if err != nil {
		return err
	}
	return r.Spooled(ctx, p.Format, body, func(file folder.File) error { return do(p, file) })
}
