package process_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"insurance.example/exchange/pkg/process"
)

// TestStoppingProcessAnnouncesIt keeps connections of every kind through a stop: one with a request under way, one
// without, and a new one. Each gets its response with Connection: close; none is closed before.
func TestStoppingProcessAnnouncesIt(t *testing.T) {
	p, journal := open(t, func(s *process.Settings) { s.DrainDelay = time.Hour })
	entered, leave := make(chan struct{}), make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			close(entered)
			<-leave
			_, _ = io.WriteString(w, "done")
		case "/empty":
		case "/flushed":
			_ = http.NewResponseController(w).Flush()
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	})
	ctx, stop := context.WithCancel(t.Context())
	go func() { _ = p.Serve(ctx, handler) }()
	kept, busy := dialled(t, p), dialled(t, p)
	if response := kept.ask(t, "/"); response.Close {
		t.Error("a process that serves sends Connection: close")
	}
	busy.send(t, "/slow")
	<-entered
	stop()
	eventually(t, func() bool {
		status, _ := get(t, journal.adminURL(t)+"/readyz")
		return status == http.StatusServiceUnavailable
	})
	close(leave)
	for name, response := range map[string]*http.Response{
		"under way": busy.receive(t), "kept": kept.ask(t, "/"), "new": dialled(t, p).ask(t, "/empty"),
		"begun by a flush": dialled(t, p).ask(t, "/flushed"),
	} {
		if response.StatusCode >= 300 || !response.Close {
			t.Errorf("%s: status %d, Connection: close: %v", name, response.StatusCode, response.Close)
		}
	}
}

// dialog is a connection to a process.
type dialog struct {
	net.Conn
	in *bufio.Reader
}

func dialled(t *testing.T, p *process.Process) dialog {
	t.Helper()
	var connection net.Conn
	eventually(t, func() (ok bool) {
		var err error
		connection, err = dial(t.Context(), "127.0.0.1", p.Address())
		return err == nil
	})
	t.Cleanup(func() { _ = connection.Close() })
	return over(connection)
}

func over(connection net.Conn) dialog { return dialog{connection, bufio.NewReader(connection)} }

func (d dialog) send(t *testing.T, path string) {
	t.Helper()
	if _, err := fmt.Fprintf(d, "GET %s HTTP/1.1\r\nHost: exchange\r\n\r\n", path); err != nil {
		t.Fatal(err)
	}
}

func (d dialog) receive(t *testing.T) *http.Response {
	t.Helper()
	response, err := http.ReadResponse(d.in, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, response.Body)
	response.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func (d dialog) ask(t *testing.T, path string) *http.Response {
	t.Helper()
	d.send(t, path)
	return d.receive(t)
}
