package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// cutOff stands for the status of a request that the end of the measurement cut off.
const cutOff = -1

func remark(met bool) string {
	if met {
		return ""
	}
	return "  below target"
}

// above returns the remark for what is to be small, and otherwise "".
func above(met bool) string {
	if met {
		return ""
	}
	return "  above target"
}

// mark adds a sign to a value that is above its bound.
func mark(value string, holds bool) string {
	if holds {
		return value
	}
	return value + " !"
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d.Microseconds())/1000) }

// said returns the statuses and how often each came, such as "200: 12, 503: 4".
func said(statuses map[int]int64) string {
	var all []string
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		name := strconv.Itoa(status)
		switch status {
		case 0:
			name = "none"
		case cutOff:
			name = "cut off"
		}
		all = append(all, fmt.Sprintf("%s: %d", name, statuses[status]))
	}
	return strings.Join(all, ", ")
}

// line prints cells in columns of fixed widths, for rows that are printed as soon as each is measured.
func line(out io.Writer, widths []int, cells ...string) {
	for i, cell := range cells {
		cells[i] = fmt.Sprintf("%-*s", widths[i], cell)
	}
	fmt.Fprintln(out, strings.TrimRight(strings.Join(cells, "  "), " "))
}
