package documentdb

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// canRun returns an error if this process may not run PostgreSQL in a folder.
func canRun() error {
	if os.Geteuid() != 0 {
		return errors.New(
			"PostgreSQL is run in a folder of its own (chroot), which only root may do; run this as root, " +
				"or use a MongoDB that runs elsewhere")
	}
	return nil
}

// confined returns how PostgreSQL's programs are run: they see the root alone, are nobody else's user, and get no
// signals of the terminal. They end with the thread that started them.
func (r root) confined() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Chroot: string(r), Credential: &syscall.Credential{Uid: user, Gid: user},
		Setpgid: true, Pdeathsig: syscall.SIGQUIT,
	}
}

// makeDevice makes a device file that everybody may read and write.
func makeDevice(path string, major, minor int) error {
	if err := syscall.Mknod(path, syscall.S_IFCHR|0o666, major<<8|minor); err != nil {
		return fmt.Errorf("make %s: %w", path, err)
	}
	return os.Chmod(path, 0o666)
}
