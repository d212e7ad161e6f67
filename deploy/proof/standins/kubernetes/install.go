package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// needed are the programs that the cluster takes from the machine, and Debian's packages that have them.
var needed = map[string]string{
	"containerd": "containerd", "ctr": "containerd", "runc": "runc", "etcd": "etcd-server", "ip": "iproute2",
	"iptables":            "iptables",
	"/usr/lib/cni/bridge": "containernetworking-plugins", "modprobe": "kmod",
}

// install installs what is missing of needed.
func install(ctx context.Context, say func(string, ...any)) error {
	if os.Geteuid() != 0 {
		return errors.New("a node makes networks and mounts, which only root may do; run this as root, or use a " +
			"cluster that runs elsewhere")
	}
	packages := missing(needed)
	if len(packages) == 0 {
		return nil
	}
	slices.Sort(packages)
	packages = slices.Compact(packages)
	if _, err := exec.LookPath("apt-get"); err != nil {
		return fmt.Errorf(
			"the programs of Debian's packages %s are missing, and there is no apt-get to install them; install them",
			strings.Join(packages, ", "))
	}
	say("installing %s", strings.Join(packages, ", "))
	apt := func(args ...string) error {
		command := exec.CommandContext(ctx, "apt-get", append([]string{"-qq"}, args...)...)
		command.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if output, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %s: %w: %s", strings.Join(args, " "), err, output)
		}
		return nil
	}
	if err := apt("update"); err != nil {
		return err
	}
	return apt(append([]string{"install", "-y", "--no-install-recommends"}, packages...)...)
}

// missing returns the packages of those programs that are not there.
func missing(programs map[string]string) (packages []string) {
	for program, name := range programs {
		if _, err := exec.LookPath(program); err != nil {
			packages = append(packages, name)
		}
	}
	return packages
}
