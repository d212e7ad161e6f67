package reconciliation

// FileTrial is how the first rows of a file are read.
//
// How the first rows of a file are read. Nothing of the file is kept.
type FileTrial struct {
	// The profile that they are read by.
	Profile string `json:"profile"`
	// The version of the profile.
	ProfileVersion int64 `json:"profileVersion"`
	// The first rows, up to 20, without those of the header and of totals.
	Rows []FileTrialRow `json:"rows"`
	// How many of the cells of these rows are formulas. They were taken by their stored values. Absent where none is.
	Formulas int `json:"formulas,omitzero"`
	// What was read in a way of its own, or left out, among these rows. Absent where there is no such thing.
	Notes []FileNote `json:"notes,omitzero"`
	// Whether the file has more rows. They were not read.
	More bool `json:"more"`
}

// FileTrialRow is a row as it is read.
//
// A row of a file, as it is read.
type FileTrialRow struct {
	// The number of the row in the file.
	Row int `json:"row"`
	// What was read, in the order of the profile's columns. Empty cells are left out.
	Cells []FileTrialCell `json:"cells"`
	// The cells that could not be read. The row would be quarantined.
	Wrong []RunCell `json:"wrong,omitzero"`
}

// FileTrialCell is a cell as it is read.
//
// A cell of a file, as it is read.
type FileTrialCell struct {
	// The meaning of its column.
	Means string `json:"means"`
	// What it says: a date as 2026-04-03, an amount as 1234.50, a type as the exchange names it.
	Value string `json:"value"`
}
