package documentdb

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// canRun returns an error if this process may not run PostgreSQL in a folder.
func canRun() error {
	if os.Geteuid() != 0 {
		return errors.New("PostgreSQL is run in a folder of its own (chroot), which only root may do; run this as root, " +
			"or use a MongoDB that runs elsewhere")
	}
	return nil
}

// confined returns how PostgreSQL's programs are run: they see the root alone, are nobody else's user, and get no signals
// of the terminal. They end with the thread that started them.
func (r root) confined() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Chroot: string(r), Credential: &syscall.Credential{Uid: user, Gid: user},
		Setpgid: true, Pdeathsig: syscall.SIGQUIT,
	}
}

// startBound starts a command on a thread that lives as long as the command, so that the command ends with this process
// and not with any of its threads. ended is closed when the command has ended.
func startBound(command *exec.Cmd, ended chan<- struct{}) (*os.Process, error) {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the thread ends with this function
		if err := command.Start(); err != nil {
			started <- err
			return
		}
		started <- nil
		_ = command.Wait() // how it ended is in its log
		close(ended)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return command.Process, nil
}

// tryLock opens a file and locks it until it is closed, here and in the processes that inherit it. It returns nil if
// another process has the lock, or has just removed the file.
func tryLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, file.Close()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
	}
	locked, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if named, err := os.Stat(path); err != nil || !os.SameFile(locked, named) {
		return nil, file.Close()
	}
	return file, nil
}

// makeDevice makes a device file that everybody may read and write.
func makeDevice(path string, major, minor int) error {
	if err := syscall.Mknod(path, syscall.S_IFCHR|0o666, major<<8|minor); err != nil {
		return fmt.Errorf("make %s: %w", path, err)
	}
	return os.Chmod(path, 0o666)
}
