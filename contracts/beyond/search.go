package beyond

import (
	_ "embed"
	"encoding/json"
)

// SearchTable is the response of GET /x/search.
//
// What can be searched, and by what.
type SearchTable struct {
	// The resources, each with its search at /x/search/{resource}.
	Resources []SearchedResource `json:"resources"`
	// The resources that have no search. Their records are found in their lists, and by those that name them.
	Unsearched []string `json:"unsearched,omitempty"`
}

// SearchedResource is what can be searched of one resource.
//
// What can be searched of one resource, or of all coverage records together.
type SearchedResource struct {
	// The last segment of the path of the search.
	Resource string `json:"resource"`
	// The fields. Where several of a search could lead, one that is asked for values does so before one that is asked
	// for a range, and then the first of the list.
	Fields []SearchField `json:"fields"`
	// The members that the parameter fields takes.
	Members []string `json:"members"`
	// The records that the parameter expand takes, to be embedded. Absent if there are none.
	Expand []string `json:"expand,omitempty"`
}

// SearchField is a member that records are searched by.
//
// A member that records are searched by.
type SearchField struct {
	// The name of the member.
	Name string `json:"name"`
	// What its values are: text, name (compared in any case, with or without accents), uuid, date, date-time or
	// decimal.
	Kind string `json:"kind"`
	// The parameters of the search that ask for it.
	Parameters []string `json:"parameters"`
	// Whether it has an index. A search with conditions needs one that has.
	Leads bool `json:"leads"`
}

// search is written from the declarations of the services (make generate).
//
//go:embed search.json
var search []byte

// Searches returns what can be searched.
func Searches() (SearchTable, error) {
	var t SearchTable
	err := json.Unmarshal(search, &t)
	return t, err
}
