// Package patience bounds how long a process waits for another one before it takes it for one that is away. On a slow
// machine, where a process that is there may be as slow as that, one setting makes all of these bounds longer.
package patience

import (
	"sync/atomic"
	"time"
)

// Setting is the name of the setting, and Most its greatest value. The command line reads it as a variable.
const (
	Setting = "patience"
	Most    = 1000
)

// more is by how much the patience of this process is greater than usual, less one.
var more atomic.Int64

// Set makes the patience of this process so many times what it usually is. A program sets it before it waits for
// anything.
func Set(times int64) { more.Store(times - 1) }

// Times returns how long to wait for what is usually waited for so long.
func Times(usual time.Duration) time.Duration { return usual * time.Duration(1+more.Load()) }
