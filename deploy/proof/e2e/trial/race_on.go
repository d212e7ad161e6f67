//go:build race

package trial

// race are the arguments of go build for commands, the same as in the Makefile.
var race = []string{"-race", "-gcflags=modernc.org/...=-race=false"}
