package load

import (
	"context"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

const (
	// freely is how many refusals a second are not held: a few cost little.
	freely = 200
	// shortestHold and longestHold are how long a refusal is held, the longer the more are: longestHold from
	// manyHeld on.
	shortestHold = 50 * time.Millisecond
	longestHold  = 500 * time.Millisecond
	manyHeld     = 1024
)

// Holder holds refusals back while many are sent, so that those who ask again as soon as they are refused do so
// later: a refusal costs about half of what a read does. What is held waits for a timer and does no work. A nil
// holder holds nothing.
type Holder struct {
	most     int
	released chan struct{}
	release  sync.Once

	mu    sync.Mutex
	state HolderState
	// free is how many more are not held in the second that began at since.
	free  int
	since time.Time
}

// HolderState is what a holder does at present, and has done since its start.
type HolderState struct {
	// Held is how many refusals are held.
	Held int
	// Total is how many have been held, and Beyond how many were sent at once because there was no room for them.
	Total, Beyond int64
}

// NewHolder returns a holder of a number of refusals.
func NewHolder(most int) *Holder {
	return &Holder{most: most, released: make(chan struct{})}
}

// Release ends what is held, and has nothing held from now on: a process that stops does not wait for it.
func (h *Holder) Release() { h.release.Do(func() { close(h.released) }) }

// State returns the state of a holder that is not nil.
func (h *Holder) State() HolderState {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state
}

// hold returns when a refusal may be sent, or when ctx ends. If there is no room, it returns false at once.
func (h *Holder) hold(ctx context.Context) (room bool) {
	if h == nil {
		return true
	}
	long, room := h.begin()
	if long == 0 {
		return room
	}
	defer h.end()
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-h.released:
	}
	return true
}

// begin counts a refusal as held and returns for how long it is; 0 if it is not held.
func (h *Holder) begin() (long time.Duration, room bool) {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if now.Sub(h.since) >= time.Second {
		h.since, h.free = now, freely
	}
	if h.free > 0 {
		h.free--
		return 0, true
	}
	if h.state.Held >= h.most {
		h.state.Beyond++
		return 0, false
	}
	h.state.Held++
	h.state.Total++
	part := min(1, float64(h.state.Held)/manyHeld)
	return shortestHold + time.Duration(part*float64(longestHold-shortestHold)), true
}

func (h *Holder) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.Held--
}

// HoldBack slows down a client whose request is refused, if the door that let it in has a holder. On a connection of
// HTTP/1 the refusal is sent at once, and the next request of the client is held, which needs no memory before it is
// read. Otherwise HoldBack returns when the refusal may be sent. If there is no room to hold it, the refusal is
// sent at once, and its connection is closed after it.
func HoldBack(c *gin.Context) {
	if v := visitorOf(c.Request.Context()); v != nil {
		v.refused = true
		return
	}
	if let, is := c.Writer.(*response); is && !let.holder.hold(c.Request.Context()) {
		c.Writer.Header().Set("Connection", "close")
	}
}
