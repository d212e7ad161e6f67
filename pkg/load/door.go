package load

import (
	"container/list"
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// Enter lets a request in: it opens the account of the request, from which its body takes as it comes. forwards
// says that the request is passed on and not worked on: it takes nothing for its body. A request that has an account
// keeps it: what a service does for it in the process of the gateway ends with the gateway's response. end gives
// back what was taken. Without a budget nothing is bounded.
func (b *Budget) Enter(c *gin.Context, forwards bool) (end func()) {
	end = func() {}
	if b == nil {
		return end
	}
	ctx := c.Request.Context()
	a := accountOf(ctx)
	if a == nil {
		a = &account{budget: b}
		c.Request = c.Request.WithContext(request.WithAccount(ctx, a))
		end = a.close
	}
	if !forwards && c.Request.Body != nil && c.Request.Body != http.NoBody {
		c.Request.Body = &accountedBody{
			ReadCloser: c.Request.Body, account: a, declared: max(0, c.Request.ContentLength),
		}
	}
	return end
}

// internalPrefix begins the paths of the operations that only other services call, for requests that were admitted
// there. They do not wait.
const internalPrefix = "/internal/"

type slotKey struct{}

// Admit admits a request of a caller, or returns why it does not, as Begin does. route is the template of its path.
// The slot of the request ends when the body of its response begins, so that a client that reads slowly keeps no one
// out, or when Leave is called. A request that has a slot keeps it: what a service does for it in the process of the
// gateway was admitted there.
func (l *Limiter) Admit(c *gin.Context, caller Caller, route string) *problem.Error {
	ctx := c.Request.Context()
	if strings.HasPrefix(route, internalPrefix) || ctx.Value(slotKey{}) != nil {
		return nil
	}
	slot, refused := l.Begin(ctx, caller)
	if refused != nil {
		return refused
	}
	c.Request = c.Request.WithContext(context.WithValue(ctx, slotKey{}, slot))
	if c.Request.Body != nil && c.Request.Body != http.NoBody {
		c.Request.Body = awaitedBody{c.Request.Body, slot}
	}
	c.Writer = &response{ResponseWriter: c.Writer, slot: slot, account: accountOf(ctx)}
	return nil
}

// Leave ends the slot of a request that Admit has admitted, if its response has not begun.
func Leave(c *gin.Context) {
	if admitted, is := c.Writer.(*response); is {
		admitted.slot.End()
	}
}

// response is the response to a request that was admitted. When its body begins, the slot of the request ends. A
// response is written at once, so that its first part says what memory the request still needs.
type response struct {
	gin.ResponseWriter
	slot    *Slot
	account *account
}

// Write writes a part of the body.
func (r *response) Write(content []byte) (int, error) {
	r.slot.End()
	if r.account != nil {
		r.account.keep(len(content))
	}
	return r.ResponseWriter.Write(content)
}

// WriteString writes a part of the body.
func (r *response) WriteString(content string) (int, error) { return r.Write([]byte(content)) }

// Slot is one slot of the limiter, held by an admitted request until End.
type Slot struct {
	limiter *Limiter
	// The mutex of the limiter guards what follows.
	caller *party
	// turn is where the request waits for the slot, if it does. decided then gets why it has none, or nil; it is nil if
	// the request never had to wait.
	turn    *list.Element // in party.turns
	decided chan *problem.Error
	// crowded says that a crowd waited when the request got the slot.
	crowded bool
	// inWork says that the request counts as in work: not while its body is awaited.
	inWork, ended bool
}

// End gives back the slot. Only the first call counts.
func (s *Slot) End() {
	s.limiter.mu.Lock()
	defer s.limiter.mu.Unlock()
	s.ended = true
	s.pause()
}

// work counts the request as in work, unless it has ended.
func (s *Slot) work() {
	if !s.inWork && !s.ended {
		s.inWork = true
		s.caller.work(1)
	}
}

// pause has the next one that waits take the place of the request.
func (s *Slot) pause() {
	if s.inWork {
		s.inWork = false
		s.caller.work(-1)
		s.limiter.dispatch()
	}
}

// awaitedBody is the body of an admitted request. While it is awaited, the request does not count as in work, so that a
// client that sends slowly keeps no one out. It counts again afterwards, even if the limit is reached by then.
type awaitedBody struct {
	io.ReadCloser
	slot *Slot
}

func (b awaitedBody) Read(into []byte) (int, error) {
	mu := &b.slot.limiter.mu
	mu.Lock()
	b.slot.pause()
	mu.Unlock()
	n, err := b.ReadCloser.Read(into)
	mu.Lock()
	defer mu.Unlock()
	b.slot.work()
	return n, err
}
