package chance_test

import (
	"slices"
	"testing"

	"insurance.example/exchange/pkg/chance"
)

// TestSample takes samples of some lengths, and checks that with -short they are the same part at each run, in order.
func TestSample(t *testing.T) {
	all := make([]int, 41)
	for i := range all {
		all[i] = i
	}
	for oneIn, want := range map[int]int{1: 41, 4: 11, 41: 1, 100: 1} {
		if !testing.Short() {
			want = len(all)
		}
		sample := chance.Sample(all, oneIn)
		if len(sample) != want || !slices.IsSorted(sample) || len(slices.Compact(slices.Clone(sample))) != want {
			t.Errorf("one in %d: %v", oneIn, sample)
		}
		if again := chance.Sample(all, oneIn); !slices.Equal(sample, again) {
			t.Errorf("one in %d: %v, and then %v", oneIn, sample, again)
		}
		if got := chance.Fewer(len(all), oneIn); got != want {
			t.Errorf("one in %d: %d, want %d", oneIn, got, want)
		}
	}
	if sample := chance.Sample([]int{}, 4); len(sample) != 0 {
		t.Errorf("of nothing: %v", sample)
	}
}
