package client

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how far a command has come. On a terminal it is a bar, and elsewhere a line every few seconds.
type progress struct {
	w     io.Writer
	total int64
	bar   *progressbar.ProgressBar
	next  time.Time
}

// betweenLines is the time from one line to the next.
const betweenLines = 5 * time.Second

// newProgress returns a progress towards a total in bytes, which is -1 if it is not known.
func newProgress(w io.Writer, total int64) *progress {
	p := &progress{w: w, total: total, next: time.Now().Add(betweenLines)}
	if terminal(w) {
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(w), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
			progressbar.OptionFullWidth(), progressbar.OptionSetPredictTime(total > 0), progressbar.OptionSetElapsedTime(true))
	}
	return p
}

// at shows that a number of bytes are done, and what was done, in words.
func (p *progress) at(done int64, what string) error {
	if p.bar != nil {
		p.bar.Describe(what)
		if p.total >= 0 {
			done = min(done, p.total) // the last line may have no end
		}
		return p.bar.Set64(done)
	}
	if now := time.Now(); now.After(p.next) {
		p.next = now.Add(betweenLines)
		_, err := fmt.Fprintln(p.w, what)
		return err
	}
	return nil
}

// end removes the bar.
func (p *progress) end() error {
	if p.bar == nil {
		return nil
	}
	return p.bar.Clear()
}
