package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// releaseProgram gives back to the system the memory pages of the program file that the process has read; most are
// needed by its start only. A page that is used again comes from the system's file cache.
func releaseProgram() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	smaps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return err
	}
	defer smaps.Close()
	unwritten, err := unwrittenParts(smaps, program)
	if err != nil {
		return err
	}
	for _, part := range unwritten {
		if _, _, failed := unix.Syscall(unix.SYS_MADVISE, part.start, part.end-part.start,
			unix.MADV_DONTNEED); failed != 0 {
			return fmt.Errorf("madvise: %w", failed)
		}
	}
	return nil
}

// part is where a part of a file is in the memory of the process.
type part struct{ start, end uintptr }

// unwrittenParts returns the parts of a file in memory that the process may not write and has never written, so that
// they are as in the file. Parts that it wrote before it lost the right to write are not among them: what it wrote
// would be lost. smaps is the text of /proc/PID/smaps.
func unwrittenParts(smaps io.Reader, file string) ([]part, error) {
	var parts []part
	var now part
	readOnly := false
	lines := bufio.NewScanner(smaps)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		switch {
		// addresses, access, offset, device, inode and, of a file, its path
		case len(fields) >= 5 && !strings.HasSuffix(fields[0], ":"):
			_, err := fmt.Sscanf(fields[0], "%x-%x", &now.start, &now.end)
			readOnly = err == nil && len(fields) == 6 && fields[5] == file && strings.HasPrefix(fields[1], "r-")
		case readOnly && len(fields) == 3 && fields[0] == "Anonymous:" && fields[1] == "0":
			parts = append(parts, now)
		}
	}
	return parts, lines.Err()
}
