package rows_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

func BenchmarkFill(b *testing.B) {
	all := invent(rand.New(rand.NewPCG(1, 1)), 5000)
	for range b.N {
		book := open(b, filepath.Join(b.TempDir(), fmt.Sprint(b.N)))
		fill(b, book, all)
	}
	b.ReportMetric(float64(len(all)*b.N)/b.Elapsed().Seconds(), "entries/s")
}
