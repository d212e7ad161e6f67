// Command generate writes what is derived from the declarations of the services into the contracts.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	local "insurance.example/exchange/deploy/local"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate CONTRACTS-FOLDER")
		os.Exit(2)
	}
	if err := generate(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate(contracts string) error {
	routes, err := local.Routes()
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(routes, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(contracts, "routes", "routes.json"), append(text, '\n'), 0o644)
}
