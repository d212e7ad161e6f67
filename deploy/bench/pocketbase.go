package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
)

// pocketBase is a running PocketBase with a collection of vehicles.
type pocketBase struct {
	*child
	*client
	// journal and synchronous are the pragmas of its database.
	journal     string
	synchronous int
}

// startPocketBase starts PocketBase on a folder of data.
func startPocketBase(ctx context.Context, command, data string, connections int) (*pocketBase, error) {
	var says struct {
		URL, Token, Journal string
		Synchronous         int
	}
	process, err := launch(ctx, func(command *exec.Cmd, lines io.Writer) {
		command.Stdout, command.Stderr = lines, os.Stderr
	}, func(line string) bool {
		return says.URL != "" || json.Unmarshal([]byte(line), &says) == nil && says.URL != ""
	}, command, "-dir", data)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w; build it with: GOWORK=off go build -C deploy/bench/pocketbase -o %s", err, command)
	}
	if err != nil {
		return nil, err
	}
	process.address = strings.TrimPrefix(says.URL, "http://")
	return &pocketBase{process, dial(process.address, says.Token, connections), says.Journal, says.Synchronous}, nil
}

// vehiclesPath is where PocketBase has the vehicles.
const vehiclesPath = "/api/collections/vehicle/records"

// fill creates vehicles and returns their ids.
func (p *pocketBase) fill(count int) (*book, error) {
	b := &book{}
	for range count {
		made, err := p.create(strings.TrimPrefix(vehiclesPath, "/"), newVehicle())
		if err != nil {
			return nil, err
		}
		b.vehicles = append(b.vehicles, made["id"])
	}
	return b, nil
}

// row returns what is asked of PocketBase for the row of a name. Its lists do not count all records, as ours do not.
func (p *pocketBase) row(name string, b *book) *row {
	return &row{name: name, status: http.StatusOK, call: map[string]func(uint64) call{
		"POST /vehicle":         func(uint64) call { return call{http.MethodPost, vehiclesPath, newVehicle()} },
		"GET /vehicle/{id}":     get(b.vehicles, vehiclesPath+"/"),
		"GET /vehicle?limit=50": get([]string{"perPage=50&skipTotal=true"}, vehiclesPath+"?"),
	}[name]}
}

// durability says in words what SQLite's pragmas mean for a write that was acknowledged.
func (p *pocketBase) durability() string {
	switch {
	case p.synchronous >= 2:
		return "is on the disk"
	case p.synchronous == 1 && p.journal == "wal":
		return "survives the end of the process, and may be lost with the machine"
	default:
		return "may be lost with the machine, and leave the database damaged"
	}
}
