// Package trial runs the shipped commands and calls them as a client of the interface does, for the tests of the whole.
package trial

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The services in the order in which they start: each after those that it calls.
var services = []string{"parties", "products", "coverage", "claims", "premium"}

// Commands are the shipped commands, built into a folder.
type Commands struct{ folder string }

// Build builds the commands into a temporary folder.
func Build() (*Commands, error) {
	folder, err := os.MkdirTemp("", "exchange-commands-")
	if err != nil {
		return nil, err
	}
	const module = "insurance.example/exchange/"
	// Without symbol tables they are linked in half the time.
	args := []string{"build", "-ldflags", "-s -w", "-o", folder + string(filepath.Separator), module + "deploy/exchange", module + "gateway/cmd/gateway"}
	for _, name := range services {
		args = append(args, module+"services/"+name+"/cmd/"+name)
	}
	if output, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		_ = os.RemoveAll(folder)
		return nil, fmt.Errorf("building the commands: %w\n%s", err, output)
	}
	return &Commands{folder}, nil
}

// Remove deletes the commands.
func (c *Commands) Remove() error { return os.RemoveAll(c.folder) }

// Path answers the file of a command.
func (c *Commands) Path(name string) string { return filepath.Join(c.folder, name) }
