package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// bridge connects the pods. The node has an address on it, at which the name server listens.
const bridge = "standin0"

// accepted are the rules that let the pods' packets pass where another program, such as a Docker engine, lets none
// pass.
var accepted = [][]string{{"FORWARD", "-s", podRanges, "-j", "ACCEPT"}, {"FORWARD", "-d", podRanges, "-j", "ACCEPT"}}

// startNetwork makes the bridge, before there is a pod.
func (c *Cluster) startNetwork(ctx context.Context) error {
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o644); err != nil {
		return err
	}
	commands := [][]string{
		{"ip", "link", "add", bridge, "type", "bridge"},
		{"ip", "address", "add", nodeAddress + "/24", "dev", bridge},
		{"ip", "link", "set", bridge, "up"},
	}
	for _, rule := range accepted {
		commands = append(commands, append([]string{"iptables", "-w", "-I"}, rule...))
	}
	for _, command := range commands {
		if _, err := run(ctx, command[0], command[1:]...); err != nil {
			return err
		}
	}
	// What is sent to a Service comes back through the rules that chose the pod, also between two pods of one bridge.
	// The file is there if the kernel has the module built in, or has loaded it.
	_, loading := run(ctx, "modprobe", "br_netfilter")
	if err := os.WriteFile("/proc/sys/net/bridge/bridge-nf-call-iptables", []byte("1"), 0o644); err != nil {
		return fmt.Errorf("the kernel does not filter bridges: %w", errors.Join(err, loading))
	}
	return nil
}

// removeNetwork removes the rules of kube-proxy and of this package, and the bridge, as far as they are there.
func (c *Cluster) removeNetwork(ctx context.Context) error {
	if c.programs != "" {
		_, _ = run(ctx, c.program("kube-proxy"), "--cleanup") // it complains of tables that it has never made
	}
	for _, rule := range accepted {
		for {
			if _, err := run(ctx, "iptables", append([]string{"-w", "-D"}, rule...)...); err != nil {
				break // no more of them
			}
		}
	}
	_, err := os.Stat("/sys/class/net/" + bridge)
	if err == nil {
		_, err = run(ctx, "ip", "link", "delete", bridge)
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
