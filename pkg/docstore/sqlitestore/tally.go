package sqlitestore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// ErrLost is the error of Open if the database does not hold every write that it held once.
var ErrLost = errors.New("has lost what it held")

// tallyTable has one row: how many transactions have changed the database. No collection can have this name.
const tallyTable = "tally of transactions"

// tally counts the transactions that change the database, twice: in a row of the database, as a part of each
// transaction, and in a file (path-tally), the note, after each. SQLite opens a database without its log, or with a
// part of it, as if nothing had been written since; the note then says more than the row. The note is not synced with
// each transaction: after a power cut it may say less than the row, and never more, because a transaction is on the
// disk before it is noted.
//
// The note also says how long the database file was when all of it was on the disk. Where a log goes with the file,
// SQLite does not notice that its end is missing before it reads there.
//
// What this cannot notice: a loss from a folder that is put back as a whole, with its older note; a loss of what was
// written in the seconds before a power cut, if the note was not on the disk yet; the loss of the note itself; and
// other bytes in a file of the same length, which OpenSnapshot and Faults look for.
type tally struct {
	path string
	// database is open as long as a connection is: by closing a file, a process gives up the locks that SQLite has on
	// it.
	database *os.File
	note     *os.File // nil until the first transaction, if the database had none
	noted    noted
	// transactions is what the row says.
	transactions int64
	set          *sqlite3.Stmt
}

// noted is what the note says.
type noted struct{ transactions, bytes int64 }

// noteFormat has the same length for all numbers, so that a note is written over the former one.
const noteFormat = "%019d transactions, %019d bytes\n"

func readNoted(text string) (noted, error) {
	words := strings.Fields(text)
	if len(words) != 4 {
		return noted{}, fmt.Errorf("it holds %q", text)
	}
	transactions, err := strconv.ParseInt(words[0], 10, 64)
	bytes, wrong := strconv.ParseInt(words[2], 10, 64)
	return noted{transactions, bytes}, errors.Join(err, wrong)
}

func notePath(path string) string { return path + "-tally" }

// openTally compares the length of the database file with the note. It is called before SQLite opens the file: an
// empty database makes it delete the log.
func openTally(path string) (*tally, error) {
	database, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, withRemedy(path, err)
	}
	t := &tally{path: path, database: database}
	if err := t.readNote(); err != nil {
		return nil, errors.Join(err, t.closeFiles())
	}
	return t, nil
}

// readNote opens the note, if there is one, and compares the length of the database file with it.
func (t *tally) readNote() error {
	note, err := os.OpenFile(notePath(t.path), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return withRemedy(notePath(t.path), err)
	}
	t.note = note
	text, err := io.ReadAll(io.LimitReader(note, 1<<10))
	if err != nil {
		return withRemedy(notePath(t.path), err)
	}
	if t.noted, err = readNoted(string(text)); err != nil {
		return fmt.Errorf("%s cannot be read (%w); if %s is whole, remove it", notePath(t.path), err, t.path)
	}
	info, err := t.database.Stat()
	if err != nil {
		return withRemedy(t.path, err)
	}
	if info.Size() < t.noted.bytes {
		return t.lost(fmt.Sprintf("it has %d bytes, and had %d", info.Size(), t.noted.bytes))
	}
	return nil
}

// lost returns an error that says what is missing and what to do.
func (t *tally) lost(missing string) error {
	return fmt.Errorf("%s %w: %s; put the missing file back (%s, %s-wal), or restore a backup. "+
		"To go on without what is lost, or if you have put an older copy there on purpose, remove %s",
		t.path, ErrLost, missing, t.path, t.path, notePath(t.path))
}

// compare compares the row with the note, and makes the row if there is none. conn is the connection that writes.
func (t *tally) compare(conn *sqlite3.Conn) error {
	columns, err := tableColumns(conn, tallyTable)
	if err != nil {
		return withRemedy(t.path, err)
	}
	there := len(columns) > 0
	if there {
		if t.transactions, err = readTally(conn); err != nil {
			return withRemedy(t.path, err)
		}
	}
	if t.transactions < t.noted.transactions {
		return t.lost(fmt.Sprintf("it holds %d transactions, and held %d", t.transactions, t.noted.transactions))
	}
	if !there {
		if err := conn.Exec(fmt.Sprintf(
			`BEGIN; CREATE TABLE %[1]s (transactions INTEGER NOT NULL) STRICT; INSERT INTO %[1]s VALUES (0); COMMIT`,
			quoted(tallyTable))); err != nil {
			return withRemedy(t.path, err)
		}
	}
	if t.set, err = conn.Prepare(fmt.Sprintf(`UPDATE %s SET transactions = ?1`, quoted(tallyTable))); err != nil {
		return withRemedy(t.path, err)
	}
	return nil
}

// readTally returns what the row says.
func readTally(conn *sqlite3.Conn) (int64, error) {
	stmt, err := conn.Prepare(`SELECT transactions FROM ` + quoted(tallyTable))
	if err != nil {
		return 0, err
	}
	defer stmt.Reset()
	if row, err := stmt.Step(); err != nil || !row {
		return 0, err
	}
	return stmt.Int(0), nil
}

// count counts the transaction that is open in the row.
func (t *tally) count() error {
	t.set.BindInt(1, t.transactions+1)
	return t.set.Run()
}

// counted notes that the transaction which was counted is committed.
func (t *tally) counted() error {
	t.transactions++
	if t.note == nil {
		return t.makeNote()
	}
	return t.write()
}

// makeNote makes the note, so that it is on the disk whole.
func (t *tally) makeNote() (err error) {
	if t.note, err = os.OpenFile(notePath(t.path), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return err
	}
	if err = t.write(); err == nil {
		err = errors.Join(t.note.Sync(), syncFile(filepath.Dir(t.path)))
	}
	if err != nil {
		// A note that is not whole would stop the next start.
		err = errors.Join(err, t.note.Close(), os.Remove(notePath(t.path)))
		t.note = nil
	}
	return err
}

// write brings the note up to date.
func (t *tally) write() error {
	info, err := t.database.Stat()
	if err != nil {
		return err
	}
	if info.Size() > t.noted.bytes {
		// A copy of the log into the file that broke off is not on the disk yet.
		if err := t.database.Sync(); err != nil {
			return err
		}
		t.noted.bytes = info.Size()
	}
	t.noted.transactions = t.transactions
	_, err = t.note.WriteAt(fmt.Appendf(nil, noteFormat, t.noted.transactions, t.noted.bytes), 0)
	return err
}

// close notes how the database was left. It is called after the last connection was closed, which has copied the log
// into the file.
func (t *tally) close() error {
	var err error
	if t.note != nil {
		err = errors.Join(t.write(), t.note.Sync())
	}
	return errors.Join(err, t.closeFiles())
}

func (t *tally) closeFiles() error {
	err := t.database.Close()
	if t.note != nil {
		err = errors.Join(err, t.note.Close())
	}
	return err
}
