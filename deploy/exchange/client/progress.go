package client

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress tells how far a command has come: as a bar where somebody looks, else as a line every few seconds.
type progress struct {
	w     io.Writer
	total int64
	bar   *progressbar.ProgressBar
	next  time.Time
}

// betweenLines is the time from one line to the next.
const betweenLines = 5 * time.Second

// newProgress answers the progress towards a total in bytes, -1 where that is not known.
func newProgress(w io.Writer, total int64) *progress {
	p := &progress{w: w, total: total, next: time.Now().Add(betweenLines)}
	if terminal(w) {
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(w), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
			progressbar.OptionFullWidth(), progressbar.OptionSetPredictTime(total > 0), progressbar.OptionSetElapsedTime(true))
	}
	return p
}

// at tells that so many bytes are behind us, and what was done, in words.
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

// end takes the bar away.
func (p *progress) end() error {
	if p.bar == nil {
		return nil
	}
	return p.bar.Clear()
}
