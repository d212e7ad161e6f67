// Package routes holds the paths of the interface: which resource is whose, and what each answers to. The table is
// generated from the declarations of the services (make generate); the gateway routes by it.
package routes

import (
	_ "embed"
	"encoding/json"
)

// Route is what one resource answers to.
type Route struct {
	// Service owns the resource.
	Service string `json:"service"`
	// Resource is the first path segment.
	Resource string `json:"resource"`
	// Collection and Item are the methods of /{resource} and /{resource}/{id}; no Item: the resource has none.
	Collection []string `json:"collection"`
	Item       []string `json:"item,omitempty"`
	// Actions are the names of POST /{resource}/{id}:{action}, Subs those of POST /{resource}/{id}/{sub}.
	Actions []string `json:"actions,omitempty"`
	Subs    []string `json:"subs,omitempty"`
}

// Extension is an operation beyond the interface. All of them only read, whatever the method.
type Extension struct {
	Service string `json:"service"`
	// Path begins with /x/; a last segment {id} stands for a record's identifier.
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

// Load answers the table.
func Load() (Table, error) {
	var t Table
	err := json.Unmarshal(table, &t)
	return t, err
}
