//go:build !race

package trial

// race are the arguments of go build that make the commands as the test was made: none.
var race []string
