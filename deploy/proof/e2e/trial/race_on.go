//go:build race

package trial

// race are the arguments of go build for commands that are built as the test was. They are those of the Makefile.
var race = []string{"-race", "-gcflags=modernc.org/...=-race=false"}
