package backup

import (
	"context"
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
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest/inspect"
	"insurance.example/exchange/pkg/rest/inspect/walk"
)

// source is the database of a service at the instant of its snapshot.
type source struct {
	service, path string
	inspected     inspect.Service
	snapshot      *sqlitestore.Snapshot
}

// snapshots takes a snapshot of the database of each service in a data folder, those of callers first: then every
// record that one names is in another.
func snapshots(data string) ([]source, error) {
	if allinone.InMongo(data) {
		return nil, client.Misuse(fmt.Sprintf("the exchange of the folder %s has its records in MongoDB, of which "+
			"MongoDB's own tools make backups", data))
	}
	services, err := allinone.CallersFirst()
	if err != nil {
		return nil, err
	}
	var all []source
	for _, s := range services {
		path := allinone.StoreFile(data, s.Name)
		inspected, err := s.Inspected()
		if err != nil {
			return nil, errors.Join(err, closeAll(all))
		}
		snapshot, err := sqlitestore.OpenSnapshot(path)
		if errors.Is(err, fs.ErrNotExist) && allinone.Added(s.Name) {
			continue
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = client.Misuse(fmt.Sprintf(
				"there is no file %s; name the data folder of an exchange with --data or EXCHANGE_DATA", path))
		}
		if err != nil {
			return nil, errors.Join(err, closeAll(all))
		}
		all = append(all, source{s.Name, path, inspected, snapshot})
	}
	return all, nil
}

func closeAll(sources []source) error {
	var errs []error
	for _, s := range sources {
		errs = append(errs, s.snapshot.Close())
	}
	return errors.Join(errs...)
}

// take makes a backup of the exchange whose data is in a folder, and says on notes how far it has come.
func take(ctx context.Context, data, target string, notes io.Writer) (m *manifest, err error) {
	d, err := newDraft(target, "name another folder for the backup")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.discard())
		}
	}()
	m = &manifest{Form: form, Release: process.CurrentBuild().Version, Began: time.Now().UTC()}
	sources, err := snapshots(data)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeAll(sources)) }()
	for _, s := range sources {
		file, err := s.copyTo(ctx, d, notes)
		if err != nil {
			return nil, err
		}
		m.Files = append(m.Files, file)
	}
	m.Ended = time.Now().UTC()
	if err := m.write(d.path); err != nil {
		return nil, err
	}
	return m, d.keep()
}

// copyTo copies the database into the draft and verifies the copy.
func (s *source) copyTo(ctx context.Context, d *draft, notes io.Writer) (entry, error) {
	file := entry{Service: s.service, Name: filepath.Base(s.path)}
	var shown *progress.Progress
	err := s.snapshot.Copy(ctx, d.file(file.Name), func(done, total int64) error {
		if shown == nil {
			shown = progress.New(notes, total)
		}
		return shown.At(done, fmt.Sprintf("%s: %s of %s copied", file.Name, size(done), size(total)))
	})
	if shown != nil {
		err = errors.Join(err, shown.End())
	}
	if err != nil {
		return file, err
	}
	err = verify(ctx, d.file(file.Name))
	if err == nil {
		err = verifyVersions(ctx, d.file(file.Name), s.inspected)
	}
	if err != nil {
		return file, fmt.Errorf("%w; the copy is as %s is, so restore an earlier backup, or repair that file", err,
			s.path)
	}
	copied, err := os.Open(d.file(file.Name))
	if err != nil {
		return file, err
	}
	sum := newHashed(io.Discard)
	_, err = io.Copy(sum, copied)
	file.Bytes, file.SHA256 = sum.bytes, sum.hex()
	return file, errors.Join(err, copied.Close())
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
func verifyVersions(ctx context.Context, path string, of inspect.Service) error {
	snapshot, err := sqlitestore.OpenSnapshot(path)
	if err != nil {
		return err
	}
	var named []string
	faults := 0
	err = walk.Digests(ctx, of, inspect.Examination{Store: snapshot, Report: func(f docstore.Finding) error {
		if faults++; faults <= mostNamed {
			named = append(named, fmt.Sprintf("%s %s, %s", f.Collection, f.ID, f.Found))
		}
		return nil
	}})
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
