package client_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// TestListOnATerminal lists records on a terminal: as a table as wide as the screen, without control characters of
// the records. Elsewhere a list is JSON.
func TestListOnATerminal(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.run(t, "create", "pet", "--body",
		`{"petName":"EX \u001b[31mred","petKind":"cat","microchip":"a number that is far too long for one cell of a table"}`).want(t, 0)
	cmd := s.command(t, nil, "list", "pet")
	cmd.Stdin = nil
	var notes bytes.Buffer
	cmd.Stderr = &notes
	screen, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 20, Cols: 70})
	if err != nil {
		t.Fatal(err)
	}
	var shown bytes.Buffer
	// Linux returns EIO once the command has ended.
	if _, err := io.Copy(&shown, screen); err != nil && !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s%s", err, &shown, &notes)
	}
	all := strings.Split(strings.ReplaceAll(shown.String(), "\r\n", "\n"), "\n")
	if !strings.HasPrefix(all[0], "petName ") || !strings.Contains(all[0], " microchip") ||
		strings.Contains(all[0], " id") {
		t.Errorf("the header is %q", all[0])
	}
	if strings.Contains(shown.String(), "\x1b") || !strings.Contains(all[1], "EX  [31mred") {
		t.Errorf("the row is %q", all[1])
	}
	if !strings.Contains(notes.String(), "Not shown for want of room: id;") {
		t.Errorf("the notes are %q", &notes)
	}
	for _, line := range all[:2] {
		if len(line) > 70 {
			t.Errorf("a line is wider than the screen: %q", line)
		}
	}
	s.run(t, "list", "pet").want(t, 0, `{"id":`)
}
