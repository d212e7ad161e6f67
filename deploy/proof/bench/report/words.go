package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// CutOff stands for the status of a request that the end of the measurement cut off.
const CutOff = -1

// BelowTarget returns the remark for what is to be great and is not, and otherwise "".
func BelowTarget(met bool) string {
	if met {
		return ""
	}
	return "  below target"
}

// AboveTarget returns the remark for what is to be small and is not, and otherwise "".
func AboveTarget(met bool) string {
	if met {
		return ""
	}
	return "  above target"
}

// Mark adds a sign to a value that is above its bound.
func Mark(value string, holds bool) string {
	if holds {
		return value
	}
	return value + " !"
}

// Milliseconds returns a time in milliseconds.
func Milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d.Microseconds())/1000) }

// Statuses returns how often each status came, such as "200: 12, 503: 4".
func Statuses(statuses map[int]int64) string {
	var all []string
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		name := strconv.Itoa(status)
		switch status {
		case 0:
			name = "none"
		case CutOff:
			name = "cut off"
		}
		all = append(all, fmt.Sprintf("%s: %d", name, statuses[status]))
	}
	return strings.Join(all, ", ")
}

// Line prints cells in columns of fixed widths, for rows that are printed as soon as each is measured.
func Line(out io.Writer, widths []int, cells ...string) {
	for i, cell := range cells {
		cells[i] = fmt.Sprintf("%-*s", widths[i], cell)
	}
	fmt.Fprintln(out, strings.TrimRight(strings.Join(cells, "  "), " "))
}
