//go:build !unix

package sqlitestore

// InUse is not known here, and so false.
func InUse(string) (bool, error) { return false, nil }
