package edge

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/problem"
)

// Write writes what net/http does. It replaces the responses that net/http makes by itself, in plain text, when it
// cannot make a request of what it reads. There is no hook for them, but they are easy to tell: no handler has the
// request, and each is written at once.
func (c *connection) Write(p []byte) (int, error) {
	if c.handled.Load() || !bytes.HasPrefix(p, []byte("HTTP/1.")) {
		return c.Conn.Write(p)
	}
	if _, err := c.Conn.Write(c.explained(p)); err != nil {
		return 0, err
	}
	return len(p), nil
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

// explained returns the response with a problem document that takes the place of a response of net/http; that one
// itself if it is no refusal.
func (c *connection) explained(plain []byte) []byte {
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(plain)), nil)
	if err != nil {
		return plain
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	of, refused := unreadable[response.StatusCode]
	if err != nil || !refused {
		return plain
	}
	detail := of.detail
	if response.StatusCode == http.StatusBadRequest {
		// net/http says what is wrong, mostly behind the status. It repeats nothing of the request.
		reason := strings.Trim(strings.TrimPrefix(string(text), "400 Bad Request"), ":. \n")
		if reason != "" {
			detail += ": " + reason
		}
	}
	id := uuid.NewString()
	document := document{header: http.Header{
		problem.RequestIDHeader: {id}, "Date": {time.Now().UTC().Format(http.TimeFormat)},
	}}
	problem.Write(&document, problem.New(of.kind, detail+"."))
	c.of.log.Debug("request refused before it was read", "request", id, "status", response.StatusCode, "problem",
		of.kind.Slug(), "cause", string(text))
	var whole bytes.Buffer
	_ = (&http.Response{
		StatusCode: response.StatusCode, ProtoMajor: 1, ProtoMinor: 1, Header: document.header,
		Body: io.NopCloser(&document), ContentLength: int64(document.Len()), Close: true,
	}).Write(&whole) // to memory
	return whole.Bytes()
}

// document is an http.ResponseWriter that keeps the problem document written to it.
type document struct {
	bytes.Buffer
	header http.Header
}

func (d *document) Header() http.Header { return d.header }
func (d *document) WriteHeader(int)     {}
