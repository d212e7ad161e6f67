package hostile

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"insurance.example/exchange/deploy/proof/bench/load"
)

// target is the exchange as hostile callers reach it.
type target struct{ client *load.Client }

// gets returns the call that reads a path, posts the one that sends a body to it.
func gets(path string) func(uint64) load.Call {
	return func(uint64) load.Call { return load.Call{Method: http.MethodGet, Path: path} }
}

func posts(path string, body []byte) func(uint64) load.Call {
	return load.Post(path, func(uint64) []byte { return body })
}

// sends returns a row of calls.
func sends(call func(n uint64) load.Call) *load.Row { return &load.Row{Call: call} }

// keyed sends a body with an Idempotency-Key of its own each time.
func keyed(path string, body []byte) *load.Row {
	return sends(func(n uint64) load.Call {
		key := fmt.Sprintf("key-%d-%d", n, time.Now().UnixNano())
		return load.Call{Method: http.MethodPost, Path: path, Body: body, Header: "Idempotency-Key", Value: key}
	})
}

// headed reads a path with a header.
func headed(path, header, value string) *load.Row {
	return sends(func(uint64) load.Call {
		return load.Call{Method: http.MethodGet, Path: path, Header: header, Value: value}
	})
}

// connection opens a connection on which hostile bytes are sent. It is closed when the context ends.
func (t target) connection(ctx context.Context) (*bufio.ReadWriter, net.Conn) {
	conn, err := net.Dial("tcp", t.client.HTTP.Addr)
	if err != nil {
		return nil, nil
	}
	context.AfterFunc(ctx, func() { _ = conn.Close() })
	return bufio.NewReadWriter(bufio.NewReader(conn), bufio.NewWriter(conn)), conn
}

// begin writes how a request begins, without the empty line after its headers.
func (t target) begin(to *bufio.ReadWriter, method, path string) {
	_, _ = fmt.Fprintf(to, "%s %s HTTP/1.1\r\nHost: exchange\r\nAuthorization: Bearer %s\r\n", method, path,
		t.client.Token)
}

// statusOf reads the status of a response, 0 if there is none.
func statusOf(from *bufio.ReadWriter) int {
	response, err := http.ReadResponse(from.Reader, nil)
	if err != nil {
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}

// unread asks for a path and reads nothing of the response until the context ends.
func (t target) unread(path string) *load.Row {
	return &load.Row{Perform: func(ctx context.Context, _ uint64) int {
		rw, conn := t.connection(ctx)
		if rw == nil {
			return 0
		}
		defer conn.Close()
		// With a small window most of the response stays where it came from.
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
		t.begin(rw, http.MethodGet, path)
		_, _ = fmt.Fprint(rw, "\r\n")
		_ = rw.Flush()
		<-ctx.Done()
		return 0
	}}
}

// manyHeaders sends 10 MB of headers, or as much of them as is taken.
func (t target) manyHeaders(ctx context.Context, _ uint64) int {
	rw, conn := t.connection(ctx)
	if rw == nil {
		return 0
	}
	defer conn.Close()
	t.begin(rw, http.MethodGet, "/vehicle")
	line := "X-Padding: " + strings.Repeat("x", 8<<10) + "\r\n"
	for sent := 0; sent < 10<<20; sent += len(line) {
		if _, err := rw.WriteString(line); err != nil {
			break
		}
	}
	_, _ = rw.WriteString("\r\n")
	_ = rw.Flush()
	return statusOf(rw)
}

// chunked sends a body in chunks that does not end by itself, and returns the status with which it is refused.
func (t target) chunked(ctx context.Context, _ uint64) int {
	rw, conn := t.connection(ctx)
	if rw == nil {
		return 0
	}
	defer conn.Close()
	t.begin(rw, http.MethodPost, "/vehicle")
	_, _ = fmt.Fprint(rw, "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
	_, _ = fmt.Fprintf(rw, "2\r\n{\"\r\n")
	const chunk = 32 << 10
	for range 2 * largestBody / chunk {
		if _, err := fmt.Fprintf(rw, "%x\r\n%s\r\n", chunk, strings.Repeat("x", chunk)); err != nil {
			break
		}
	}
	_ = rw.Flush()
	return statusOf(rw)
}

// slowBodies declares a length and sends a byte each second.
func (t target) slowBodies(path string, length int) *load.Row {
	return &load.Row{Perform: func(ctx context.Context, _ uint64) int {
		rw, conn := t.connection(ctx)
		if rw == nil {
			return 0
		}
		defer conn.Close()
		t.begin(rw, http.MethodPost, path)
		_, _ = fmt.Fprintf(rw, "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n{", length)
		_ = rw.Flush()
		go func() {
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					_, _ = fmt.Fprint(conn, " ")
				case <-ctx.Done():
					return
				}
			}
		}()
		status := statusOf(rw) // ends with the connection
		if status != 0 {
			<-time.After(time.Second / 10) // a caller that is refused tries again, but not at once
		}
		return status
	}}
}

// pipelined sends requests one after the other without reading the responses.
func (t target) pipelined(path string) *load.Row {
	return &load.Row{Perform: func(ctx context.Context, _ uint64) int {
		rw, conn := t.connection(ctx)
		if rw == nil {
			return 0
		}
		defer conn.Close()
		for ctx.Err() == nil {
			t.begin(rw, http.MethodGet, path)
			if _, err := fmt.Fprint(rw, "\r\n"); err != nil || rw.Flush() != nil {
				break
			}
		}
		return 0
	}}
}

// silent begins a request and sends no more.
func (t target) silent(ctx context.Context, _ uint64) int {
	rw, conn := t.connection(ctx)
	if rw == nil {
		return 0
	}
	defer conn.Close()
	t.begin(rw, http.MethodGet, "/vehicle")
	_ = rw.Flush()
	return statusOf(rw)
}
