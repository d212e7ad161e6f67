package allinone

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/whole"
)

// A data folder of a release before this one has a file of records for each service. Such a folder is joined at the
// first start: its records get into one file, and the old files into a folder beside it.

// OldFiles returns the files of records, by service, that a data folder or a backup of such a release has.
func OldFiles(folder string) (map[string]string, error) {
	files := map[string]string{}
	for _, s := range Services() {
		file := filepath.Join(folder, s.Name+".db")
		switch _, err := os.Stat(file); {
		case err == nil:
			files[s.Name] = file
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return files, nil
}

// before returns the folder of the old files.
func before(data string) string { return filepath.Join(data, "before-one-file") }

// join joins the files of an old folder, if it is one. A start that is stopped meanwhile does again what is not done.
func join(ctx context.Context, data string, log *slog.Logger) error {
	old, err := OldFiles(data)
	if err != nil {
		return err
	}
	if refusesOlder(data) && len(old) > 0 {
		return fmt.Errorf("the folder %s has its records in %s, and in addition %s, which this release does not read; "+
			"move that away", data, RecordsFile(data), slices.Min(slices.Collect(maps.Values(old))))
	}
	if _, err := os.Stat(RecordsFile(data)); errors.Is(err, fs.ErrNotExist) && len(old) > 0 {
		log.Info("the records of the services get into one file; the old files stay beside it", "file",
			RecordsFile(data), "old", before(data))
		if err := sqlitestore.Join(ctx, RecordsFile(data), old, func(service string) {
			log.Info("joining", "service", service)
		}); err != nil {
			return err
		}
	}
	if len(old) > 0 {
		if err := os.MkdirAll(before(data), 0o700); err != nil {
			return err
		}
	}
	for _, file := range old {
		all, err := filepath.Glob(file + "*")
		if err != nil {
			return err
		}
		for _, one := range all {
			if err := os.Rename(one, filepath.Join(before(data), filepath.Base(one))); err != nil {
				return err
			}
		}
	}
	return refuseOlder(data)
}

// olderFile is what an older release looks for in a folder: it refuses one that lacks the database of a service that
// the file names, and says which is missing. It would begin without records in a folder of one file. olderText names
// none that there can be, and is written last.
const (
	olderFile = "exchange.json"
	olderText = `{"services":["(the records are in exchange.db, which a later release reads)"]}` + "\n"
)

func refusesOlder(data string) bool {
	text, err := os.ReadFile(filepath.Join(data, olderFile))
	return err == nil && string(text) == olderText
}

// refuseOlder has an older release refuse the folder. It writes nothing where that is so: the disk may be full.
func refuseOlder(data string) error {
	path := filepath.Join(data, olderFile)
	if refusesOlder(data) {
		return os.Chmod(path, 0o600)
	}
	return whole.Write(path, []byte(olderText))
}

// NotJoined returns the error of a folder whose records are in a file for each service.
func NotJoined(folder string) error {
	return fmt.Errorf("the folder %s is of a release that had a file for each service; start the exchange with it "+
		"once, which joins them, or use that release", folder)
}
