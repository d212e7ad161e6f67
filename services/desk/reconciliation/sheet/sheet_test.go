package sheet_test

import (
	"errors"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/services/desk/reconciliation/sheet"
)

// TestManyRows reads as many rows as a file may have, and one more.
func TestManyRows(t *testing.T) {
	t.Parallel()
	for _, more := range []int{0, 1} {
		read := 0
		err := sheet.CSV(strings.NewReader(strings.Repeat("P,1\n", 250_000+more)), ",", reconciliation.UTF8,
			func(sheet.Row) error { read++; return nil })
		var wrong *sheet.WrongError
		if is := errors.As(err, &wrong); is != (more > 0) || read != 250_000 ||
			is && !strings.Contains(wrong.Error(), "more than 250000 rows") {
			t.Errorf("%d rows more: %d were read, then %v", more, read, err)
		}
	}
}
