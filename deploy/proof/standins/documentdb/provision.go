package documentdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"insurance.example/exchange/deploy/proof/standins/process"
)

// recipe names the way in which the folder is made. Change it with the way: a folder that was made in another way is
// left alone, and a new one is made next to it.
const recipe = "forky-1"

// partial ends the name of a folder while it is being made.
const partial = ".partial"

// root is the folder that PostgreSQL sees as the whole file system.
type root string

// provision returns the root in dir. It makes the root if no other process has done so, or waits while another one
// makes it.
func provision(ctx context.Context, dir string, progress io.Writer) (root, error) {
	if err := canRun(); err != nil {
		return "", err
	}
	made, err := place(dir)
	if err != nil {
		return "", err
	}
	if exists(made) {
		return root(made), nil
	}
	if err := os.MkdirAll(filepath.Dir(made), 0o755); err != nil {
		return "", err
	}
	lock, err := process.Lock(ctx, made+".lock", func() {
		fmt.Fprintf(progress, "documentdb: another process is making %s; waiting for it\n", made)
	})
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if exists(made) {
		return root(made), nil
	}
	return root(made), provisionInto(ctx, made, progress)
}

// place returns where the root in dir is, or will be made.
func place(dir string) (string, error) {
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf(
				"no folder is given, and the user has no cache folder: %w; give a folder, or set HOME", err)
		}
		dir = filepath.Join(cache, "insurance-exchange", "documentdb")
	}
	dir, err := filepath.Abs(dir)
	return filepath.Join(dir, recipe), err
}

// provisionInto makes a root next to its place, and moves it there when it is whole.
func provisionInto(ctx context.Context, made string, progress io.Writer) error {
	began := time.Now()
	say := func(format string, args ...any) {
		fmt.Fprintf(progress, "documentdb: [%2.0f s] "+format+"\n",
			append([]any{time.Since(began).Seconds()}, args...)...)
	}
	r := root(made + partial)
	if err := os.RemoveAll(string(r)); err != nil {
		return err
	}
	say("making %s, which is done once", made)
	packages, err := fetch(ctx, made+".packages", say)
	if err != nil {
		return err
	}
	say("unpacking %d packages", len(packages))
	if err := r.unpack(ctx, packages); err != nil {
		return err
	}
	say("creating the database that each server begins with")
	if err := r.makeTemplate(ctx); err != nil {
		return err
	}
	if err := os.Rename(string(r), made); err != nil {
		return err
	}
	say("done")
	return os.RemoveAll(made + ".packages")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}
