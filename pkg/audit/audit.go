// Package audit writes down who read or changed which record: a line of JSON for each request of a known caller,
// without its body. The lines are a stream of their own, apart from the log of the process.
//
// lumberjack rotates the file. slog would write the lines, and leave the queue, by which requests do not wait for the
// disk (until a mebibyte waits), and the count of what could not be written. The rest is the list of members.
package audit

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/prometheus/client_golang/prometheus"
	"gopkg.in/natefinch/lumberjack.v2"
)

// Entry is what a line says. A member that is empty is left out.
type Entry struct {
	Time time.Time
	// Request is the request id, the same in every process that the request passed through.
	Request string
	// Service is the service that has written the line, or the gateway.
	Service string
	// Subject and Client are from the caller's token.
	Subject, Client string
	// Organisation is the one that the caller acts for; empty if organisations do not share the exchange.
	Organisation string
	// Reason is why an operator has read; empty for everybody else.
	Reason string
	// From is the address at the other end of the connection. ForwardedFor is the header X-Forwarded-For: in a service
	// the gateway has set it; in the gateway the client has set it, and nothing checks it.
	From, ForwardedFor string
	// Route is the template of the path, as the router writes it (/claim/:id) or as the OpenAPI document does
	// (/claim/{id}). Path and Query are what was sent.
	Method, Route, Path, Query string
	// Record is the path of the record that the request has created.
	Record string
	Status int
	// Problem is the kind of the problem document with which the request was refused.
	Problem string
}

// longest bounds each text of a line that a caller chooses.
const longest = 1024

// append appends the entry as a line. Its first member distinguishes the stream from the log for a collector that
// gets both.
func (e *Entry) append(line []byte) []byte {
	line = append(line, `{"stream":"audit","time":"`...)
	line = e.Time.UTC().AppendFormat(line, "2006-01-02T15:04:05.000000Z07:00")
	line = append(line, '"')
	for _, member := range [...]struct{ name, value string }{
		{`,"request":`, e.Request}, {`,"service":`, e.Service}, {`,"subject":`, e.Subject}, {`,"client":`, e.Client},
		{`,"organisation":`, e.Organisation}, {`,"reason":`, e.Reason},
		{`,"from":`, e.From}, {`,"forwardedFor":`, e.ForwardedFor}, {`,"method":`, e.Method},
		{`,"path":`, e.Path}, {`,"query":`, e.Query}, {`,"record":`, e.Record}, {`,"problem":`, e.Problem},
	} {
		if member.value == "" {
			continue
		}
		line = append(line, member.name...)
		// Bytes that are no UTF-8 are replaced, which the error says.
		line, _ = jsontext.AppendQuote(line, member.value[:min(len(member.value), longest)])
	}
	line = append(line, `,"route":"`...)
	line = appendRoute(line, e.Route)
	line = append(line, `","status":`...)
	line = appendStatus(line, e.Status)
	return append(line, "}\n"...)
}

// appendRoute appends a template as the OpenAPI document writes it. The templates are the program's own, and have no
// characters that JSON escapes.
func appendRoute(line []byte, route string) []byte {
	inName := false
	for i := range len(route) {
		switch c := route[i]; {
		case c == ':' && i > 0 && route[i-1] == '/':
			inName = true
			line = append(line, '{')
		case c == '/' && inName:
			inName = false
			line = append(line, "}/"...)
		default:
			line = append(line, c)
		}
	}
	if inName {
		line = append(line, '}')
	}
	return line
}

// appendStatus appends a status of three digits.
func appendStatus(line []byte, status int) []byte {
	return append(line, byte('0'+status/100%10), byte('0'+status/10%10), byte('0'+status%10))
}

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
