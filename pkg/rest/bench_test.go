package rest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// BenchmarkChange compares, in turn, the first change of a record with a change of a record that has had 10,000: the
// time, and the bytes that the process writes to its files.
func BenchmarkChange(b *testing.B) {
	w := start(b, nil)
	amend := func(path string, i int) {
		w.do(200, "POST", path+":amend", fmt.Sprintf(`{"weight":%d,"note":"%s"}`, 1+i%90, strings.Repeat("n", 200)),
			"Idempotency-Key", fmt.Sprint(i))
	}
	const changes = 10_000
	old := w.parcel("")
	for i := range changes {
		amend(old, i)
	}
	fresh := make([]string, b.N)
	for i := range fresh {
		fresh[i] = w.parcel("")
	}
	var first, later cost
	b.ResetTimer()
	for i, path := range fresh {
		first.add(b, func() { amend(path, changes+i) })
		later.add(b, func() { amend(old, changes+i) })
	}
	first.report(b, "first")
	later.report(b, "later")
	b.ReportMetric(float64(later.time)/float64(first.time), "time-ratio")
	b.ReportMetric(float64(later.bytes)/float64(first.bytes), "bytes-ratio")
}

// cost is what some changes took.
type cost struct {
	time  time.Duration
	bytes int64
}

func (c *cost) add(b *testing.B, change func()) {
	written, began := bytesWritten(b), time.Now()
	change()
	c.time += time.Since(began)
	c.bytes += bytesWritten(b) - written
}

func (c *cost) report(b *testing.B, which string) {
	b.ReportMetric(float64(c.time.Nanoseconds())/float64(b.N), which+"-ns")
	b.ReportMetric(float64(c.bytes)/float64(b.N), which+"-B")
}

// bytesWritten returns how many bytes this process has written, as Linux counts them.
func bytesWritten(b *testing.B) (n int64) {
	counts, err := os.ReadFile("/proc/self/io")
	if err != nil {
		b.Skip("only Linux counts the bytes that are written")
	}
	_, written, _ := strings.Cut(string(counts), "wchar: ")
	if _, err := fmt.Sscan(written, &n); err != nil {
		b.Fatal(err)
	}
	return n
}
