package edge

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
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

// unreadable holds, by their status, the problems of what net/http refuses.
var unreadable = map[int]*problem.Error{
	http.StatusBadRequest: problem.New(problem.MalformedRequest, "The request line or the header cannot be read."),
	http.StatusExpectationFailed: problem.New(problem.Expectation,
		"The only value of Expect that can be met is 100-continue."),
	http.StatusRequestHeaderFieldsTooLarge: problem.New(problem.HeaderTooLarge,
		"The request line and the header are larger than 32 KiB."),
	http.StatusNotImplemented: problem.New(problem.TransferCoding,
		"The only Transfer-Encoding that can be read is chunked."),
	http.StatusHTTPVersionNotSupported: problem.New(problem.Version, "Use HTTP/1.1 or HTTP/2."),
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
	refusal := unreadable[response.StatusCode]
	if err != nil || refusal == nil {
		return plain
	}
	if response.StatusCode == http.StatusBadRequest {
		// net/http says what is wrong, mostly behind the status. It repeats nothing of the request.
		reason := strings.Trim(strings.TrimPrefix(string(text), "400 Bad Request"), ":. \n")
		if reason != "" {
			refusal = problem.New(refusal.Kind, strings.TrimSuffix(refusal.Detail, ".")+": "+reason+".")
		}
	}
	id := request.IDOf("")
	whole := wholeResponse{header: http.Header{
		problem.RequestIDHeader: {id}, "Date": {time.Now().UTC().Format(http.TimeFormat)}, "Connection": {"close"},
	}}
	problem.Write(&whole, refusal)
	c.of.log.Debug("request refused before it was read", "request", id, "status", response.StatusCode, "problem",
		refusal.Kind.Slug(), "cause", string(text))
	return whole.Bytes()
}

// wholeResponse is an http.ResponseWriter that keeps the text of a response.
type wholeResponse struct {
	bytes.Buffer
	header http.Header
}

func (w *wholeResponse) Header() http.Header { return w.header }

func (w *wholeResponse) WriteHeader(status int) {
	fmt.Fprintf(w, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	_ = w.header.Write(w) // to memory
	w.WriteString("\r\n")
}
