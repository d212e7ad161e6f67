//go:build unix

package process

import "syscall"

// keepFilesPrivate makes every file that the process creates accessible only by its owner. Records are personal data,
// and other users may have access to the folder that they are kept in.
func keepFilesPrivate() { syscall.Umask(0o077) }
