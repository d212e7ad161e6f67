package allinone

import (
	"os"
	"runtime"
	"syscall"
	"testing"
)

// nobody is the id of a user that owns no file of the test.
const nobody = 65534

// TestFolderThatCannotBeWritten starts an exchange on a folder in which this user may not create files. Root may
// create files everywhere, so the thread that checks the folder gives up root's rights on files.
func TestFolderThatCannotBeWritten(t *testing.T) {
	data := t.TempDir()
	if err := os.Chmod(data, 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine of the test
		if err := syscall.Setfsuid(nobody); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := syscall.Setfsuid(0); err != nil {
				t.Error(err)
			}
		})
	}
	wantWords(t, refusal(t, "--data", data), "setting data", data, "cannot be used",
		"let this user write there", "--data")
}
