package internalapi

import (
	"insurance.example/exchange/contracts/scalar"
)

// RecordsPath is an operation of every service: GET {names}: NamedRecords.
const RecordsPath = Prefix + "/records/"

// NamedRecords is the response to a look-up of records by their names. It has up to 1 MiB of records, and one more.
//
// The records that some names name, in the order of the names.
type NamedRecords struct {
	// The records. A name that names nothing has none.
	Records []NamedRecord `json:"records"`
	// How many of the names were looked up, from the first. The others are left out because of the size of the
	// response.
	Looked int `json:"looked"`
}

// NamedRecord is a record with the name by which it was asked for.
//
// A record, under a name.
type NamedRecord struct {
	// The id or number that was asked for.
	Name string `json:"name"`
	// The resource of the record.
	Resource string `json:"resource"`
	// The id of the record.
	ID scalar.ID `json:"id"`
	// The record itself.
	Record scalar.JSON `json:"record"`
}

// ReferencePath is an operation of every service with records: GET {resources}?reference=: ReferencedRecords.
const ReferencePath = Prefix + "/reference/"

// ReferencedRecords is the response to a look-up of records by the name that callers have given them.
//
// The records that a name stands for. There are several where resources have one each, and none where it names nothing.
type ReferencedRecords struct {
	// The records.
	Records []ReferencedRecord `json:"records"`
}

// ReferencedRecord is a record that a name stands for.
//
// The id and number of a record.
type ReferencedRecord struct {
	// The id of the record.
	ID scalar.ID `json:"id"`
	// The number that the exchange has issued to the record. Absent for a record without one.
	Number string `json:"number,omitzero"`
}
