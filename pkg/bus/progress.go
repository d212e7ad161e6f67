package bus

// progress is how far a partition is handled. Messages come in order of their offsets and are finished in any.
type progress struct {
	// pending are the offsets in hand.
	pending map[int64]struct{}
	// next is the offset after the last one accepted. Until one is accepted it is negative if the group has never committed.
	next int64
	// committed is the offset that was committed last.
	committed int64
}

func newProgress(committed int64) *progress {
	return &progress{pending: make(map[int64]struct{}), next: committed, committed: committed}
}

func (p *progress) accept(offset int64) {
	p.pending[offset] = struct{}{}
	p.next = offset + 1
}

func (p *progress) finish(offset int64) { delete(p.pending, offset) }

// uncommitted returns the offset to commit and whether it differs from the committed one. All messages before it are handled.
func (p *progress) uncommitted() (offset int64, ok bool) {
	offset = p.next
	for pending := range p.pending {
		offset = min(offset, pending)
	}
	return offset, offset != p.committed
}
