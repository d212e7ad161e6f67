package hostile

import (
	"strings"
	"testing"
	"time"
)

// TestRefusalsHideNoCost prints a row of which most requests were refused for lack of room.
func TestRefusalsHideNoCost(t *testing.T) {
	var printed strings.Builder
	table := newTable(&printed, &outcome{assault: &assault{name: "nobody"}, took: time.Second})
	row := &outcome{assault: &assault{name: "most are refused", callers: 4}, took: time.Second, statuses: map[int]int64{200: 2, 429: 97, 503: 1}}
	row.used.Seconds = 0.3
	table.print(row)
	if !strings.Contains(printed.String(), " 150.00 !") || table.met {
		t.Errorf("0.3 s of a core for two requests that were served: met is %v, and\n%s", table.met, printed.String())
	}
}
