//go:build unix

package service

import "syscall"

// keepFilesPrivate has every file that the process creates be accessible by its owner only. Records are personal data,
// and the folder that they are kept in may be anybody's.
func keepFilesPrivate() { syscall.Umask(0o077) }
