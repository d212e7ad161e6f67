package reconciliation

// The values of FileNote.Kind.
const (
	HiddenRowsRead    = "hidden-rows-read"
	HiddenRowsSkipped = "hidden-rows-skipped"
	HiddenColumns     = "hidden-columns"
	RepeatedHeaders   = "repeated-headers"
	EmptyRows         = "empty-rows"
	TextBelowTotals   = "text-below-totals"
	NoTotalsCompared  = "no-totals-compared"
	ColumnsNotRead    = "columns-not-read"
	ShortRows         = "short-rows"
)

// FileNote says what a reader of a file should know beside its rows.
//
// What was read in a way of its own, or left out, and where.
type FileNote struct {
	// The kind: hidden-rows-read, hidden-rows-skipped, hidden-columns, repeated-headers, empty-rows, text-below-totals
	// (the last three were left out), no-totals-compared (the profile has totals, and no row was compared with any),
	// columns-not-read (of a file that is imported: named columns that the profile does not have) or short-rows (rows
	// of CSV end before columns that a file need not have, whose cells were read as empty).
	Kind string `json:"kind"`
	// How many rows or columns it is about. Absent where it is about the whole.
	Count int `json:"count,omitzero"`
	// The first of them, up to 20: the numbers of rows, or the letters of columns.
	Places []string `json:"places,omitzero"`
}
