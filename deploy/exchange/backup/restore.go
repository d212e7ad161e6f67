package backup

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"insurance.example/exchange/deploy/exchange/progress"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
)

// restore makes a data folder from a backup, and says on notes how far it has come. Positions in the logs of changes
// that were given before are no longer known there. A backup of a release with a file for each service gets its files,
// which the first start joins.
func restore(ctx context.Context, backup, data string, notes io.Writer) (err error) {
	all, err := readSums(backup)
	if err != nil {
		return err
	}
	d, err := newDraft(data, "move it away, or name another folder with --data")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.discard())
		}
	}()
	bar := progress.New(notes, -1)
	defer bar.End()
	var before int64
	for _, name := range slices.Sorted(maps.Keys(all)) {
		copied, err := all.copyFrom(ctx, backup, name, d, func(done int64) {
			bar.At(before+done, size(before+done)+" copied")
		})
		if err == nil {
			err = verify(ctx, d.file(name))
		}
		if err == nil {
			err = sqlitestore.RenewLogs(d.file(name))
		}
		if err != nil {
			return err
		}
		before += copied
	}
	return d.keep()
}

// copyFrom copies a file of a backup into a draft, if it has the sum that it should have.
func (s sums) copyFrom(
	ctx context.Context, backup, name string, d *draft, progress func(done int64),
) (int64, error) {
	path := filepath.Join(backup, name)
	from, err := openFile(path)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	to, err := os.OpenFile(d.file(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	sum, done := sha256.New(), int64(0)
	const atOnce = 4 << 20
	for err == nil {
		var n int64
		if err = ctx.Err(); err == nil {
			n, err = io.CopyN(io.MultiWriter(to, sum), from, atOnce)
		}
		done += n
		progress(done)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err = errors.Join(err, to.Sync(), to.Close()); err != nil {
		return 0, err
	}
	if digits(sum) != s[name] {
		return 0, fmt.Errorf("%s is not the file that the backup was made with: its SHA-256 is %s, and was %s; "+
			"restore another backup", path, digits(sum), s[name])
	}
	return done, nil
}

// openFile opens a file of a backup. A symbolic link may lead to a file that the backup does not have.
func openFile(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if opened, err := file.Stat(); err != nil || !info.Mode().IsRegular() || !os.SameFile(info, opened) {
		return nil, errors.Join(err, file.Close(), fmt.Errorf(
			"%s is not a file but a link or the like, which is not followed; restore the backup as it was made", path))
	}
	return file, nil
}
