package load

import (
	"container/list"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/problem"
)

// Door is where a router lets requests in. What it gives a request ends with it.
type Door struct {
	// Budget bounds what requests have in work; nothing does if it is nil.
	Budget *Budget
	// Forwards says that the handlers pass requests on and do not work on them. Each takes no Page and nothing for its
	// body then, but Forwarding: the memory that a request needs while it is forwarded to another process, in bytes.
	Forwards   bool
	Forwarding int64
}

// Enter opens the account of a request, unless it has one: a Page takes from it when the request is charged to its
// caller, and its body as it comes. end gives back what was taken.
func (d Door) Enter(c *gin.Context) (end func()) {
	flat := int64(Page)
	if d.Forwards {
		flat = d.Forwarding
	}
	ctx, opened := d.Budget.begin(c.Request.Context(), flat)
	if opened != nil {
		c.Request = c.Request.WithContext(ctx)
	}
	if a := accountOf(ctx); a != nil && !d.Forwards && c.Request.Body != nil && c.Request.Body != http.NoBody {
		c.Request.Body = &accountedBody{
			ReadCloser: c.Request.Body, account: a, declared: max(0, c.Request.ContentLength),
		}
	}
	if opened == nil {
		return func() {}
	}
	return opened.close
}

// internalPrefix begins the paths of the operations that only other services call, for requests that were admitted
// there. They do not wait.
const internalPrefix = "/internal/"

// Admit admits a request of a caller, or returns why it does not, as Begin does. route is the template of its path. The
// slot of the request ends when its response begins, so that a client that reads slowly keeps no one out, or when Leave
// is called.
func (l *Limiter) Admit(c *gin.Context, caller Caller, route string) *problem.Error {
	if strings.HasPrefix(route, internalPrefix) {
		return nil
	}
	ctx, slot, refused := l.Begin(c.Request.Context(), caller)
	if refused != nil || slot == nil {
		return refused
	}
	c.Request = c.Request.WithContext(ctx)
	c.Request.Body = slot.Body(c.Request.Body)
	c.Writer = &response{ResponseWriter: c.Writer, slot: slot, account: accountOf(ctx)}
	return nil
}

// Leave ends the slot of a request that Admit has admitted, if its response has not begun.
func Leave(c *gin.Context) {
	if admitted, is := c.Writer.(*response); is {
		admitted.slot.End()
	}
}

// response is the response to a request that was admitted. When it begins, the slot of the request ends. A response is
// written at once, so that its first part says what memory the request still needs.
type response struct {
	gin.ResponseWriter
	slot    *Slot
	account *account
}

// Write writes a part of the body.
func (r *response) Write(content []byte) (int, error) {
	r.slot.End()
	r.account.keep(len(content))
	return r.ResponseWriter.Write(content)
}

// WriteString writes a part of the body.
func (r *response) WriteString(content string) (int, error) { return r.Write([]byte(content)) }

// WriteHeaderNow sends the status and the header.
func (r *response) WriteHeaderNow() {
	r.slot.End()
	r.ResponseWriter.WriteHeaderNow()
}

// Flush sends what was written so far.
func (r *response) Flush() {
	r.slot.End()
	r.ResponseWriter.Flush()
}

// Unwrap is for http.ResponseController.
func (r *response) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Slot is one slot of the limiter, held by an admitted request until End. A nil slot stands for a request that nothing
// limits.
type Slot struct {
	limiter *Limiter
	// The mutex of the limiter guards what follows.
	account, caller *party
	// place is where the request waits for the slot, if it does. decided is closed when it does no longer; nil if it
	// never had to. refused says that it got none.
	place   *list.Element // in party.line
	decided chan struct{}
	refused *problem.Error
	// crowded says that a crowd waited when the request got the slot.
	crowded bool
	// awaits says that the body is awaited, and that the request is not in work.
	awaits, ended bool
}

// End gives back the slot. Only the first call counts.
func (s *Slot) End() {
	if s == nil {
		return
	}
	s.limiter.mu.Lock()
	defer s.limiter.mu.Unlock()
	if s.ended {
		return
	}
	s.ended = true
	if !s.awaits {
		s.free()
	}
}

// work counts the request as in work, or as no longer so.
func (s *Slot) work(by int) {
	s.limiter.queue.inWork += by
	s.account.inWork += by
	s.caller.inWork += by
}

// free has the next one that waits take the place of the request.
func (s *Slot) free() {
	s.work(-1)
	s.limiter.dispatch()
}

// Body returns the body of the request. While the body is awaited, the request does not count as in work, so that a
// client that sends slowly keeps no one out. It counts again afterwards, even if the limit is reached by then.
func (s *Slot) Body(of io.ReadCloser) io.ReadCloser {
	if s == nil || of == nil || of == http.NoBody {
		return of
	}
	return &body{of, s}
}

type body struct {
	io.ReadCloser
	slot *Slot
}

func (b *body) Read(into []byte) (int, error) {
	b.slot.wait()
	defer b.slot.resume()
	return b.ReadCloser.Read(into)
}

func (s *Slot) wait() {
	s.limiter.mu.Lock()
	defer s.limiter.mu.Unlock()
	if !s.ended && !s.awaits {
		s.awaits = true
		s.free()
	}
}

func (s *Slot) resume() {
	s.limiter.mu.Lock()
	defer s.limiter.mu.Unlock()
	if !s.ended && s.awaits {
		s.awaits = false
		// Its caller may have been forgotten meanwhile.
		s.account, s.caller = s.limiter.queue.find(Caller{s.account.name, s.caller.name}, time.Now())
		s.work(1)
	}
}
