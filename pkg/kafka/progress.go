package kafka

import "time"

// progress is how far a partition is handled. Messages come in order of their offsets and are finished in any.
type progress struct {
	// pending are the offsets in hand, with the times of their messages.
	pending map[int64]time.Time
	// next is the offset after the last one accepted. Until one is accepted it is negative if the group has never
	// committed.
	next int64
	// committed is the offset that was committed last.
	committed int64
	// end is the offset after the last message in the log, as last heard.
	end int64
}

func newProgress(committed int64) *progress {
	return &progress{pending: make(map[int64]time.Time), next: committed, committed: committed}
}

func (p *progress) accept(offset int64, at time.Time) {
	p.pending[offset] = at
	p.next = offset + 1
}

func (p *progress) finish(offset int64) { delete(p.pending, offset) }

// uncommitted returns the offset to commit and whether it differs from the committed one. All messages before it are
// handled.
func (p *progress) uncommitted() (offset int64, ok bool) {
	offset = p.next
	for pending := range p.pending {
		offset = min(offset, pending)
	}
	return offset, offset != p.committed
}

// lag returns how many messages are not handled yet, and the time of the oldest of those in hand; the zero time if
// none is.
func (p *progress) lag() (messages int64, oldest time.Time) {
	for _, at := range p.pending {
		if oldest.IsZero() || at.Before(oldest) {
			oldest = at
		}
	}
	handled, _ := p.uncommitted()
	return max(p.end-max(handled, 0), int64(len(p.pending))), oldest
}
