package sides

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"insurance.example/exchange/deploy/proof/bench/process"
)

var mongoURI = regexp.MustCompile(`mongodb://\S+`)

// StartMongo starts the server that stands in for MongoDB, whose command is beside that of the exchange, and returns
// its URL.
func StartMongo(ctx context.Context, commands string) (server *process.Child, uri string, err error) {
	command := filepath.Join(commands, "standin-documentdb")
	server, err = process.Launch(ctx, func(command *exec.Cmd, lines io.Writer) {
		command.Stdout, command.Stderr = lines, os.Stderr
	}, func(line string) bool {
		if uri == "" {
			uri = mongoURI.FindString(line)
		}
		return uri != ""
	}, command, "-addr", "127.0.0.1:0")
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, "", fmt.Errorf("%w; build it with: go build -o %s ./deploy/proof/standins/cmd/documentdb, or name a MongoDB with -mongo-url", err, command)
	case err != nil:
		return nil, "", fmt.Errorf("%w; it runs as root on Debian, and fetches PostgreSQL at its first start; elsewhere name a MongoDB with -mongo-url", err)
	}
	return server, uri, nil
}
