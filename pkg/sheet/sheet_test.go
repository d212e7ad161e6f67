package sheet_test

import (
	"errors"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/sheet"
)

// TestManyRows reads as many rows as a file may have, and one more.
func TestManyRows(t *testing.T) {
	t.Parallel()
	for _, more := range []int{0, 1} {
		read := 0
		err := sheet.CSV(strings.NewReader(strings.Repeat("P\n", 1<<20+more)), ",", "utf-8",
			func(sheet.Row) error { read++; return nil })
		var wrong *sheet.WrongError
		if is := errors.As(err, &wrong); is != (more > 0) || read != 1<<20 ||
			is && !strings.Contains(wrong.Error(), "more than 1048576 rows") {
			t.Errorf("%d rows more: %d were read, then %v", more, read, err)
		}
	}
}
