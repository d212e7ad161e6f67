package sqlite3

import (
	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Sizes in bytes: what is allocated for a statement's values at first, and what it may keep between uses.
const (
	firstBlock  = 1 << 12
	largestKept = 1 << 16
)

// memory holds the values of a statement where SQLite can read them while it runs: outside of Go's heap, which SQLite
// must not point into. It grows by blocks, so that what it holds never moves.
type memory struct {
	tls *libc.TLS
	// full are the blocks before the one in use.
	full  []uintptr
	block uintptr
	size  int
	used  int
}

// hold stores a copy of v until clear and returns its address; 0 means that memory has run out.
func hold[T string | []byte](m *memory, v T) uintptr {
	// An empty value takes a byte as well, for SQLite reads the address 0 as no value.
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

// clear forgets the values. One block is kept for the next, unless it is a large one.
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
