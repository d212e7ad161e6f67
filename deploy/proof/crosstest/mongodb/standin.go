package mongodb

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/deploy/proof/standins/process"
)

// patience bounds the end of the server that stands in for MongoDB, which waits a minute for PostgreSQL.
const patience = 90 * time.Second

// startStandin starts the server in a process of its own. In the process of the tests it would be slowed by the race
// detector. To leave its packages alone out of the detector would be unsound: the linker may then take their copies of
// the standard library's generic functions for the whole program, and the detector takes sound locks for none.
func startStandin() (Deployment, error) {
	folder, err := os.MkdirTemp("", "exchange-standin-")
	if err != nil {
		return Deployment{}, err
	}
	defer os.RemoveAll(folder) // a program that runs needs no name
	program := filepath.Join(folder, "documentdb")
	if err := trial.BuildPlain(program, "deploy/proof/standins/cmd/documentdb"); err != nil {
		return Deployment{}, err
	}
	command := exec.Command(program, "-addr", "127.0.0.1:0")
	command.Stderr = os.Stderr
	said, tell, err := os.Pipe()
	if err != nil {
		return Deployment{}, err
	}
	defer said.Close()
	command.Stdout = tell
	ended := make(chan struct{})
	server, err := process.StartBound(command, ended)
	_ = tell.Close() // the server has its own
	if err != nil {
		return Deployment{}, err
	}
	address, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		<-ended
		return Deployment{}, fmt.Errorf("the server that stands in for MongoDB ended before it served: %s",
			command.ProcessState)
	}
	stop := func() error {
		if err := server.Signal(syscall.SIGTERM); err != nil {
			return fmt.Errorf("the server that stands in for MongoDB: %w", err)
		}
		select {
		case <-ended:
		case <-time.After(patience):
			return errors.Join(fmt.Errorf("the server that stands in for MongoDB did not end in %s", patience),
				server.Kill())
		}
		if !command.ProcessState.Success() {
			return fmt.Errorf("the server that stands in for MongoDB: %s", command.ProcessState)
		}
		return nil
	}
	return Deployment{URI: strings.TrimSpace(address), Stop: stop}, nil
}
