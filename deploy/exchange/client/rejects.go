package client

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

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
