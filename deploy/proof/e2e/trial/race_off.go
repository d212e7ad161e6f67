//go:build !race

package trial

// race are the arguments of go build for commands that are built as the test was: none.
var race []string
