//go:build !linux

package kubernetes

import (
	"errors"
	"syscall"
)

var errNotLinux = errors.New("a node of Kubernetes runs on Linux only; use a cluster that runs elsewhere")

type running struct {
	id, parent int
	command    string
}

func bound() *syscall.SysProcAttr { return nil }

func together() *syscall.SysProcAttr { return nil }

func endTogether(*os.Process) error { return errNotLinux }

func processes() ([]running, error) { return nil, errNotLinux }

func (running) kill() error { return errNotLinux }

func (*Cluster) removeRemains() error { return errNotLinux }
