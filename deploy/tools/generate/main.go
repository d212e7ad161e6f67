// Command generate writes what is derived from the declarations of the services: documents into the contracts, and
// the list of processes into the manifests of the repository.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"insurance.example/exchange/contracts/events"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/contracts/register"
	"insurance.example/exchange/deploy/tools/generate/document"
	"insurance.example/exchange/deploy/tools/generate/manifests"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate CONTRACTS-FOLDER\n       generate "+earlier+
			"   (prints the OpenAPI document in the form of OpenAPI 3.0)")
		os.Exit(2)
	}
	work := func() error { return generate(os.Args[1]) }
	if os.Args[1] == earlier {
		work = printEarlier
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// earlier is the argument that asks for the OpenAPI document in the form of OpenAPI 3.0, which is in no file.
const earlier = "openapi-3.0"

func printEarlier() error {
	text, err := openapi.Earlier(openapi.Published())
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	return err
}

func generate(contracts string) error {
	routes, err := routingTable()
	if err != nil {
		return err
	}
	if err := write(filepath.Join(contracts, "routes", "routes.json"), routes); err != nil {
		return err
	}
	searches, err := searchTable()
	if err != nil {
		return err
	}
	if err := write(filepath.Join(contracts, "beyond", "search.json"), searches); err != nil {
		return err
	}
	if err := writeContracts(contracts); err != nil {
		return err
	}
	services, err := describe()
	if err != nil {
		return err
	}
	built, err := document.Build(services, filepath.Dir(contracts))
	if err != nil {
		return err
	}
	if err := write(filepath.Join(contracts, "openapi", "openapi.json"), built); err != nil {
		return err
	}
	page, err := document.Page(services, filepath.Dir(contracts))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(contracts, "interface.md"), []byte(page), 0o644); err != nil {
		return err
	}
	items, err := register.Load()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(contracts, "register", "register.md"), []byte(register.Markdown(items)),
		0o644); err != nil {
		return err
	}
	if err := writeShards(filepath.Join(filepath.Dir(contracts), "deploy", "mongodb", "shards.js")); err != nil {
		return err
	}
	return manifests.Write(filepath.Dir(contracts))
}

// writeContracts writes what services offer to each other: an OpenAPI document of the internal operations of each,
// and an AsyncAPI document of its messages.
func writeContracts(contracts string) error {
	root := filepath.Dir(contracts)
	for _, c := range internalapi.Contracts() {
		built, err := document.Internal(c, root)
		if err != nil {
			return err
		}
		if err := write(filepath.Join(contracts, "internalapi", c.Service+".json"), built); err != nil {
			return err
		}
	}
	for _, c := range events.Contracts() {
		built, err := document.Messages(c, root)
		if err != nil {
			return err
		}
		if err := write(filepath.Join(contracts, "events", c.Service+".json"), built); err != nil {
			return err
		}
	}
	return nil
}

// describe returns what the services declare.
func describe() ([]document.Service, error) {
	var all []document.Service
	for _, s := range declarations() {
		resources, extensions, err := s.Describe()
		if err != nil {
			return nil, err
		}
		all = append(all, document.Service{Resources: resources, Extensions: extensions})
	}
	return all, nil
}

// write writes a value as indented JSON.
func write(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
