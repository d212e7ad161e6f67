package report

import (
	"fmt"
	"io"
)

// The most memory in bytes that the exchange shall have resident after its start, and after the load of the table.
const (
	idleTarget   = 60 << 20
	loadedTarget = 120 << 20
)

// PrintMemory prints the resident memory of a report and reports whether it is at its targets.
func PrintMemory(out io.Writer, r *Report) (met bool) {
	met = true
	for _, of := range []struct {
		name         string
		size, target int64
	}{{"idle", r.Idle, idleTarget}, {"after the load", r.Loaded, loadedTarget}} {
		within := of.size <= of.target
		met = met && within
		fmt.Fprintf(out, "memory of the exchange, %s: %d MB, target %d MB%s\n", of.name, of.size>>20, of.target>>20, AboveTarget(within))
	}
	return met
}
