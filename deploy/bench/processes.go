package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// credential is the secret by which the processes of the exchange know each other.
const credential = "a-secret-of-the-bench-alone"

// serviceNames are the services in the order in which they start, each after those that it calls.
var serviceNames = []string{"parties", "products", "coverage", "claims", "premium"}

// called are the services that a process calls. The gateway calls all of them.
var called = map[string][]string{
	"coverage": {"parties"},
	"claims":   {"coverage"},
	"premium":  {"coverage", "claims"},
	"gateway":  serviceNames,
}

// serviceProcess is a service, or the gateway, in a process of its own.
type serviceProcess struct {
	*child
	// admin is the address of its metrics.
	admin string
}

// startSeparate starts the exchange as the processes that it is deployed as, by the commands in the folder of the exchange's, and returns
// once all are ready. Their records are in files of the folder of data, or in the MongoDB of a URL if that is not empty. There is no
// broker, so that receipts do not become rows.
func startSeparate(ctx context.Context, command, data, mongo string, connections int) (*runningExchange, error) {
	token, err := newToken(ctx, command, data)
	if err != nil {
		return nil, err
	}
	commands := filepath.Dir(command)
	began := time.Now()
	addresses := map[string]string{}
	e := &runningExchange{}
	for _, name := range append(serviceNames[:len(serviceNames):len(serviceNames)], "gateway") {
		var args []string
		for _, other := range called[name] {
			args = append(args, "--peer", other+"=http://"+addresses[other])
		}
		switch {
		case name == "gateway":
			args = append(args, "--jwt-keys", filepath.Join(data, "keys", "jwks.json"), "--jwt-issuer", "exchange-local", "--jwt-audience", "insurance-exchange")
		case mongo != "":
			args = append(args, "--store", mongo)
		default:
			args = append(args, "--store", "sqlite:"+filepath.Join(data, name+".db"))
		}
		process, err := startService(ctx, filepath.Join(commands, name), args...)
		if err == nil {
			addresses[name] = process.address
			if name == "gateway" {
				e.child, e.admin = process.child, process.admin
			} else {
				e.services = append(e.services, process)
			}
			err = untilReady(ctx, process.admin)
		}
		if err != nil {
			e.stop()
			return nil, err
		}
	}
	e.ready, e.client = time.Since(began), dial(e.address, token, connections)
	return e, nil
}

// startService starts the command of a service or of the gateway, on free addresses.
func startService(ctx context.Context, command string, args ...string) (*serviceProcess, error) {
	var s serviceProcess
	var address string
	said := func(line string) bool {
		var entry struct{ Level, Msg, Address string }
		// What is not JSON ends a process, such as a wrong setting.
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Level != "INFO" {
			_, _ = io.WriteString(os.Stderr, line)
		}
		switch entry.Msg {
		case "metrics and health":
			s.admin = entry.Address
		case "listening":
			address = entry.Address
		}
		return address != ""
	}
	var err error
	s.child, err = launch(ctx, func(command *exec.Cmd, lines io.Writer) {
		command.Stderr, command.Env = lines, append(command.Env, "EXCHANGE_CREDENTIAL="+credential)
	}, said, command, append(args, "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0", "--log-format", "json", "--drain-delay", "0s")...)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w; make build makes the commands of the services", err)
	}
	if err != nil {
		return nil, err
	}
	s.address = address
	return &s, nil
}
