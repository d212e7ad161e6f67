package admission

import (
	"sync"
	"time"
)

// Backlog says how long the requests of a process wait until it reads them: in the system, and until their goroutines
// have their turn. A limiter does not see them there, and no request knows it of itself. So a probe takes the same
// way now and then. It is safe for concurrent use. A nil backlog is never too long.
type Backlog struct {
	config BacklogConfig

	mu sync.Mutex
	// read is the number of requests that were read, whether or not they were refused.
	read int
	// sent is when the probe under way was sent, zero if there is none, and readBefore the number of requests that
	// were read by then.
	sent       time.Time
	readBefore int
	// waited is how long the last probe was under way, passed when it came back, and ahead how many requests were
	// read meanwhile.
	waited time.Duration
	passed time.Time
	ahead  int
	// longSince is since when requests have waited too long; zero if they do not.
	longSince time.Time
	// refusing is until when requests that have waited too long are refused.
	refusing time.Time
}

// BacklogConfig is the configuration of a backlog.
type BacklogConfig struct {
	// Target is how long requests may wait while others are refused.
	Target time.Duration
	// Now returns the present time.
	Now func() time.Time
	// Probe has Passed called when a request that comes now would be read. It reports false if it cannot. There is
	// one probe at a time.
	Probe func() bool
}

const (
	// probeEvery is the least time between two probes, and believed how long what the last one said is taken to be
	// true.
	probeEvery = 5 * time.Millisecond
	believed   = 4 * probeEvery
	// patience is how long requests have to wait too long on end until any is refused for it, so that none is after a
	// burst or a pause.
	patience = 100 * time.Millisecond
	// calm is how long no request is refused for its waiting until patience counts again.
	calm = time.Second
	// In lateTime of each lateEvery those that have waited too long are served all the same. To refuse costs time as
	// well: where there is too little even for this, whoever refused all would serve nobody.
	lateEvery = 8 * time.Millisecond
	lateTime  = 2 * time.Millisecond
)

// NewBacklog returns a backlog of which nothing is known.
func NewBacklog(config BacklogConfig) *Backlog { return &Backlog{config: config} }

// Passed ends the probe that is under way.
func (b *Backlog) Passed() {
	now := b.config.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sent.IsZero() {
		return
	}
	b.waited, b.passed, b.ahead = now.Sub(b.sent), now, b.read-b.readBefore
	b.sent = time.Time{}
	b.judge(now)
}

// Wait returns how long what is read now has waited, as far as that is known.
func (b *Backlog) Wait() time.Duration {
	now := b.config.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	waited, _ := b.wait(now)
	return waited
}

// wait returns how long what is read now has waited, and how many requests have come before it that had not been
// read. A probe under way was sent after what is read now had come.
func (b *Backlog) wait(now time.Time) (waited time.Duration, ahead int) {
	if underWay := !b.sent.IsZero(); underWay || now.Sub(b.passed) <= believed {
		waited, ahead = b.waited, b.ahead
		if underWay && now.Sub(b.sent) > waited {
			waited, ahead = now.Sub(b.sent), b.read-b.readBefore
		}
	}
	return waited, ahead
}

// count notes that a request was read.
func (b *Backlog) count(now time.Time) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read++
	b.judge(now)
	if b.sent.IsZero() && now.Sub(b.passed.Add(-b.waited)) >= probeEvery && b.config.Probe() {
		b.sent, b.readBefore = now, b.read
	}
}

// judge notes whether requests wait too long. As many as are admitted at rest may.
func (b *Backlog) judge(now time.Time) {
	switch waited, ahead := b.wait(now); {
	case waited <= b.config.Target || ahead <= atRest:
		b.longSince = time.Time{}
	case b.longSince.IsZero():
		b.longSince = now
	case now.Sub(b.longSince) >= patience:
		b.refusing = now.Add(calm)
	}
}

// refuses reports whether a request that is read now is refused because it has waited too long, where it may wait for
// a part of the target. However long they wait, as many are not refused as may be in work at least.
func (b *Backlog) refuses(now time.Time, share float64) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !now.Before(b.refusing) {
		return false
	}
	waited, ahead := b.wait(now)
	if ahead <= least || waited <= time.Duration(share*float64(b.config.Target)) {
		return false
	}
	b.refusing = now.Add(calm)
	return now.UnixNano()%int64(lateEvery) >= int64(lateTime)
}
