// Package progress shows how far a command has come.
package progress

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress is how far a command has come. On a terminal it is a bar, and elsewhere a line every few seconds. What
// cannot be shown does not stop the work.
type Progress struct {
	w     io.Writer
	total int64
	bar   *progressbar.ProgressBar
	next  time.Time
}

// betweenLines is the time from one line to the next.
const betweenLines = 5 * time.Second

// New returns a progress towards a total, which is -1 if it is not known.
func New(w io.Writer, total int64) *Progress {
	p := &Progress{w: w, total: total, next: time.Now().Add(betweenLines)}
	if file, is := w.(*os.File); is && term.IsTerminal(int(file.Fd())) {
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(w), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionFullWidth(), progressbar.OptionSetPredictTime(
				total > 0), progressbar.OptionSetElapsedTime(true))
	}
	return p
}

// At shows how much of the total is done, and what was done, in words.
func (p *Progress) At(done int64, what string) {
	if p.bar != nil {
		p.bar.Describe(what)
		if p.total >= 0 {
			done = min(done, p.total) // the last line may have no end
		}
		_ = p.bar.Set64(done)
	} else if now := time.Now(); now.After(p.next) {
		p.next = now.Add(betweenLines)
		fmt.Fprintln(p.w, what)
	}
}

// End removes the bar.
func (p *Progress) End() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
