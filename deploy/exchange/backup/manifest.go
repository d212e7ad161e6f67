// Package backup holds the commands that copy the records of an exchange while it runs, and that make a data folder
// from a copy.
package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"insurance.example/exchange/deploy/exchange/allinone"
	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/pkg/process"
)

// manifestFile is the file of a backup that says what the backup consists of. It is written last.
const manifestFile = "manifest.json"

// form is the form of the backups that this release makes and reads.
const form = 1

// manifest is the content of the manifest.
type manifest struct {
	Form int `json:"form"`
	// Release is the release of the exchange that made the backup.
	Release string `json:"release"`
	// Began is the instant before which every acknowledged write is in the backup.
	Began time.Time `json:"began"`
	Ended time.Time `json:"ended"`
	Files []entry   `json:"files"`
}

// entry is a file of a backup.
type entry struct {
	Service string `json:"service"`
	Name    string `json:"name"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`
}

func (m *manifest) bytes() int64 {
	var total int64
	for _, e := range m.Files {
		total += e.Bytes
	}
	return total
}

// write writes the manifest into a folder.
func (m *manifest) write(folder string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(folder, manifestFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	return errors.Join(err, file.Sync(), file.Close())
}

// largestManifest bounds what is read of a file that claims to be a manifest, in bytes.
const largestManifest = 1 << 20

// readManifest returns the manifest of a backup, which has exactly the files of the services.
func readManifest(folder string) (*manifest, error) {
	path := filepath.Join(folder, manifestFile)
	file, err := openFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, client.Misuse(fmt.Sprintf(
			"%s is no backup: it has no file %s; name a folder that exchange backup has made", folder, manifestFile))
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var m manifest
	if err := json.NewDecoder(io.LimitReader(file, largestManifest)).Decode(&m); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w; take another backup", path, err)
	}
	if m.Form != form {
		return nil, fmt.Errorf("%s: the backup has the form %d, which release %s made, and this release %s reads "+
			"the form %d; use the release that made it",
			path, m.Form, m.Release, process.CurrentBuild().Version, form)
	}
	services, err := allinone.CallersFirst()
	if err != nil {
		return nil, err
	}
	var expected, found []string
	for _, e := range m.Files {
		found = append(found, e.Name)
	}
	for _, s := range services {
		file := filepath.Base(allinone.StoreFile("", s.Name))
		if !allinone.Added(s.Name) || slices.Contains(found, file) {
			expected = append(expected, file)
		}
	}
	slices.Sort(expected)
	slices.Sort(found)
	if !slices.Equal(expected, found) {
		return nil, fmt.Errorf("%s names the files %v, and a backup has %v; take another backup", path, found, expected)
	}
	return &m, nil
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
