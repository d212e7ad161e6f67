//go:build race

package trial

// race are the arguments of go build that make the commands as the test was made, as in the Makefile.
var race = []string{"-race", "-gcflags=modernc.org/...=-race=false"}
