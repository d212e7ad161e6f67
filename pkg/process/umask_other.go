//go:build !unix

package process

// keepFilesPrivate does nothing: the system has no file modes, and files have the access rights of their folder.
func keepFilesPrivate() {}
