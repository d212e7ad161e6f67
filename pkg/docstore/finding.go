package docstore

import "strings"

// Finding is an invariant that does not hold.
type Finding struct {
	Collection string `json:"collection,omitzero"`
	// ID is the document that it is about, empty for none.
	ID string `json:"id,omitzero"`
	// Invariant says in words what should hold.
	Invariant string `json:"invariant"`
	Found     string `json:"found"`
	Expected  string `json:"expected"`
}

// Short returns a text as a finding shows it: a long one is cut.
func Short(text string) string {
	const most = 120
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
