package peer

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// longestKept is the size in bytes up to which the body of a request is read before it is sent, so that it can be sent
// again.
const longestKept = 64 << 10

// content is the body of a request for one or more attempts.
type content struct {
	original io.ReadCloser
	// kept is the whole body if it is kept.
	kept []byte

	mu sync.Mutex
	// begun is true once a body that is not kept was read from; then there are no more attempts. closed is true once an
	// attempt has closed the body, and last if no attempt follows.
	begun, closed, last bool
}

// takeContent reads the body of a request if it is short. It returns the error of reading it.
func takeContent(request *http.Request) (*content, error) {
	c := &content{original: request.Body}
	if c.empty() || request.ContentLength <= 0 || request.ContentLength > longestKept {
		return c, nil
	}
	c.kept = make([]byte, request.ContentLength)
	_, err := io.ReadFull(request.Body, c.kept)
	_ = request.Body.Close()
	return c, err
}

func (c *content) empty() bool { return c.original == nil || c.original == http.NoBody }

// body returns the body for an attempt.
func (c *content) body() io.ReadCloser {
	switch {
	case c.empty():
		return c.original
	case c.kept != nil:
		return io.NopCloser(bytes.NewReader(c.kept))
	default:
		return passed{c}
	}
}

// whole reports whether body can return the whole body once more.
func (c *content) whole() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.begun
}

// finish says that no attempt follows. If one has had a response, it may still be sending the body, and closes it.
func (c *content) finish(responded bool) {
	if c.empty() || c.kept != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = true
	if c.closed || !responded {
		_ = c.original.Close()
	}
}

// passed is a body that is passed on as it is read. As long as nothing was read, closing it leaves the body of the
// request open for another attempt.
type passed struct{ content *content }

func (p passed) Read(b []byte) (int, error) {
	p.content.mu.Lock()
	p.content.begun = true
	p.content.mu.Unlock()
	return p.content.original.Read(b)
}

func (p passed) Close() error {
	p.content.mu.Lock()
	defer p.content.mu.Unlock()
	p.content.closed = true
	if p.content.begun || p.content.last {
		return p.content.original.Close()
	}
	return nil
}
