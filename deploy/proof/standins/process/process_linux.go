// Package process starts processes that end with the one that started them, and locks files between processes.
package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// StartBound starts a command on a thread that lives as long as the command, so that the command ends with this process
// and not with any of its threads. ended is closed when the command has ended. The signal by which it ends with this
// process is SIGTERM if the command names none.
func StartBound(command *exec.Cmd, ended chan<- struct{}) (*os.Process, error) {
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	}
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

// TryLock opens a file and locks it until it is closed, here and in the processes that inherit it. It returns nil if
// another process has the lock, or has just removed the file.
func TryLock(path string) (*os.File, error) {
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
