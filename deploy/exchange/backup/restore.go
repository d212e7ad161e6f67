package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"insurance.example/exchange/deploy/exchange/progress"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
)

// restore makes a data folder from a backup, and says on notes how far it has come. Positions in the logs of changes
// that were given before are no longer known there.
func restore(ctx context.Context, backup, data string, notes io.Writer) (m *manifest, err error) {
	if m, err = readManifest(backup); err != nil {
		return nil, err
	}
	d, err := newDraft(data, "move it away, or name another folder with --data")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.discard())
		}
	}()
	shown := progress.New(notes, m.bytes())
	var before int64
	for _, file := range m.Files {
		err := file.copyFrom(ctx, backup, d, func(done int64) error {
			return shown.At(before+done, fmt.Sprintf("%s of %s copied", size(before+done), size(m.bytes())))
		})
		if err == nil {
			err = verify(ctx, d.file(file.Name))
		}
		if err == nil {
			err = sqlitestore.RenewLog(d.file(file.Name))
		}
		if err != nil {
			return nil, errors.Join(shown.End(), err)
		}
		before += file.Bytes
	}
	if err := shown.End(); err != nil {
		return nil, err
	}
	return m, d.keep()
}

// copyFrom copies the file of a backup into a draft, if it has the size and the checksum of the manifest.
func (e *entry) copyFrom(ctx context.Context, backup string, d *draft, progress func(done int64) error) error {
	path := filepath.Join(backup, e.Name)
	from, err := openFile(path)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(d.file(e.Name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	written := newHashed(to)
	const atOnce = 4 << 20
	for err == nil {
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(written, from, atOnce)
		}
		err = errors.Join(err, progress(written.bytes))
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err = errors.Join(err, to.Sync(), to.Close()); err != nil {
		return err
	}
	if written.bytes != e.Bytes || written.hex() != e.SHA256 {
		return fmt.Errorf("%s is not the file that the backup was made with: it has %d bytes with the SHA-256 %s, "+
			"and %s says %d bytes and %s; restore another backup",
			path, written.bytes, written.hex(), manifestFile, e.Bytes, e.SHA256)
	}
	return nil
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
