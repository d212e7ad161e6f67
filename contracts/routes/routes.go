// Package routes holds the paths of the interface: which service has which resources, and which operations these
// have. The table is generated from the declarations of the services (make generate). The gateway routes by it.
package routes

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"slices"
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

// Extension is an operation beyond the interface.
type Extension struct {
	Service string `json:"service"`
	// Path begins with /x/. A segment {name} stands for any other; the last one may be {name}:word.
	Path   string `json:"path"`
	Method string `json:"method"`
	// Writes says that the operation changes something. The others only read, whatever their method.
	Writes bool `json:"writes,omitempty"`
	// Largest is the largest size of a body in bytes, if that is not what the setting max-body says.
	Largest int64 `json:"largest,omitempty"`
	// Optional says that an exchange may be run without the service.
	Optional bool `json:"optional,omitempty"`
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

// Owners maps the resources whose records can be created to their services.
func (t Table) Owners() map[string]string {
	owners := map[string]string{}
	for _, r := range t.Resources {
		if slices.Contains(r.Collection, http.MethodPost) {
			owners[r.Resource] = r.Service
		}
	}
	return owners
}
