package client

import (
	"bufio"
	"errors"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// reject is a line of the file of rejected records. Record is a string where the row is no JSON.
type reject struct {
	Line    int            `json:"line"`
	Record  jsontext.Value `json:"record"`
	Problem problem        `json:"problem"`
}

// rejects is the file of rejected records. It is made when there is one; that of an earlier import is removed.
type rejects struct {
	path  string
	file  *os.File
	w     *bufio.Writer
	count int
}

func newRejects(path string) (*rejects, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	return &rejects{path: path}, nil
}

func (r *rejects) add(line int, record []byte, p problem) (err error) {
	if r.file == nil {
		if r.file, err = os.OpenFile(r.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); err != nil {
			return err
		}
		r.w = bufio.NewWriter(r.file)
	}
	r.count++
	value := jsontext.Value(record)
	if !value.IsValid() {
		// Invalid UTF-8 is replaced: the line number leads to what is in the file.
		if value, err = jsontext.AppendQuote(nil, string([]rune(string(record)))); err != nil {
			return err
		}
	}
	if err := json.MarshalWrite(r.w, reject{line, value, p}); err != nil {
		return err
	}
	return r.w.WriteByte('\n')
}

func (r *rejects) close() error {
	if r.file == nil {
		return nil
	}
	return errors.Join(r.w.Flush(), r.file.Close())
}
