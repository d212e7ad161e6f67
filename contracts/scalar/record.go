package scalar

import "github.com/go-json-experiment/json/jsontext"

// Record is what every resource has.
type Record struct {
	// The identifier that the exchange issues to the record.
	ID ID `json:"id,omitzero"`
	// Extensions are the members that the interface does not name. They are kept and returned as sent.
	Extensions jsontext.Value `json:",embed"`
}

// RecordID returns the identifier.
func (r *Record) RecordID() string { return string(r.ID) }

// SetRecordID sets the identifier that the exchange issues.
func (r *Record) SetRecordID(id string) { r.ID = ID(id) }
