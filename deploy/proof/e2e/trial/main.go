package trial

import (
	"errors"
	"fmt"
	"os"
	"testing"
)

// Main is the body of the TestMain of a package that tests the shipped commands. It builds the commands, calls run with
// them, removes them, and ends the process. run starts what the tests share, and returns the exit status of the tests.
func Main(run func(*Commands) (status int, err error)) {
	end(withCommands(Build, run))
}

// MainWhole is Main for a package that tests only the command that runs the whole exchange, without the race detector.
func MainWhole(run func(*Commands) (status int, err error)) {
	end(withCommands(BuildWhole, run))
}

func end(status int, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

func withCommands(build func() (*Commands, error), run func(*Commands) (int, error)) (status int, err error) {
	commands, err := build()
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, commands.Remove()) }()
	return run(commands)
}

// EndWith ends an exchange at the end of a test, and shows its logs if the test has failed. err is the error of
// starting the exchange: it ends the test.
func EndWith(t testing.TB, e *Exchange, err error) {
	t.Helper()
	if e != nil {
		t.Cleanup(func() {
			if err := e.Abandon(); err != nil {
				t.Error(err)
			}
			if t.Failed() {
				t.Log(e.Logs())
			}
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}
