package audit

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"gopkg.in/natefinch/lumberjack.v2"
)

const (
	// mostWaiting is how many bytes of lines may wait for a write that is under way. A request that adds more waits
	// too.
	mostWaiting = 1 << 20
	// fileSize is the size at which a file is renamed and another one begun, in MiB.
	fileSize = 100
)

// Log is an audit log. It is safe for concurrent use. A request waits for no write: a goroutine writes the lines that
// have come while it wrote those before. So a line is written at once if there are few, and many share a write. A nil
// Log keeps nothing.
type Log struct {
	out    io.Writer
	failed func(error)
	lost   prometheus.Counter

	mu      sync.Mutex
	waiting []byte
	changed *sync.Cond
	closing bool
	ended   chan struct{}
}

// Open returns a log whose lines go to out. It counts lines that could not be written in metrics, and logs the first
// failure after a success.
func Open(out io.Writer, log *slog.Logger, metrics prometheus.Registerer) *Log {
	l := &Log{out: out, ended: make(chan struct{}), lost: prometheus.NewCounter(prometheus.CounterOpts{
		Name: "exchange_audit_writes_failed_total", Help: "Writes to the audit log that failed.",
	})}
	metrics.MustRegister(l.lost)
	l.failed = func(err error) { log.Error("lines of the audit log could not be written", "cause", err) }
	l.changed = sync.NewCond(&l.mu)
	go l.run()
	return l
}

// File returns a file that is renamed at 100 MiB, of which the newest keep are kept; all if keep is 0. It is there
// after the call, or the error says why it cannot be.
func File(path string, keep int) (io.WriteCloser, error) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	// Others may not read it, also where it was there before.
	if err := errors.Join(file.Chmod(0o600), file.Close()); err != nil {
		return nil, fmt.Errorf("%s cannot be used: %w", path, err)
	}
	return &lumberjack.Logger{Filename: path, MaxSize: fileSize, MaxBackups: keep}, nil
}

// Add adds a line.
func (l *Log) Add(e *Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) > mostWaiting && !l.closing {
		l.changed.Wait()
	}
	if l.closing {
		return
	}
	if len(l.waiting) == 0 {
		l.changed.Broadcast()
	}
	l.waiting = e.append(l.waiting)
}

// Close writes what waits, and ends the log.
func (l *Log) Close() error {
	l.mu.Lock()
	l.closing = true
	l.changed.Broadcast()
	l.mu.Unlock()
	<-l.ended
	return nil
}

// run writes lines until the log is closed.
func (l *Log) run() {
	defer close(l.ended)
	var lines []byte
	broken := false
	for {
		l.mu.Lock()
		for len(l.waiting) == 0 && !l.closing {
			l.changed.Wait()
		}
		lines, l.waiting = l.waiting, lines[:0]
		l.changed.Broadcast()
		l.mu.Unlock()
		if len(lines) == 0 {
			return
		}
		_, err := l.out.Write(lines)
		if err != nil {
			l.lost.Inc()
			if !broken {
				l.failed(err)
			}
		}
		broken = err != nil
	}
}
