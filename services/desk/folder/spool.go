package folder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/google/uuid"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/sheet"
	"insurance.example/exchange/services/desk/block"
)

// LargestFile is the largest size of a file, in bytes.
const LargestFile = 64 << 20

const (
	// mostFiles is how many files are kept in the folder for temporary files at a time. The others wait.
	mostFiles = 8
	// mostMemory is how much memory the files that are read, and the rows that are compared, take together, in bytes:
	// one workbook, or twelve files of CSV. The others wait. More rows than that are compared alone.
	mostMemory = 48 << 20
	// filePieces is the list of the pieces of a file, and pieceSize how many bytes a piece has.
	filePieces = "file"
	pieceSize  = 256 << 10
)

// readingMemory is how much memory the reading of a file takes at most, in bytes, by its format. A workbook has texts
// that its cells share.
var readingMemory = map[string]int{reconciliation.CSV: 4 << 20, reconciliation.XLSX: 48 << 20}

// File is a file that was sent, as long as it is read.
type File struct {
	*os.File
	Size int64
	// Digest is the SHA-256, in hexadecimal.
	Digest string
}

// piece is a piece of a file.
type piece struct {
	Bytes []byte `json:"bytes"`
}

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

// Spooled calls a function with a body as a file of a format. The file is gone after that. Errors: problem.Unavailable,
// those of the body and of the function.
func (f *Folder) Spooled(ctx context.Context, format string, body io.Reader, do func(File) error) error {
	return f.spooled(ctx, format, func(to io.Writer) error {
		_, err := io.Copy(to, body)
		return err
	}, do)
}

// Reopened calls a function with a file that is kept in pieces of a batch, as Spooled does.
func (f *Folder) Reopened(ctx context.Context, format string, batch uuid.UUID, count int, do func(File) error) error {
	return f.spooled(ctx, format, func(to io.Writer) error { return f.WriteFile(ctx, batch, count, to) }, do)
}

func (f *Folder) spooled(ctx context.Context, format string, fill func(io.Writer) error, do func(File) error) error {
	if err := f.files.Acquire(ctx, 1); err != nil {
		return problem.Outage(err)
	}
	defer f.files.Release(1)
	file, err := newSpool()
	if err != nil {
		return problem.Outage(err)
	}
	defer file.remove()
	digest := sha256.New()
	if err := fill(io.MultiWriter(file, digest)); err != nil { // what a file reads by itself would pass by Write
		return err
	}
	size, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return problem.Outage(err)
	}
	// It has come, so that nobody waits for its sender.
	leave, err := f.Room(ctx, readingMemory[format])
	if err != nil {
		return err
	}
	defer leave()
	return do(File{file.File, size, hex.EncodeToString(digest.Sum(nil))})
}

// Room waits until there is room for a number of bytes besides what others have in memory, or for as many as there may
// be. leave gives it back. Errors: problem.Unavailable.
func (f *Folder) Room(ctx context.Context, bytes int) (leave func(), err error) {
	weight := int64(min(bytes, mostMemory))
	if err := f.memory.Acquire(ctx, weight); err != nil {
		return nil, problem.Outage(err)
	}
	return func() { f.memory.Release(weight) }, nil
}

// Unreadable returns an error of reading a file as its sender sees it.
func Unreadable(err error) error {
	var wrong *sheet.WrongError
	if errors.As(err, &wrong) {
		return problem.New(problem.Invalid, "The file cannot be read by the profile.").At("", wrong.Error())
	}
	return err
}

// KeepFile keeps a file in pieces of a batch, and returns how many they are.
func (f *Folder) KeepFile(ctx context.Context, batch uuid.UUID, file File) (count int, err error) {
	pieces := &block.Writer[piece]{List: f.ItemsOf(batch, filePieces, 1)}
	for at := int64(0); at < file.Size; at += pieceSize {
		some := make([]byte, min(pieceSize, file.Size-at))
		if _, err := file.ReadAt(some, at); err != nil {
			return 0, err
		}
		if err := pieces.Add(ctx, piece{some}); err != nil {
			return 0, err
		}
	}
	return pieces.Count, nil
}

// WriteFile writes a file that is kept as it was sent. Errors: those of the store and the writer.
func (f *Folder) WriteFile(ctx context.Context, batch uuid.UUID, count int, to io.Writer) error {
	return EachOf(ctx, f, batch, filePieces, 1, count, func(p piece) error {
		_, err := to.Write(p.Bytes)
		return err
	})
}
