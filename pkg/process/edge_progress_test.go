package process_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/request"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
)

// serveUntilEnd serves a route of a process until the test ends.
func serveUntilEnd(t *testing.T, p *process.Process, method string, handle gin.HandlerFunc) {
	t.Helper()
	engine := p.Entrance("gateway")
	engine.Handle(method, "/", handle)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx, engine) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// connected returns a connection to a process.
func connected(t *testing.T, p *process.Process) net.Conn {
	t.Helper()
	conn, err := dial(t.Context(), "127.0.0.1", p.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestABodyThatDoesNotComeIs408(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := openInMemory(t, func(s *process.Settings) { s.ClientTimeout = 50 * time.Millisecond })
		serveUntilEnd(t, p, http.MethodPost, func(c *gin.Context) {
			if _, err := io.ReadAll(c.Request.Body); err != nil {
				process.Refuse(c, problemOf(err))
				return
			}
			c.Status(http.StatusNoContent)
		})
		conn, began := connected(t, p), time.Now()
		_, _ = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusRequestTimeout ||
			!strings.Contains(string(text), "/problems/slow-body") {
			t.Errorf("status %d, %v: %s", response.StatusCode, err, text)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// TestABodyThatCameLeavesTime checks that the time limit of the body is not the one of the request.
func TestABodyThatCameLeavesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const forBody = 50 * time.Millisecond
		p, _ := openInMemory(t, func(s *process.Settings) { s.ClientTimeout = forBody })
		serveUntilEnd(t, p, http.MethodPost, func(c *gin.Context) {
			if _, err := io.ReadAll(c.Request.Body); err != nil {
				process.Refuse(c, problemOf(err))
				return
			}
			select {
			case <-c.Request.Context().Done(): // as if the client had left
				c.Status(http.StatusTeapot)
			case <-time.After(4 * forBody):
				c.Status(http.StatusNoContent)
			}
		})
		client := &http.Client{Transport: newTransport()}
		response, err := client.Post(p.URL()+"/", "text/plain", strings.NewReader("whole"))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusNoContent {
			t.Errorf("status %d", response.StatusCode)
		}
	})
}

// TestAResponseThatNobodyReadsEnds checks that a request gives its memory back if nobody reads its response.
func TestAResponseThatNobodyReadsEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := openInMemory(t, func(s *process.Settings) { s.ClientTimeout = 50 * time.Millisecond })
		ended := make(chan error, 1)
		serveUntilEnd(t, p, http.MethodGet, func(c *gin.Context) {
			if err := request.Charge(c.Request.Context(), "ada", 64<<10); err != nil {
				process.Refuse(c, problemOf(err))
				return
			}
			// More than the buffers of a connection hold.
			piece := bytes.Repeat([]byte("x"), 64<<10)
			var err error
			for range 64 {
				if _, err = c.Writer.Write(piece); err != nil {
					break
				}
			}
			ended <- err
		})
		conn, began := connected(t, p), time.Now()
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		select {
		case err := <-ended:
			if err == nil {
				t.Fatal("all of the response was written to a client that reads nothing")
			}
			// A second for each 16 KiB of what is in the buffers, and of the piece after it.
			if took := time.Since(began); took > 15*time.Second {
				t.Errorf("it took %v", took)
			}
		case <-time.After(5 * time.Minute):
			t.Fatal("the response does not end")
		}
		admin := "http://" + p.AdminAddress()
		eventually(t, func() bool {
			_, metrics := get(t, admin+"/metrics")
			return strings.Contains(metrics, "\nexchange_work_bytes 0\n")
		})
	})
}

// TestWorkIsBoundedAcrossRequests checks that a process refuses a request if the others use the budget up, and serves
// it afterwards.
func TestWorkIsBoundedAcrossRequests(t *testing.T) {
	p, _ := open(t, func(s *process.Settings) { s.WorkMemory = 1 }) // for one request that forwards this much
	const each = 600 << 10
	entered, leave := make(chan struct{}), make(chan struct{})
	serveUntilEnd(t, p, http.MethodGet, func(c *gin.Context) {
		if err := request.Charge(c.Request.Context(), c.Query("caller"), each); err != nil {
			process.Refuse(c, problemOf(err))
			return
		}
		if c.Query("wait") != "" {
			entered <- struct{}{}
			<-leave
		}
		c.Status(http.StatusNoContent)
	})
	waited := make(chan int, 1)
	go func() {
		status, _ := get(t, p.URL()+"/?caller=ada&wait=1")
		waited <- status
	}()
	<-entered
	for caller, want := range map[string]int{"ada": http.StatusTooManyRequests, "bo": http.StatusServiceUnavailable} {
		if status, text := get(t, p.URL()+"/?caller="+caller); status != want {
			t.Errorf("%s: status %d, want %d: %s", caller, status, want, text)
		}
	}
	close(leave)
	if status := <-waited; status != http.StatusNoContent {
		t.Errorf("the first request: status %d", status)
	}
	eventually(t, func() bool {
		status, _ := get(t, p.URL()+"/?caller=bo")
		return status == http.StatusNoContent
	})
}

func problemOf(err error) *problem.Error { return problem.From(fmt.Errorf("reading: %w", err)) }
