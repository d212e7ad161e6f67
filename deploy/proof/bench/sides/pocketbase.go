package sides

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

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/process"
	"insurance.example/exchange/deploy/proof/bench/records"
)

// PocketBase is a running PocketBase with a collection of vehicles.
type PocketBase struct {
	*process.Child
	*load.Client
	// Journal and Synchronous are the pragmas of its database.
	Journal     string
	Synchronous int
}

// StartPocketBase starts PocketBase on a folder of data.
func StartPocketBase(ctx context.Context, command, data string, connections int) (*PocketBase, error) {
	var says struct {
		URL, Token, Journal string
		Synchronous         int
	}
	child, err := process.Launch(ctx, func(command *exec.Cmd, lines io.Writer) {
		command.Stdout, command.Stderr = lines, os.Stderr
	}, func(line string) bool {
		return says.URL != "" || json.Unmarshal([]byte(line), &says) == nil && says.URL != ""
	}, command, "-dir", data)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w; build it with: GOWORK=off go build -C deploy/proof/bench/pocketbase -o %s", err, command)
	}
	if err != nil {
		return nil, err
	}
	child.Address = strings.TrimPrefix(says.URL, "http://")
	return &PocketBase{child, load.Dial(child.Address, says.Token, connections), says.Journal, says.Synchronous}, nil
}

// vehiclesPath is where PocketBase has the vehicles.
const vehiclesPath = "/api/collections/vehicle/records"

// Fill creates vehicles and returns their ids.
func (p *PocketBase) Fill(count int) (*records.Book, error) {
	b := &records.Book{}
	for range count {
		made, err := p.Create(strings.TrimPrefix(vehiclesPath, "/"), records.NewVehicle())
		if err != nil {
			return nil, err
		}
		b.Vehicles = append(b.Vehicles, made["id"])
	}
	return b, nil
}

// Row returns what is asked of PocketBase for the row of a name. Its lists do not count all records, as ours do not.
func (p *PocketBase) Row(name string, b *records.Book) *load.Row {
	return &load.Row{Name: name, Status: http.StatusOK, Call: map[string]func(uint64) load.Call{
		"POST /vehicle": func(uint64) load.Call {
			return load.Call{Method: http.MethodPost, Path: vehiclesPath, Body: records.NewVehicle()}
		},
		"GET /vehicle/{id}":     load.Get(b.Vehicles, vehiclesPath+"/"),
		"GET /vehicle?limit=50": load.Get([]string{"perPage=50&skipTotal=true"}, vehiclesPath+"?"),
	}[name]}
}

// Durability says in words what SQLite's pragmas mean for a write that was acknowledged.
func (p *PocketBase) Durability() string {
	switch {
	case p.Synchronous >= 2:
		return "is on the disk"
	case p.Synchronous == 1 && p.Journal == "wal":
		return "survives the end of the process, and may be lost with the machine"
	default:
		return "may be lost with the machine, and leave the database damaged"
	}
}
