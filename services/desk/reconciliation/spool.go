package reconciliation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/sheet"
)

const (
	// mostFiles is how many files are kept in the folder for temporary files at a time. The others wait.
	mostFiles = 8
	// mostMemory is how much memory the files that are read, and the rows that are compared, take together, in bytes:
	// one workbook, or twelve files of CSV. The others wait. More rows than that are compared alone.
	mostMemory = 48 << 20
)

// spool is a file that was sent, in the folder for temporary files. It is read more than once.
type spool struct{ *os.File }

func newSpool() (spool, error) {
	file, err := os.CreateTemp("", "statement-*")
	return spool{file}, err
}

// Write implements io.Writer. A disk that takes no more is an outage, and not a fault of the file. Errors:
// problem.Unavailable.
func (s spool) Write(p []byte) (int, error) {
	n, err := s.File.Write(p)
	if err != nil {
		err = problem.Outage(err)
	}
	return n, err
}

func (s spool) remove() {
	_ = s.Close()
	_ = os.Remove(s.Name())
}

// canSpool returns why no file can be written in the folder for temporary files.
func canSpool() error {
	file, err := newSpool()
	if err != nil {
		return fmt.Errorf("a file that is sent is kept in %s while it is read, and none can be made there: %w; "+
			"TMPDIR names another folder", os.TempDir(), err)
	}
	file.remove()
	return nil
}

// spooled calls a function with a body as a file that is to be read by a profile. The file is gone after that. Errors:
// problem.NotFound for the profile, problem.Unavailable, those of the body and of the function.
func (r *Reconciler) spooled(
	ctx context.Context, name string, body io.Reader,
	do func(p reconciliation.FileProfile, file *os.File, size int64) error,
) error {
	p, _, err := r.Profile(ctx, name)
	if err != nil {
		return err
	}
	if err := r.files.Acquire(ctx, 1); err != nil {
		return problem.Outage(err)
	}
	defer r.files.Release(1)
	file, err := newSpool()
	if err != nil {
		return problem.Outage(err)
	}
	defer file.remove()
	size, err := io.Copy(io.MultiWriter(file), body) // what a file reads by itself would pass by Write
	if err != nil {
		return err
	}
	// It has come, so that nobody waits for its sender.
	leave, err := r.room(ctx, readingMemory[p.Format])
	if err != nil {
		return err
	}
	defer leave()
	return do(p, file.File, size)
}

// room waits until there is room for a number of bytes besides what others have in memory, or for as many as there may
// be. leave gives it back. Errors: problem.Unavailable.
func (r *Reconciler) room(ctx context.Context, bytes int) (leave func(), err error) {
	taken := int64(min(bytes, mostMemory))
	if err := r.memory.Acquire(ctx, taken); err != nil {
		return nil, problem.Outage(err)
	}
	return func() { r.memory.Release(taken) }, nil
}

// unreadable returns an error of reading a file as its sender sees it.
func unreadable(err error) error {
	var wrong *sheet.WrongError
	if errors.As(err, &wrong) {
		return problem.New(problem.Invalid, "The file cannot be read by the profile.").At("", wrong.Error())
	}
	return err
}
