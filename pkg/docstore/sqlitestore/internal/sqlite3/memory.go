package sqlite3

import (
	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Sizes in bytes: what is allocated for the values of a statement at first, and what a statement may keep between two
// uses.
const (
	firstBlock  = 1 << 12
	largestKept = 1 << 16
)

// memory holds the values of a statement while SQLite reads them. It lies outside of Go's heap, because SQLite must not
// keep pointers into that. It grows by blocks, so that its values never move.
type memory struct {
	tls *libc.TLS
	// full are the blocks before the one in use.
	full  []uintptr
	block uintptr
	size  int
	used  int
}

// hold stores a copy of v until clear and returns its address. It returns 0 if no memory is left.
func hold[T string | []byte](m *memory, v T) uintptr {
	// An empty value takes a byte too, because for SQLite the address 0 means that there is no value.
	n := max(len(v), 1)
	if m.used+n > m.size && !m.grow(n) {
		return 0
	}
	at := m.block + uintptr(m.used)
	m.used += n
	copy(libc.GoBytes(at, len(v)), v)
	return at
}

// grow starts a block that has room for n bytes.
func (m *memory) grow(n int) bool {
	size := max(firstBlock, 2*m.size, n)
	block := libc.Xmalloc(m.tls, lib.Tsize_t(size))
	if block == 0 {
		return false
	}
	if m.block != 0 {
		m.full = append(m.full, m.block)
	}
	m.block, m.size, m.used = block, size, 0
	return true
}

// clear forgets the values. It keeps one block for the next use, unless the block is large.
func (m *memory) clear() {
	for _, block := range m.full {
		libc.Xfree(m.tls, block)
	}
	m.full, m.used = m.full[:0], 0
	if m.size > largestKept {
		m.release()
	}
}

// release frees everything.
func (m *memory) release() {
	for _, block := range m.full {
		libc.Xfree(m.tls, block)
	}
	if m.block != 0 {
		libc.Xfree(m.tls, m.block)
	}
	*m = memory{tls: m.tls}
}
