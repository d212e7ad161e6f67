package overload

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// cores are those that this process may use, and two of them: that of a server, and that of those who call it.
type cores struct{ all, server, callers unix.CPUSet }

// divideCores returns two of the cores that this process may use. It fails if there is only one.
func divideCores() (cores, error) {
	var c cores
	if err := unix.SchedGetaffinity(0, &c.all); err != nil {
		return c, fmt.Errorf("cores: %w", err)
	}
	all := c.all
	into := []*unix.CPUSet{&c.callers, &c.server}
	for core := 0; len(into) > 0 && all.Count() > 0; core++ {
		if all.IsSet(core) {
			all.Clear(core)
			into[0].Set(core)
			into = into[1:]
		}
	}
	if len(into) > 0 {
		return c, errors.New("the exchange and its callers need a core each; with -together they share what there is")
	}
	return c, nil
}

// on calls a function whose processes use the cores of a set only.
func on(set *unix.CPUSet, start func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before unix.CPUSet
	if err := errors.Join(unix.SchedGetaffinity(0, &before), unix.SchedSetaffinity(0, set)); err != nil {
		return fmt.Errorf("cores: %w", err)
	}
	// A process has the cores of the thread that starts it.
	err := start()
	return errors.Join(err, unix.SchedSetaffinity(0, &before))
}

// keepTo has this process use the cores of a set only.
func keepTo(set *unix.CPUSet) error {
	// A thread that starts meanwhile has the cores of the one that started it, which may have been one of before. So
	// it is looked again until there is no other one.
	for kept := map[string]bool{}; ; {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		fresh := false
		for _, thread := range threads {
			if kept[thread.Name()] {
				continue
			}
			kept[thread.Name()], fresh = true, true
			number, err := strconv.Atoi(thread.Name())
			if err != nil {
				return err
			}
			if err := unix.SchedSetaffinity(number, set); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("cores: %w", err)
			}
		}
		if !fresh {
			return nil
		}
	}
}
