//go:build !linux

package process

import (
	"errors"
	"os"
	"os/exec"
)

var errNotLinux = errors.New("the servers that stand in for others run on Linux only")

func StartBound(*exec.Cmd, chan<- struct{}) (*os.Process, error) { return nil, errNotLinux }

func TryLock(string) (*os.File, error) { return nil, errNotLinux }
