package backup

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"insurance.example/exchange/deploy/exchange/allinone"
	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/deploy/exchange/progress"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/rest/inspect"
)

// taken is what a backup was made of.
type taken struct {
	// began is the instant before which every acknowledged write is in the backup.
	began time.Time
	name  string
	bytes int64
	sums  sums
}

// take makes a backup of the exchange whose data is in a folder, and says on notes how far it has come.
func take(ctx context.Context, data, target string, notes io.Writer) (copy *taken, err error) {
	path := allinone.RecordsFile(data)
	if allinone.InMongo(data) {
		return nil, client.Misuse(fmt.Sprintf("the exchange of the folder %s has its records in MongoDB, of which "+
			"MongoDB's own tools make backups", data))
	}
	if old, err := allinone.OldFiles(data); err != nil || len(old) > 0 {
		return nil, cmp.Or(err, allinone.NotJoined(data))
	}
	d, err := newDraft(target, "name another folder for the backup")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.discard())
		}
	}()
	copy = &taken{began: time.Now().UTC(), name: filepath.Base(path), sums: sums{}}
	snapshot, err := sqlitestore.OpenSnapshot(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = client.Misuse(fmt.Sprintf(
			"there is no file %s; name the data folder of an exchange with --data or EXCHANGE_DATA", path))
	}
	if err != nil {
		return nil, err
	}
	var bar *progress.Progress
	err = snapshot.Copy(ctx, d.file(copy.name), func(done, total int64) error {
		if bar == nil {
			bar = progress.New(notes, total)
		}
		bar.At(done, fmt.Sprintf("%s of %s copied", size(done), size(total)))
		return nil
	})
	if bar != nil {
		bar.End()
	}
	if err = errors.Join(err, snapshot.Close()); err != nil {
		return nil, err
	}
	if err := errors.Join(verify(ctx, d.file(copy.name)), verifyVersions(ctx, d.file(copy.name))); err != nil {
		return nil, fmt.Errorf("%w; the copy is as %s is, so restore an earlier backup, or repair that file", err, path)
	}
	copied, err := os.Open(d.file(copy.name))
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	copy.bytes, err = io.Copy(sum, copied)
	if err = errors.Join(err, copied.Close()); err != nil {
		return nil, err
	}
	copy.sums[copy.name] = digits(sum)
	if err := copy.sums.write(d.path, copy.name); err != nil {
		return nil, err
	}
	return copy, d.keep()
}

// verify opens a copy and reads all of it.
func verify(ctx context.Context, path string) error {
	snapshot, err := sqlitestore.OpenSnapshot(path)
	if err != nil {
		return err
	}
	faults, err := snapshot.Faults(ctx)
	if err == nil && len(faults) > 0 {
		err = fmt.Errorf("%s is damaged: %s", filepath.Base(path), faults[0])
	}
	return errors.Join(err, snapshot.Close())
}

// mostNamed bounds how many versions are named that are not as they were written.
const mostNamed = 10

// verifyVersions compares each version of each record of a copy with its digest.
func verifyVersions(ctx context.Context, path string) error {
	services, err := allinone.CallersFirst()
	if err != nil {
		return err
	}
	snapshot, err := sqlitestore.OpenSnapshot(path)
	if err != nil {
		return err
	}
	var named []string
	faults := 0
	report := func(f docstore.Finding) error {
		if faults++; faults <= mostNamed {
			named = append(named, fmt.Sprintf("%s %s, %s", f.Collection, f.ID, f.Found))
		}
		return nil
	}
	for _, s := range services {
		inspected, failed := s.Inspected()
		if failed == nil {
			failed = inspect.Digests(ctx, inspected, inspect.Examination{Store: snapshot.Of(s.Name), Report: report})
		}
		err = errors.Join(err, failed)
	}
	if err == nil && faults > 0 {
		err = fmt.Errorf("%s has %d versions of records that are not as they were written: %s", filepath.Base(path),
			faults, strings.Join(named, "; "))
	}
	return errors.Join(err, snapshot.Close())
}

// size returns a number of bytes in words.
func size(bytes int64) string {
	if bytes < 1_000_000 {
		return fmt.Sprintf("%.1f kB", float64(bytes)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}
