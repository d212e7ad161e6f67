package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/deploy/exchange/allinone"
	"insurance.example/exchange/deploy/exchange/progress"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/services/book"
	"insurance.example/exchange/services/book/rows"
)

const (
	// inBook stands for the book where findings name a service.
	inBook = "book"
	// ofBook is the invariant that a book breaks.
	ofBook = "the book has what the records come to"
	// ofEach is how many rows of a table are reported.
	ofEach = 10
)

// figures are a copy of the book in figures, as it was before the databases were opened: they have all that it has
// read.
type figures struct {
	folder, file string
	*rows.Book
	fault error
}

// copyBook copies the book of a data folder; nil if it has none, as a backup.
func copyBook(data string) (*figures, error) {
	f := &figures{file: allinone.BookFile(data)}
	if _, err := os.Stat(f.file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var err error
	if f.folder, err = os.MkdirTemp("", "book"); err == nil {
		f.Book, f.fault = rows.Copy(f.file, filepath.Join(f.folder, "copy"))
	}
	return f, err
}

// close removes the copy.
func (f *figures) close() (err error) {
	if f.Book != nil {
		err = f.Close()
	}
	return errors.Join(err, os.RemoveAll(f.folder))
}

// examine compares the book with one that is made of the databases. It reports what differs, and returns how many rows
// and cells there are.
func (f *figures) examine(
	ctx context.Context, of *peers, report func(docstore.Finding, bool) error, progressed io.Writer,
) (count int, err error) {
	anew := "a book; the next start of the exchange makes it anew, and so it does of a folder from which " + f.file +
		" was deleted while it was stopped"
	if f.fault != nil {
		return 0, report(docstore.Finding{Invariant: ofBook, Found: docstore.Short(f.fault.Error()), Expected: anew},
			errors.Is(f.fault, rows.ErrForm))
	}
	owners, err := f.Owners()
	if err != nil {
		return 0, err
	}
	if slices.ContainsFunc(owners, func(owner string) bool { return owner != "" }) {
		// The services that are asked here do not know of organisations.
		return 0, report(docstore.Finding{Invariant: ofBook,
			Found:    "rows that organisations own, which are not compared",
			Expected: "a book of an exchange that organisations do not share"}, true)
	}
	clients := map[string]*peer.Client{}
	for _, name := range internalapi.Booked() {
		if clients[name], err = of.of(ctx, name); err != nil {
			return 0, err
		}
	}
	bar, total := progress.New(progressed, -1), 0
	defer bar.End()
	follow := func(b *rows.Book) error {
		return book.CatchUp(ctx, b, func(name string) *peer.Client { return clients[name] }, func(entries int) {
			total += entries
			bar.At(int64(total), fmt.Sprintf("%d entries of logs read for the book", total))
		})
	}
	// What has happened since it was read is no fault.
	if err := follow(f.Book); err != nil {
		return 0, err
	}
	other, err := f.Empty(filepath.Join(f.folder, "anew"))
	if err != nil {
		return 0, err
	}
	if err = follow(other); err == nil {
		count, err = f.Compare(ctx, other, ofEach, func(d rows.Difference) error {
			return report(docstore.Finding{Collection: d.Table, ID: d.Key, Invariant: ofBook,
				Found: docstore.Short(d.Is), Expected: docstore.Short(d.Wants)}, false)
		})
	}
	return count, errors.Join(err, other.Close())
}
