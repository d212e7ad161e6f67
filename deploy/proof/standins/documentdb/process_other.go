//go:build !linux

package documentdb

import (
	"errors"
	"syscall"
)

var errNotLinux = errors.New(
	"PostgreSQL is run from Debian's packages, on Linux only; use a MongoDB that runs elsewhere")

func canRun() error { return errNotLinux }

func (r root) confined() *syscall.SysProcAttr { return nil }

func makeDevice(string, int, int) error { return errNotLinux }
