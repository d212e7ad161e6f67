package process

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestPagesOfTheProgramAreReleased(t *testing.T) {
	before := filePages(t)
	// Whatever runs has its pages again at once, which are a small part unless much runs just then.
	after := before
	for tries := 100; tries > 0 && after > before/2; tries-- {
		if err := releaseProgram(); err != nil {
			t.Fatal(err)
		}
		after = filePages(t)
	}
	if after > before/2 {
		t.Errorf("%d kB of files are in memory, and %d kB were before", after, before)
	}
}

// filePages returns how much of files is in the memory of this process, in kilobytes.
func filePages(t *testing.T) (kilobytes int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, value, _ := strings.Cut(string(status), "RssFile:")
	if _, err := fmt.Sscan(value, &kilobytes); err != nil {
		t.Fatal(err)
	}
	return kilobytes
}

// TestOnlyUnchangedPagesAreReleased checks that a page is not released if the process may write to it or has its own
// copy.
func TestOnlyUnchangedPagesAreReleased(t *testing.T) {
	const smaps = `00400000-00500000 r-xp 00000000 fe:00 9978882                            /bin/program
Size:               1024 kB
Private_Dirty:        16 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me sd
00500000-00600000 r--p 00100000 fe:00 9978882                            /bin/program
Anonymous:             0 kB
00600000-00700000 r--p 00200000 fe:00 9978882                            /bin/program
Anonymous:             4 kB
00700000-00800000 rw-p 00300000 fe:00 9978882                            /bin/program
Anonymous:             0 kB
00800000-00900000 rw-p 00000000 00:00 0
Anonymous:             0 kB
7f0000000000-7f0000100000 r-xp 00000000 fe:00 17                         /lib/library.so
Anonymous:             0 kB
7f0000100000-7f0000200000 r--p 00000000 00:00 0                          [vvar]
Anonymous:             0 kB
`
	parts, err := unwrittenParts(strings.NewReader(smaps), "/bin/program")
	if want := []part{{0x400000, 0x500000}, {0x500000, 0x600000}}; err != nil || !slices.Equal(parts, want) {
		t.Errorf("%v, error %v, want %v", parts, err, want)
	}
}
