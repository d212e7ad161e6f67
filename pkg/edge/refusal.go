package edge

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/problem"
)

// refuser is a connection that replaces the responses which net/http makes by itself, in plain text, when it cannot
// make a request of what it reads. There is no hook for them, but they are easy to tell: no handler has the request,
// and each is written at once.
type refuser struct {
	net.Conn
	log *slog.Logger
	// handled says that a handler has a request, or that its response is still being written.
	handled atomic.Bool
}

func (c *refuser) Write(p []byte) (int, error) {
	if !c.handled.Load() && bytes.HasPrefix(p, []byte("HTTP/1.")) {
		if refusal := c.refusal(p); refusal != nil {
			if _, err := c.Conn.Write(refusal); err != nil {
				return 0, err
			}
			return len(p), nil
		}
	}
	return c.Conn.Write(p)
}

// unreadable holds, by their status, the problems of what net/http refuses, each with the detail that it has by itself.
var unreadable = map[int]struct {
	kind   problem.Kind
	detail string
}{
	http.StatusBadRequest: {problem.MalformedRequest, "The request line or the header cannot be read"},
	http.StatusExpectationFailed: {
		problem.Expectation, "The only value of Expect that can be met is 100-continue",
	},
	http.StatusRequestHeaderFieldsTooLarge: {
		problem.HeaderTooLarge, "The request line and the header are larger than 32 KiB",
	},
	http.StatusNotImplemented: {
		problem.TransferCoding, "The only Transfer-Encoding that can be read is chunked",
	},
	http.StatusHTTPVersionNotSupported: {problem.Version, "Use HTTP/1.1 or HTTP/2"},
}

// refusal returns the response with a problem document that takes the place of a response of net/http; nil if that is
// no refusal.
func (c *refuser) refusal(plain []byte) []byte {
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(plain)), nil)
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	of, ok := unreadable[response.StatusCode]
	if !ok {
		return nil
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil
	}
	detail := of.detail
	if response.StatusCode == http.StatusBadRequest {
		// net/http says what is wrong, mostly behind the status. It repeats nothing of the request.
		reason := strings.TrimPrefix(strings.TrimSpace(string(text)), "400 "+http.StatusText(http.StatusBadRequest))
		if reason = strings.Trim(reason, ":. "); reason != "" {
			detail += ": " + reason
		}
	}
	id := uuid.NewString()
	document := newDocument(id, problem.New(of.kind, detail+"."))
	c.log.Debug("request refused before it was read", "request", id, "status", response.StatusCode, "problem",
		of.kind.Slug(), "cause", string(text))
	return document.whole(response.StatusCode)
}

// document is an http.ResponseWriter that keeps the problem document written to it.
type document struct {
	header http.Header
	text   bytes.Buffer
}

// newDocument returns the document of a problem, in a response that ends the connection.
func newDocument(requestID string, p *problem.Error) *document {
	d := &document{header: http.Header{
		problem.RequestIDHeader: {requestID}, "Date": {time.Now().UTC().Format(http.TimeFormat)},
		"Connection": {"close"},
	}}
	problem.Write(d, p)
	return d
}

// whole returns the response with the document, as it is sent.
func (d *document) whole(status int) []byte {
	var response bytes.Buffer
	fmt.Fprintf(&response, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	_ = d.header.Write(&response) // to memory
	response.WriteString("\r\n")
	response.Write(d.text.Bytes())
	return response.Bytes()
}

func (d *document) Header() http.Header                  { return d.header }
func (d *document) WriteHeader(int)                      {}
func (d *document) Write(text []byte) (n int, err error) { return d.text.Write(text) }
