package trial

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"insurance.example/exchange/contracts/internalapi"
)

// folderVariable is the environment variable that names a folder with the commands. `make test` builds them once for
// all packages. A package that is tested alone builds its own.
const folderVariable = "COMMANDS_UNDER_TEST"

// digest is a variable with a checksum of the commands. Go keeps the result of a package only while the variable is
// the same.
const digest = "COMMANDS_DIGEST"

// noteCommands has Go keep no result for other commands. It takes note of a variable only while tests run, not while
// TestMain starts what they share, so that each use of the commands says it.
func noteCommands() { _ = os.Getenv(digest) }

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
	if folder := os.Getenv(folderVariable); folder != "" {
		return &Commands{folder: folder}, nil
	}
	return built(func(c *Commands) error {
		args := append(slices.Clone(race), module+"deploy/exchange", module+"deploy/proof/standins/cmd/kafka")
		for _, name := range Processes() {
			args = append(args, source(name))
		}
		return errors.Join(build("", c.folder+string(filepath.Separator), args...),
			BuildPlain(filepath.Join(c.folder, "client"), "deploy/exchange"))
	})
}

// BuildWhole returns the command that runs the whole exchange, without the race detector: that of the folder that
// COMMANDS_UNDER_TEST names, else one that it builds. The other commands are not there.
func BuildWhole() (*Commands, error) {
	if os.Getenv(folderVariable) != "" {
		return Build()
	}
	return built(func(c *Commands) error { return BuildPlain(c.Path("exchange"), "deploy/exchange") })
}

// built returns commands that are built into a temporary folder.
func built(build func(*Commands) error) (*Commands, error) {
	folder, err := os.MkdirTemp("", "exchange-commands-")
	if err != nil {
		return nil, err
	}
	c := &Commands{folder: folder, own: true}
	if err := build(c); err != nil {
		return nil, errors.Join(err, c.Remove())
	}
	return c, nil
}

// In returns the commands that are in a folder.
func In(folder string) *Commands { return &Commands{folder: folder} }

// BuildFrom builds the command of a service or the gateway from another source tree of the exchange. The other
// commands are not there.
func BuildFrom(tree, name string) (*Commands, error) {
	return built(func(c *Commands) error { return build(tree, c.Path(name), source(name)) })
}

// BuildPlain builds the command of a folder of the exchange's sources, without the race detector.
func BuildPlain(to, folder string) error { return build("", to, module+folder) }

// Installed returns the path of a command of others with which something is tested. A machine without it fails the
// test, with what installs it on Debian.
func Installed(command, tests, from string) (path string, err error) {
	if path, err = exec.LookPath(command); err != nil {
		err = fmt.Errorf("%s, which is not installed (apt-get install %s): %w", tests, from, err)
	}
	return path, err
}

// source returns the package of the command of a service or the gateway.
func source(name string) string {
	if name == internalapi.Gateway {
		return module + "gateway/cmd/gateway"
	}
	return module + "services/" + name + "/cmd/" + name
}

// module begins the import path of every package of the exchange.
const module = "insurance.example/exchange/"

// build builds packages of a source tree, or of the one that the test is part of. Without symbol tables they are
// linked in half the time; without the paths of the tree, what was compiled is found in the cache whatever folder it
// is in.
func build(tree, to string, packages ...string) error {
	command := exec.Command("go",
		append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", to}, packages...)...)
	command.Dir = tree
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("building the commands: %w\n%s", err, output)
	}
	return nil
}

// Processes returns the names of the services and the gateway, which are released each alone, in the order in which
// they start.
func Processes() []string {
	var names []string
	for _, p := range internalapi.Processes() {
		names = append(names, p.Name)
	}
	return names
}

// Remove deletes the commands that Build has built.
func (c *Commands) Remove() error {
	if !c.own {
		return nil
	}
	return os.RemoveAll(c.folder)
}

// Plain returns the same commands, but the exchange command without the race detector. That one starts six times as
// fast, for tests that start it many times and are not about its concurrency.
func (c *Commands) Plain() *Commands { return &Commands{folder: c.folder, plain: true} }

// Path returns the file of a command.
func (c *Commands) Path(name string) string {
	noteCommands()
	if c.plain && name == "exchange" {
		name = "client"
	}
	return filepath.Join(c.folder, name)
}
