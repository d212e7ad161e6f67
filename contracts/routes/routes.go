// Package routes holds the paths of the interface: which service has which resources, and which operations these
// have. The table is generated from the declarations of the services (make generate). The gateway routes by it.
package routes

import (
	_ "embed"
	"encoding/json"
)

// Route holds the operations of one resource.
type Route struct {
	// Service owns the resource.
	Service string `json:"service"`
	// Resource is the first path segment.
	Resource string `json:"resource"`
	// Collection and Item are the methods of /{resource} and /{resource}/{id}. Item is empty if there is no such path.
	Collection []string `json:"collection"`
	Item       []string `json:"item,omitempty"`
	// Actions are the names of POST /{resource}/{id}:{action}, Subs those of POST /{resource}/{id}/{sub}.
	Actions []string `json:"actions,omitempty"`
	Subs    []string `json:"subs,omitempty"`
}

// Extension is an operation beyond the interface. All of them only read, also those with the method POST.
type Extension struct {
	Service string `json:"service"`
	// Path begins with /x/. A last segment {id} is a placeholder for the id of a record.
	Path   string `json:"path"`
	Method string `json:"method"`
}

// Table is all that the gateway routes, by service and then in the order of declaration.
type Table struct {
	Resources  []Route     `json:"resources"`
	Extensions []Extension `json:"extensions"`
}

//go:embed routes.json
var table []byte

// Load returns the table.
func Load() (Table, error) {
	var t Table
	err := json.Unmarshal(table, &t)
	return t, err
}
