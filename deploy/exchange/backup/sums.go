// Package backup holds the commands that copy the records of an exchange while it runs, and that make a data folder
// from a copy.
package backup

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path/filepath"

	"insurance.example/exchange/deploy/exchange/allinone"
	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/pkg/whole"
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
	return whole.Create(filepath.Join(folder, sumOf(name)), fmt.Appendf(nil, "%s  %s\n", s[name], name))
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

// digits returns the hexadecimal digits of a sum.
func digits(of hash.Hash) string { return hex.EncodeToString(of.Sum(nil)) }
