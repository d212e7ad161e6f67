// Package secret reads from files what proves the identity of a process to others: shared secrets, certificates with
// their keys, and the authorities that it trusts. It reads them again when the files change, while the process runs.
//
// A kept library would leave most of it: certwatcher of controller-runtime follows one certificate with its key, not
// shared secrets, authorities and the names of callers; fsnotify only says when to read. Files are read twice a second
// instead, because not every volume reports its changes.
package secret

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"insurance.example/exchange/pkg/setting"
)

const (
	// lookEvery is how often the files are looked at. They are read as a whole: their times say nothing where a
	// symbolic link is exchanged, which is how Kubernetes changes the files of a Secret.
	lookEvery = 500 * time.Millisecond
	// largestFile is the size in bytes beyond which a file is refused.
	largestFile = 1 << 20
)

// Value is made from files. It is safe for concurrent use, except for Watch, which runs once.
type Value[T any] struct {
	files   []setting.File
	parse   func(contents [][]byte) (T, error)
	current atomic.Pointer[T]
	refused atomic.Bool
	// used is the state of the files that was parsed last, and seen the state that was read last.
	used, seen [sha256.Size]byte
}

// Read makes a value from files. parse gets their contents in the order of the files. Its errors name the setting and
// quote no file. Read fails if a file cannot be read, is larger than 1 MiB, or is refused by parse.
func Read[T any](parse func(contents [][]byte) (T, error), files ...setting.File) (*Value[T], error) {
	v := &Value[T]{files: files, parse: parse}
	contents, err := v.contents()
	if err != nil {
		return nil, err
	}
	value, err := parse(contents)
	if err != nil {
		return nil, err
	}
	v.used = state(contents, nil)
	v.seen = v.used
	v.current.Store(&value)
	return v, nil
}

// Get returns the value.
func (v *Value[T]) Get() T { return *v.current.Load() }

// Refused reports whether the files have changed into something that cannot be used. The value is then still the
// former one.
func (v *Value[T]) Refused() bool { return v.refused.Load() }

// Name returns the settings that name the files.
func (v *Value[T]) Name() string {
	var names []string
	for _, file := range v.files {
		names = append(names, file.Setting)
	}
	return strings.Join(names, " and ")
}

// Watch reads the files until ctx ends, and then returns its error. A change counts once it was read twice in a row,
// so that no file is parsed that is still being written. Watch calls changed with the new value within about a second.
// It logs once what cannot be used, and keeps the former value.
func (v *Value[T]) Watch(ctx context.Context, log *slog.Logger, changed func(T)) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			v.look(log, changed)
		}
	}
}

func (v *Value[T]) look(log *slog.Logger, changed func(T)) {
	contents, err := v.contents()
	now := state(contents, err)
	settled := now == v.seen
	v.seen = now
	if !settled || now == v.used {
		return
	}
	v.used = now
	var value T
	if err == nil {
		value, err = v.parse(contents)
	}
	v.refused.Store(err != nil)
	if err != nil {
		log.Error("a changed file cannot be used; what it held before stays in use", "setting", v.Name(), "cause", err)
		return
	}
	v.current.Store(&value)
	changed(value)
	log.Info("a changed file was read again", "setting", v.Name())
}

// contents reads the files. Errors name the setting.
func (v *Value[T]) contents() ([][]byte, error) {
	var all [][]byte
	for _, file := range v.files {
		content, err := read(file.Path)
		if err != nil {
			return nil, fmt.Errorf("setting %s: %w", file.Setting, err)
		}
		all = append(all, content)
	}
	return all, nil
}

func read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, largestFile+1))
	if err == nil && len(content) > largestFile {
		err = fmt.Errorf("%s is larger than %d bytes", path, largestFile)
	}
	return content, err
}

// state returns a hash of what the files hold, or of why they cannot be read.
func state(contents [][]byte, err error) [sha256.Size]byte {
	sum := sha256.New()
	for _, content := range contents {
		fmt.Fprintf(sum, "%d:", len(content))
		sum.Write(content)
	}
	if err != nil {
		fmt.Fprintf(sum, "error: %v", err)
	}
	return [sha256.Size]byte(sum.Sum(nil))
}
