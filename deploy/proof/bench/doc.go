// Package bench measures the exchange in turn with a bare Gin handler that returns the same bytes, or with another
// build, over loopback and with the same callers. Its rows are benchmarks: `make bench` runs them, and README.md
// says what each is about. Every record that the exchange has acknowledged is durable; the bare handler stores
// nothing.
package bench
