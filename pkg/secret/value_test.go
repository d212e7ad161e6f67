package secret_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/secret"
	"insurance.example/exchange/pkg/setting"
	"insurance.example/exchange/pkg/wait"
)

// journal is a log that tests can read while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// watch makes a value from the file and watches it until the test ends, which runs in a bubble. It refuses the text
// "bad".
func watch(t *testing.T, path string) (*secret.Value[string], *journal) {
	t.Helper()
	value, err := secret.Read(func(contents [][]byte) (string, error) {
		if string(contents[0]) == "bad" {
			return "", errors.New("setting word: bad")
		}
		return string(contents[0]), nil
	}, setting.File{Setting: "word", Path: path})
	if err != nil {
		t.Fatal(err)
	}
	j := &journal{}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	last := ""
	go func() {
		ended <- value.Watch(ctx, slog.New(slog.NewTextHandler(j, nil)), func(now string) { last = now })
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Watch returned %v", err)
		}
		if last != "" && last != value.Get() {
			t.Errorf("the last change was %q, and the value is %q", last, value.Get())
		}
	})
	return value, j
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestChangedFileIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "word")
		write(t, path, "first")
		value, _ := watch(t, path)
		if value.Get() != "first" {
			t.Fatalf("value %q", value.Get())
		}
		write(t, path, "other") // of the same length
		wait.For(t, "the changed value", func() bool { return value.Get() == "other" })
	})
}

// TestExchangedLinkIsFollowed changes a file as Kubernetes does: it is a link into a folder that is a link, which is
// exchanged.
func TestExchangedLinkIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		write(t, makeFolder(t, folder, "..1")+"/word", "first")
		write(t, makeFolder(t, folder, "..2")+"/word", "second")
		link(t, "..1", filepath.Join(folder, "..data"))
		link(t, filepath.Join("..data", "word"), filepath.Join(folder, "word"))
		value, _ := watch(t, filepath.Join(folder, "word"))
		link(t, "..2", filepath.Join(folder, "..next"))
		if err := os.Rename(filepath.Join(folder, "..next"), filepath.Join(folder, "..data")); err != nil {
			t.Fatal(err)
		}
		wait.For(t, "the value behind the new link", func() bool { return value.Get() == "second" })
	})
}

func makeFolder(t *testing.T, parent, name string) string {
	t.Helper()
	path := filepath.Join(parent, name)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

// TestUnusableFileChangesNothing: a file that is refused, and one that is gone, are each logged once.
func TestUnusableFileChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "word")
		write(t, path, "first")
		value, log := watch(t, path)
		failures := func() int { return strings.Count(log.String(), "level=ERROR") }

		write(t, path, "bad")
		wait.For(t, "a line about the refused file", func() bool { return failures() == 1 && value.Refused() })
		time.Sleep(time.Minute)
		if failures() != 1 {
			t.Fatalf("a minute later:\n%.1000s", log)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		wait.For(t, "a line about the absent file", func() bool { return failures() == 2 })
		time.Sleep(time.Minute)
		if failures() != 2 {
			t.Fatalf("a minute later:\n%.1000s", log)
		}
		if !strings.Contains(log.String(), "setting word: open "+path) {
			t.Errorf("the log does not name the setting and the file:\n%s", log)
		}
		if value.Get() != "first" {
			t.Errorf("value %q", value.Get())
		}
		write(t, path, "first")
		wait.For(t, "the end of the trouble", func() bool { return !value.Refused() })
		write(t, path, "second")
		wait.For(t, "the changed value", func() bool { return value.Get() == "second" })
		if failures() != 2 {
			t.Errorf("%d lines about two failures:\n%s", failures(), log)
		}
	})
}

func TestReadRefuses(t *testing.T) {
	folder := t.TempDir()
	large := filepath.Join(folder, "large")
	write(t, large, strings.Repeat("x", 1<<20+1))
	for want, path := range map[string]string{
		"setting word: open": filepath.Join(folder, "absent"),
		"is larger than":     large,
		"setting word: read": folder,
	} {
		_, err := secret.Read(func(contents [][]byte) (string, error) {
			return string(contents[0]), nil
		}, setting.File{Setting: "word", Path: path})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
