package kubernetes

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// bound returns how the parts of a cluster are run: they get no signals of the terminal, and end with the thread that
// started them.
func bound() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// together returns how a command is run that starts others: in a group of its own, whose first process is interrupted
// if the thread that started it ends. The go command then starts nothing more.
func together() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
}

// endTogether kills all processes of a group.
func endTogether(leader *os.Process) error { return syscall.Kill(-leader.Pid, syscall.SIGKILL) }

// running is a process of the machine.
type running struct {
	id, parent int
	command    string
}

// processes returns the processes of the machine.
func processes() (all []running, err error) {
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		id, err := strconv.Atoi(filepath.Base(folder))
		if err != nil {
			continue
		}
		command, err := os.ReadFile(filepath.Join(folder, "cmdline"))
		if err != nil {
			continue // it has ended
		}
		state, err := os.ReadFile(filepath.Join(folder, "stat"))
		if err != nil {
			continue
		}
		// pid (name, which may hold anything) state parent ...
		fields := strings.Fields(string(state[strings.LastIndexByte(string(state), ')')+1:]))
		if len(fields) < 2 {
			continue
		}
		parent, err := strconv.Atoi(fields[1])
		if err != nil {
			continue
		}
		all = append(all, running{id, parent, string(command)})
	}
	return all, nil
}

// kill ends a process and waits until it is gone.
func (r running) kill() error {
	for range 100 {
		err := syscall.Kill(r.id, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return nil
		}
		if err != nil {
			return err
		}
		if r.isGone() {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return errors.New("process " + strconv.Itoa(r.id) + " does not end: " + r.command)
}

// isGone reports whether the process has ended. One that is not ours to reap may wait for its parent, or init, to see
// it.
func (r running) isGone() bool {
	state, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(r.id), "stat"))
	return err != nil || strings.Contains(string(state), ") Z ")
}

// removeRemains removes what pods that have ended have left on the machine: mounts, groups of processes, and links to
// their logs.
func (c *Cluster) removeRemains() error {
	mounts, err := os.ReadFile("/proc/mounts")
	if err != nil {
		return err
	}
	var ours []string
	for line := range strings.Lines(string(mounts)) {
		if fields := strings.Fields(line); len(fields) > 1 && strings.HasPrefix(fields[1], c.state+"/") {
			ours = append(ours, fields[1])
		}
	}
	for _, path := range slices.Backward(ours) {
		if err := syscall.Unmount(path, syscall.MNT_DETACH); err != nil && !errors.Is(err, syscall.EINVAL) {
			return err
		}
	}
	links, err := filepath.Glob("/var/log/containers/*.log")
	if err != nil {
		return err
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && strings.HasPrefix(target, c.state+"/") {
			_ = os.Remove(link) // a link to nowhere harms nobody
		}
	}
	return removeGroups()
}

// removeGroups removes the control groups of pods that have ended, in either version of control groups.
func removeGroups() error {
	roots, err := filepath.Glob("/sys/fs/cgroup/*/kubepods")
	if err != nil {
		return err
	}
	for _, root := range append(roots, "/sys/fs/cgroup/kubepods") {
		var folders []string
		_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err // where there is no such group, nothing is to be removed
			}
			folders = append(folders, path)
			return nil
		})
		for _, folder := range slices.Backward(folders) {
			_ = os.Remove(folder) // one that is in use stays
		}
	}
	return nil
}
