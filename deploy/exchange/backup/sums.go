// Package backup holds the commands that copy the records of an exchange while it runs, and that make a data folder
// from a copy.
package backup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"insurance.example/exchange/deploy/exchange/allinone"
	"insurance.example/exchange/deploy/exchange/client"
)

// sums are the SHA-256 of the files of a backup, in hexadecimal digits, by name. A backup has one file, and its sum in
// a file beside it as sha256sum writes it, which is written last. Those of releases with a file for each service have
// a manifest in its place.
type sums map[string]string

// sumOf is the file with the sum of a file.
func sumOf(name string) string { return name + ".sha256" }

const manifest = "manifest.json"

// write writes the sum of a file into a folder.
func (s sums) write(folder, name string) error {
	file, err := os.OpenFile(filepath.Join(folder, sumOf(name)), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, "%s  %s\n", s[name], name)
	return errors.Join(err, file.Sync(), file.Close())
}

// largestSums bounds what is read of a file that claims to have sums, in bytes.
const largestSums = 1 << 20

// readSums returns the sums of a backup.
func readSums(folder string) (sums, error) {
	name := filepath.Base(allinone.RecordsFile(""))
	text, err := readFile(filepath.Join(folder, sumOf(name)))
	if err == nil {
		sum, _, is := bytes.Cut(text, []byte("  "+name))
		if !is {
			return nil, fmt.Errorf("%s cannot be read; take another backup", filepath.Join(folder, sumOf(name)))
		}
		return sums{name: string(sum)}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	text, err = readFile(filepath.Join(folder, manifest))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, client.Misuse(fmt.Sprintf("%s is no backup: it has no file %s; name a folder that exchange backup "+
			"has made", folder, sumOf(name)))
	}
	if err != nil {
		return nil, err
	}
	var old struct {
		Files []struct{ Service, Name, SHA256 string }
	}
	if err := json.Unmarshal(text, &old); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w; take another backup", filepath.Join(folder, manifest), err)
	}
	all := sums{}
	for _, file := range old.Files {
		if file.Name != file.Service+".db" || file.Service != filepath.Base(file.Service) {
			return nil, fmt.Errorf("%s names the file %q, which is of no service; take another backup",
				filepath.Join(folder, manifest), file.Name)
		}
		all[file.Name] = file.SHA256
	}
	return all, nil
}

func readFile(path string) ([]byte, error) {
	file, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, largestSums))
}

// hashed is a writer that knows the size and the checksum of what was written.
type hashed struct {
	io.Writer
	sum   io.Writer
	bytes int64
	hex   func() string
}

func newHashed(w io.Writer) *hashed {
	sum := sha256.New()
	return &hashed{Writer: w, sum: sum, hex: func() string { return hex.EncodeToString(sum.Sum(nil)) }}
}

func (h *hashed) Write(p []byte) (int, error) {
	n, err := h.Writer.Write(p)
	_, _ = h.sum.Write(p[:n]) // never fails
	h.bytes += int64(n)
	return n, err
}
