package load

import (
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
	// Holder holds refusals back; nil if nothing does.
	Holder *Holder
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
	if d.Holder != nil {
		c.Writer = &response{ResponseWriter: c.Writer, holder: d.Holder}
	}
	if a := accountOf(ctx); a != nil && !d.Forwards && c.Request.Body != nil && c.Request.Body != http.NoBody {
		c.Request.Body = bodyOf(c.Request, a)
	}
	if opened == nil {
		return func() {}
	}
	return opened.close
}

// Admit admits a request of a caller, or returns why it does not, as Begin does. route is the template of its path. The
// slot of the request ends when its response begins, so that a client that reads slowly keeps no one out, or when Leave
// is called.
func (l *Limiter) Admit(c *gin.Context, caller Caller, route string) *problem.Error {
	ctx, slot, refused := l.Begin(c.Request.Context(), caller, classOf(c.Request.Method, route))
	if refused != nil || slot == nil {
		return refused
	}
	// What a service asks of others for this request has its slot, and came on no connection of its own.
	if visitor := visitorOf(ctx); visitor != nil {
		visitor.caller = caller
	}
	c.Request = c.Request.WithContext(ctx)
	c.Request.Body = slot.Body(c.Request.Body)
	if entered, is := c.Writer.(*response); is {
		entered.slot = slot
	} else {
		c.Writer = &response{ResponseWriter: c.Writer, slot: slot}
	}
	return nil
}

// Leave ends the slot of a request that Admit has admitted, if its response has not begun.
func Leave(c *gin.Context) {
	if admitted, is := c.Writer.(*response); is {
		admitted.slot.End()
	}
}

// internalPrefix begins the paths of the operations that only other services call, for requests that were admitted
// there.
const internalPrefix = "/internal/"

// classOf returns the class of a request. A GET whose path has no parameter (:id, or {id}) has the class of lists.
func classOf(method, route string) Class {
	switch {
	case strings.HasPrefix(route, internalPrefix):
		return Internal
	case method != http.MethodGet && method != http.MethodHead:
		return Write
	case strings.Contains(route, "/:"), strings.Contains(route, "/{"):
		return Read
	default:
		return List
	}
}

// response is the response to a request that was let in. When it begins, the slot of the request ends.
type response struct {
	gin.ResponseWriter
	slot   *Slot
	holder *Holder
}

// Write writes a part of the body.
func (r *response) Write(content []byte) (int, error) {
	r.begin()
	return r.ResponseWriter.Write(content)
}

// WriteString writes a part of the body.
func (r *response) WriteString(content string) (int, error) {
	r.begin()
	return r.ResponseWriter.WriteString(content)
}

// WriteHeaderNow sends the status and the header.
func (r *response) WriteHeaderNow() {
	r.begin()
	r.ResponseWriter.WriteHeaderNow()
}

// Flush sends what was written so far.
func (r *response) Flush() {
	r.begin()
	r.ResponseWriter.Flush()
}

// Unwrap is for http.ResponseController.
func (r *response) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// begin ends the slot. A 503 says nothing about how long served requests take.
func (r *response) begin() {
	if r.Status() == http.StatusServiceUnavailable {
		r.slot.End()
	} else {
		r.slot.Served()
	}
}

// Slot is one slot of the limiter, held by an admitted request until Served or End. A nil slot stands for a request
// that nothing limits.
type Slot struct {
	limiter *Limiter
	caller  Caller
	began   time.Time
	// The mutex of the limiter guards what follows. The time that a request waits for its caller does not count, and
	// neither is it in work then.
	waiting bool
	waited  time.Duration
	left    time.Time
	ended   bool
	sharer  *sharer // while it is in work
}

// Served ends a request that was served: how long it took says how much the service can do. Only the first call of
// Served and End counts.
func (p *Slot) Served() { p.end(true) }

// End gives back the slot of a request that was refused or had no response. The limiter learns nothing from it.
func (p *Slot) End() { p.end(false) }

func (p *Slot) end(measured bool) {
	if p == nil {
		return
	}
	l := p.limiter
	now := l.config.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.ended {
		return
	}
	p.ended = true
	if !p.waiting {
		p.stop(now)
	}
	if measured {
		l.took += now.Sub(p.began) - p.waited
		l.count++
		l.adjust(now)
	}
	l.pass(now)
}

// start and stop count the request as in work, and as no longer so.
func (p *Slot) start() { p.sharer = p.limiter.shares.begin(p.caller) }

func (p *Slot) stop(now time.Time) { p.limiter.shares.end(p.sharer, now) }

// Body returns the body of the request. While the body is awaited, the request does not count as in work, so that a
// client that sends slowly keeps no one out. It counts again afterwards, even if the limit is reached by then.
func (p *Slot) Body(of io.ReadCloser) io.ReadCloser {
	if p == nil || of == nil || of == http.NoBody {
		return of
	}
	return &body{of, p}
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

func (p *Slot) wait() {
	l := p.limiter
	now := l.config.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !p.ended && !p.waiting {
		p.waiting, p.left = true, now
		p.stop(now)
		l.pass(now)
	}
}

func (p *Slot) resume() {
	l := p.limiter
	now := l.config.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !p.ended && p.waiting {
		p.waiting = false
		p.waited += now.Sub(p.left)
		p.start()
	}
}
