package patience_test

import (
	"testing"
	"time"

	"insurance.example/exchange/pkg/patience"
)

func TestTimes(t *testing.T) {
	defer patience.Set(1)
	if got := patience.Times(time.Second); got != time.Second {
		t.Errorf("the patience is %v, want a second", got)
	}
	for _, times := range []int64{60, 1} {
		patience.Set(times)
		if got, want := patience.Times(time.Second), time.Duration(times)*time.Second; got != want {
			t.Errorf("%d times the patience of a second is %v", times, got)
		}
	}
}
