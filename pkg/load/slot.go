package load

import (
	"io"
	"net/http"
	"time"
)

// Slot is one slot of the limiter, held by an admitted request until Served or End. A nil slot stands for a request
// that nothing limits.
type Slot struct {
	limiter *Limiter
	began   time.Time
	// The mutex of the limiter guards what follows. The time that a request waits for its caller does not count, and
	// neither is it in work then.
	waiting bool
	waited  time.Duration
	left    time.Time
	ended   bool
}

// Served ends a request that was served: how long it took says how much the service can do. Only the first call of
// Served and End counts.
func (p *Slot) Served() { p.end(true) }

// End gives back the slot of a request that was refused or had no response. The limiter learns nothing from it.
func (p *Slot) End() { p.end(false) }

func (p *Slot) end(measured bool) {
	if p == nil {
		return
	}
	l := p.limiter
	now := l.config.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.ended {
		return
	}
	p.ended = true
	if !p.waiting {
		l.inWork--
	}
	if measured {
		l.took += now.Sub(p.began) - p.waited
		l.count++
		l.adjust(now)
	}
	l.pass(now)
}

// Body returns the body of the request. While the body is awaited, the request does not count as in work, so that a
// client that sends slowly keeps no one out. It counts again afterwards, even if the limit is reached by then.
func (p *Slot) Body(of io.ReadCloser) io.ReadCloser {
	if p == nil || of == nil || of == http.NoBody {
		return of
	}
	return &body{of, p}
}

type body struct {
	io.ReadCloser
	slot *Slot
}

func (b *body) Read(into []byte) (int, error) {
	b.slot.wait()
	defer b.slot.resume()
	return b.ReadCloser.Read(into)
}

func (p *Slot) wait() {
	l := p.limiter
	now := l.config.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !p.ended && !p.waiting {
		p.waiting, p.left = true, now
		l.inWork--
		l.pass(now)
	}
}

func (p *Slot) resume() {
	l := p.limiter
	now := l.config.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !p.ended && p.waiting {
		p.waiting = false
		p.waited += now.Sub(p.left)
		l.inWork++
	}
}
