package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// mongoTarget is the part of the driver's rate that each row on MongoDB is to reach.
const mongoTarget = 0.6

// mongoRowsOf returns the rows that are measured on MongoDB.
func mongoRowsOf(b *book) []*row {
	all := []*row{readVehicle(b), findClaim(b), listVehicles(b), createVehicle(), createClaim(b)}
	for _, r := range all {
		r.target = mongoTarget
	}
	return all
}

var mongoURI = regexp.MustCompile(`mongodb://\S+`)

// startMongo starts the server that stands in for MongoDB, whose command is beside that of the exchange, and returns its URL.
func startMongo(ctx context.Context, commands string) (server *child, uri string, err error) {
	command := filepath.Join(commands, "standin-documentdb")
	server, err = launch(ctx, func(command *exec.Cmd, lines io.Writer) {
		command.Stdout, command.Stderr = lines, os.Stderr
	}, func(line string) bool {
		if uri == "" {
			uri = mongoURI.FindString(line)
		}
		return uri != ""
	}, command, "-addr", "127.0.0.1:0")
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, "", fmt.Errorf("%w; build it with: go build -o %s ./deploy/standins/cmd/documentdb, or name a MongoDB with -mongo-url", err, command)
	case err != nil:
		return nil, "", fmt.Errorf("%w; it runs as root on Debian, and fetches PostgreSQL at its first start; elsewhere name a MongoDB with -mongo-url", err)
	}
	return server, uri, nil
}

// measureMongo measures the exchange against MongoDB's driver alone, prints the table, and reports whether
// every row is at its target.
func (b *bench) measureMongo(ctx context.Context, written *book) (met bool, err error) {
	driver, err := connectDriver(ctx, b.mongoURL, b.connections)
	if err != nil {
		return false, err
	}
	defer driver.close()
	// The driver is in this process, as the load generator is.
	bare := &server{processes: []*child{{pid: os.Getpid()}}}
	var results []result
	for _, r := range chosen(mongoRowsOf(written), b.only) {
		measured, err := b.inTurn(ctx, r, driver.row(r.name, written), b.exchange.server(), bare)
		if err != nil {
			return false, err
		}
		results = append(results, measured)
	}
	b.report.Loaded = b.exchange.resident().all
	table := mongoTable
	if b.processes {
		table = mongoProcessesTable
	}
	b.report.add(table, results)
	fmt.Fprintln(b.out, "CPU and allocations are those of the exchange, without MongoDB; the CPU of the driver is with that of the load generator")
	return printRows(b.out, "driver", results), nil
}
