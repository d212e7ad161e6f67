package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// kinds are the folders with contracts, and how the contracts in each are read.
var kinds = []struct {
	folder string
	read   func(text []byte) (*openapi3.T, error)
	levels map[string]level
}{
	{"openapi", readOpenAPI, public},
	{"internalapi", readOpenAPI, internal},
	{"events", readMessages, internal},
}

// contract is a contract as it was released and as it is today, each as an OpenAPI document.
type contract struct {
	name            string
	released, today *openapi3.T
	levels          map[string]level
}

// find reads the contracts that were released, and what they are today. A contract that has not been released yet
// breaks nobody. It fails if there is no released contract, or if one is not offered any more.
func find(released, today string) ([]contract, error) {
	var all []contract
	for _, kind := range kinds {
		files, err := filepath.Glob(filepath.Join(released, kind.folder, "*.json"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			c := contract{name: filepath.Join(kind.folder, filepath.Base(file)), levels: kind.levels}
			if c.released, err = readFile(file, kind.read); err != nil {
				return nil, err
			}
			c.today, err = readFile(filepath.Join(today, c.name), kind.read)
			if errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("%s was released and is not offered any more; if nobody relies on it, "+
					"remove it from %s", c.name, released)
			}
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there are no contracts in %s", released)
	}
	return all, nil
}

func readFile(path string, read func([]byte) (*openapi3.T, error)) (*openapi3.T, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	document, err := read(text)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return document, err
}

// major returns the major version of a document. It fails if the version has not the form of semantic versioning.
func major(document *openapi3.T) (int, error) {
	parts := strings.Split(document.Info.Version, ".")
	number, err := strconv.Atoi(parts[0])
	if err != nil || len(parts) != 3 {
		return 0, fmt.Errorf("the version %q is not of the form 1.2.3", document.Info.Version)
	}
	return number, nil
}
