// Package trial runs the shipped commands and calls them as a client of the interface does, for the tests of the whole.
package trial

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// services are the five services in the order in which they start: each after those that it calls.
var services = []string{"parties", "products", "coverage", "claims", "premium"}

// built is the environment variable that names a folder with the commands. `make test` builds them once for all packages. A
// package that is tested alone builds its own.
const built = "COMMANDS_UNDER_TEST"

// digest is a variable with a checksum of the commands. Go keeps the result of a test only while the variable is the same.
const digest = "COMMANDS_DIGEST"

// Commands are the shipped commands, in a folder.
type Commands struct {
	folder string
	// own is true if Build has made the folder.
	own bool
	// plain is true if the exchange command is the one without the race detector.
	plain bool
}

// Build returns the commands of the folder that COMMANDS_UNDER_TEST names. Without it, it builds them into a temporary
// folder, with the race detector if the test itself has it.
func Build() (*Commands, error) {
	if folder := os.Getenv(built); folder != "" {
		_ = os.Getenv(digest) // Go caches no result for other commands
		return &Commands{folder: folder}, nil
	}
	folder, err := os.MkdirTemp("", "exchange-commands-")
	if err != nil {
		return nil, err
	}
	const module = "insurance.example/exchange/"
	// Without symbol tables they are linked in half the time.
	args := append([]string{"build", "-ldflags", "-s -w", "-o", folder + string(filepath.Separator)}, race...)
	args = append(args, module+"deploy/exchange", module+"gateway/cmd/gateway")
	for _, name := range services {
		args = append(args, module+"services/"+name+"/cmd/"+name)
	}
	plain := []string{"build", "-ldflags", "-s -w", "-o", filepath.Join(folder, "client"), module + "deploy/exchange"}
	for _, args := range [][]string{args, plain} {
		if output, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			_ = os.RemoveAll(folder)
			return nil, fmt.Errorf("building the commands: %w\n%s", err, output)
		}
	}
	return &Commands{folder: folder, own: true}, nil
}

// Remove deletes the commands that Build has built.
func (c *Commands) Remove() error {
	if !c.own {
		return nil
	}
	return os.RemoveAll(c.folder)
}

// Plain returns the same commands, but the exchange command without the race detector. That one starts six times as fast, for
// tests that start it many times and are not about its concurrency.
func (c *Commands) Plain() *Commands { return &Commands{folder: c.folder, plain: true} }

// Path returns the file of a command.
func (c *Commands) Path(name string) string {
	if c.plain && name == "exchange" {
		name = "client"
	}
	return filepath.Join(c.folder, name)
}
