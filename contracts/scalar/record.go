package scalar

import "github.com/go-json-experiment/json/jsontext"

// Record is what every resource has: its identifier, and the members that the interface does not name, which are
// kept and returned as sent.
type Record struct {
	ID         ID             `json:"id,omitzero"`
	Extensions jsontext.Value `json:",embed"`
}

// RecordID answers the identifier.
func (r *Record) RecordID() string { return string(r.ID) }

// SetRecordID issues the identifier.
func (r *Record) SetRecordID(id string) { r.ID = ID(id) }
