package sides

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

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/process"
)

// credential is the secret by which the processes of the exchange know each other.
const credential = "a-secret-of-the-bench-alone"

// service is a service, or the gateway, in a process of its own.
type service struct {
	*process.Child
	// admin is the address of its metrics.
	admin string
}

// StartSeparate starts the exchange as the processes that it is deployed as, by the commands in the folder of the
// exchange's, and returns once all are ready. Their records are in files of the folder of data, or in the MongoDB of
// a URL if that is not empty. There is no broker, so that receipts do not become rows.
func StartSeparate(ctx context.Context, command, data, mongo string, connections int) (*Exchange, error) {
	token, err := newToken(ctx, command, data)
	if err != nil {
		return nil, err
	}
	commands := filepath.Dir(command)
	began := time.Now()
	addresses := map[string]string{}
	e := &Exchange{}
	for _, one := range internalapi.Processes() {
		var args []string
		for _, other := range one.Calls {
			args = append(args, "--peer", other+"=http://"+addresses[other])
		}
		switch {
		case one.Name == internalapi.Gateway:
			args = append(args, "--jwt-keys", filepath.Join(data, "keys", "jwks.json"), "--jwt-issuer", "exchange-local", "--jwt-audience", "insurance-exchange")
		case mongo != "":
			args = append(args, "--store", mongo)
		default:
			args = append(args, "--store", "sqlite:"+filepath.Join(data, one.Name+".db"))
		}
		started, err := startService(ctx, filepath.Join(commands, one.Name), args...)
		if err == nil {
			addresses[one.Name] = started.Address
			if one.Name == internalapi.Gateway {
				e.Child, e.Admin = started.Child, started.admin
			} else {
				e.services = append(e.services, started)
			}
			err = untilReady(ctx, started.admin)
		}
		if err != nil {
			e.Stop()
			return nil, err
		}
	}
	e.Ready, e.Client = time.Since(began), load.Dial(e.Address, token, connections)
	return e, nil
}

// startService starts the command of a service or of the gateway, on free addresses.
func startService(ctx context.Context, command string, args ...string) (*service, error) {
	var s service
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
	s.Child, err = process.Launch(ctx, func(command *exec.Cmd, lines io.Writer) {
		command.Stderr, command.Env = lines, append(command.Env, "EXCHANGE_CREDENTIAL="+credential)
	}, said, command, append(args, "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0", "--log-format", "json", "--drain-delay", "0s")...)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w; make build makes the commands of the services", err)
	}
	if err != nil {
		return nil, err
	}
	s.Address = address
	return &s, nil
}
