// Package whole writes files that appear whole or not at all. They are readable by their owner only.
package whole

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Write puts a content in the place of what a file has.
func Write(path string, content []byte) error {
	return Stream(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Stream is Write for what do writes. Its error leaves the file as it was.
func Stream(path string, do func(io.Writer) error) error { return place(path, do, os.Rename) }

// Create writes a file that is not there. One that is stays as it is, and the error is fs.ErrExist.
func Create(path string, content []byte) error {
	return place(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}, os.Link) // a link does not replace what is there
}

// place has a file written under another name, and puts it in its place once it is on the disk.
func place(path string, do func(io.Writer) error, put func(from, to string) error) error {
	draft, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	err = do(draft)
	if err == nil {
		err = draft.Sync()
	}
	if err = errors.Join(err, draft.Close()); err != nil {
		return err
	}
	return put(draft.Name(), path)
}
