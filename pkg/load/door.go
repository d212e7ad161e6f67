package load

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/problem"
)

// Door is where a router lets requests in. What it gives a request ends with it.
type Door struct {
	// Budget bounds what requests have in work; nothing does if it is nil.
	Budget *Budget
	// Forwarding is the memory that a request needs while it is forwarded to another process, in bytes.
	Forwarding int64
	// Forwards says that the handlers pass bodies on and do not work on them.
	Forwards bool
	// Holder holds refusals back; nil if nothing does.
	Holder *Holder
}

// Enter opens the account of a request, unless it has one: its body, the documents that stores read for it and what is
// made of them take from it. end gives back what was taken.
func (d Door) Enter(c *gin.Context) (end func()) {
	ctx, opened := d.Budget.begin(c.Request.Context(), d.Forwarding)
	if opened != nil {
		c.Request = c.Request.WithContext(ctx)
	}
	if opened != nil || d.Holder != nil {
		c.Writer = &response{ResponseWriter: c.Writer, account: opened, holder: d.Holder}
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
func (l *Limiter) Admit(c *gin.Context, caller, route string) *problem.Error {
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

// response is the response to a request that was let in. When it begins, the slot and the turn of the request end.
type response struct {
	gin.ResponseWriter
	slot    *Slot
	account *account // nil without a budget
	holder  *Holder
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

// begin ends the slot and the turn. A 503 says nothing about how long served requests take.
func (r *response) begin() {
	if r.account != nil {
		r.account.endTurn()
	}
	if r.Status() == http.StatusServiceUnavailable {
		r.slot.End()
	} else {
		r.slot.Served()
	}
}

// How much memory a body needs, as multiples of its size.
const (
	// arrivingWeight is for a body under way: its buffer, and the former one until it is collected.
	arrivingWeight = 2
	// bodyWeight is for a whole body: its text, the record that is made of it, its canonical form, and what is written
	// of it. A body with as many members as one may have needs the most.
	bodyWeight = 10
)

// accountedBody is the body of a request that a service works on. Reading it takes the memory for that work, and the
// end of a large one waits for the turn of the request. What a body declares as its length is not taken before it has
// come: otherwise a few that never come would keep the memory from all others.
type accountedBody struct {
	io.ReadCloser
	ctx      context.Context
	account  *account
	declared int64
	came     int64
	// refused is what further reads return.
	refused error
}

// Unaccounted returns the body of a request so that reading it takes no memory from its account.
func Unaccounted(body io.ReadCloser) io.ReadCloser {
	if accounted, is := body.(*accountedBody); is {
		return accounted.ReadCloser
	}
	return body
}

// bodyOf returns the body of a request whose reading takes from its account.
func bodyOf(r *http.Request, a *account) io.ReadCloser {
	return &accountedBody{
		ReadCloser: r.Body, ctx: r.Context(), account: a, declared: max(0, r.ContentLength),
	}
}

// Read implements io.Reader. Its errors are those of the body, and *problem.Error.
func (b *accountedBody) Read(p []byte) (int, error) {
	if b.refused != nil {
		return 0, b.refused
	}
	if b.came == 0 {
		// A body that cannot be worked on at present is not read.
		if b.refused = b.account.fits(bodyWeight * b.declared); b.refused != nil {
			return 0, b.refused
		}
	}
	n, err := b.ReadCloser.Read(p)
	b.came += int64(n)
	if b.refused = b.account.take(arrivingWeight * int64(n)); b.refused != nil {
		return 0, b.refused
	}
	if errors.Is(err, io.EOF) {
		if b.refused = b.end(); b.refused == nil {
			b.refused = io.EOF
		}
		err = b.refused
	}
	return n, err
}

// end takes the memory for the work on the whole body, and waits for the turn.
func (b *accountedBody) end() error {
	if err := b.account.take((bodyWeight - arrivingWeight) * b.came); err != nil {
		return err
	}
	_, err := b.account.awaitTurn(b.ctx, int(b.came))
	if refused := (*problem.Error)(nil); err != nil && !errors.As(err, &refused) {
		return problem.Outage(err) // the time of the request is over
	}
	return err
}
