//go:build !linux

package process

// releaseProgram does nothing: only Linux counts the pages of the program as memory of the process.
func releaseProgram() error { return nil }
