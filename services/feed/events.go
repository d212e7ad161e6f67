package feed

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/services/feed/merged"
)

const (
	// longestWait is the most seconds that a response is held back.
	longestWait = 30
	// mostWaiting is how many requests may wait at once in a process. What is beyond does not wait. It is fewer than
	// the requests that a process under load admits (pkg/load), so that those who wait keep no one out. Organisations
	// share the places.
	mostWaiting = 32
	// sooner is how long before the end of its time a request ends its wait.
	sooner = time.Second
	// again is how often a request that waits looks for events.
	again = 100 * time.Millisecond
)

// fromNow is the value of after for the place after all events that there are.
const fromNow = "now"

// events is the operation that reads the feed.
func (f *feed) events() rest.Extension {
	return rest.Extension{
		Path: rest.ExtensionPrefix + "/events", Method: http.MethodGet, ID: "readEvents",
		Summary: "What happened to the records of the exchange, every version of each as one event, in order",
		Details: "Where organisations share the exchange, a page has the events of what the caller's organisation " +
			"sees when it reads the page: also those of the policies that are shared with it, and of their claims, " +
			"receipts and rows, and those of approved bordereaux whose contract names it as the counterparty. While " +
			"coverage or the desk does not respond, what is decided by it waits: a page names it in `behind`, and has " +
			"no watermark. A page of fewer events than `limit` may have others after it.",
		Parameters: []string{"limit"},
		Query: []rest.Parameter{
			{Name: "after", Means: "The cursor next of the page before, with the same type and policyNumber; now for " +
				"what happens from here on; absent for the oldest event that is kept. A cursor works for as long as " +
				"events-retention says, 30 days unless it is set."},
			{Name: "type", Means: "A type of event, such as exchange.claim.settled, or exchange.claim.* for all of a " +
				"resource."},
			{Name: "policyNumber", Means: "The number of the policy that the records are about."},
			{Name: "wait", Format: "int64", Means: "For how many seconds, up to 30, the response is held back while " +
				"there is no event. It ends sooner when the request has little time left (request-timeout), when the " +
				"process stops, and when more than 32 requests wait; where organisations share the exchange, none " +
				"takes the places of another that has fewer."},
		},
		Response: reflect.TypeFor[beyond.FeedPage](), Refuses: []problem.Kind{problem.CursorExpired},
		Serve: f.serveEvents,
	}
}

// question is what a request for events asks for.
type question struct {
	cursor cursor
	now    bool
	limit  int
	wait   int
}

func (f *feed) serveEvents(c *gin.Context, _ any) (any, error) {
	asked, err := f.readRequest(c)
	if err != nil {
		return nil, err
	}
	ctx := c.Request.Context()
	at := asked.cursor.At
	if asked.now {
		if at, err = f.reader.Now(ctx); err != nil {
			return nil, problem.Outage(err)
		}
	}
	filter := merged.Filter{PolicyNumber: asked.cursor.PolicyNumber}
	if asked.cursor.Type != "" {
		filter.Types = []string{asked.cursor.Type}
	}
	page, err := f.await(ctx, at, filter, asked.limit, time.Duration(asked.wait)*time.Second)
	if lost := (*merged.LostError)(nil); errors.As(err, &lost) {
		return nil, f.expired(ctx, "The database of "+lost.Service+
			" was restored or replaced since this cursor was given.", asked.cursor)
	}
	if err != nil {
		return nil, err
	}
	asked.cursor.At = page.At
	next, err := f.give(ctx, asked.cursor)
	if err != nil {
		return nil, err
	}
	response := beyond.FeedPage{Events: page.Events, Next: next, Behind: page.Behind}
	if response.Events == nil {
		response.Events = []beyond.FeedEvent{}
	}
	if !page.Watermark.IsZero() {
		response.Watermark = scalar.Instant(page.Watermark)
	}
	return response, nil
}

// await reads a page, and reads on for some time while it has no events.
func (f *feed) await(
	ctx context.Context, at merged.Places, filter merged.Filter, limit int, wait time.Duration,
) (merged.Page, error) {
	page, err := f.reader.Read(ctx, at, filter, limit, false)
	if wait == 0 || err != nil || len(page.Events) > 0 {
		return page, err
	}
	held := f.waiting.take(request.OrganisationFrom(ctx).Name())
	if held == nil {
		return page, nil
	}
	defer f.waiting.leave(held)
	// The request's own deadline says how much time is left, which no test clock moves.
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if deadline, limited := ctx.Deadline(); limited {
		waiting, cancel = context.WithDeadline(waiting, deadline.Add(-sooner))
		defer cancel()
	}
	look := time.NewTicker(again)
	defer look.Stop()
	for err == nil && len(page.Events) == 0 {
		request.Rest(ctx)
		select {
		case <-look.C:
		case <-f.stopping:
			return page, nil
		case <-held.ended:
			return page, nil
		case <-waiting.Done():
			return page, ctx.Err()
		}
		if request.Resume(ctx) != nil {
			return page, nil // others have the memory
		}
		page, err = f.reader.Read(ctx, page.At, filter, limit, false)
	}
	return page, err
}

// give returns a cursor as its reader gets it.
func (f *feed) give(ctx context.Context, c cursor) (string, error) {
	c.Given = f.now().Unix()
	return f.close(ctx, c)
}

// readRequest reads the parameters. The server has refused those that are unknown or sent twice.
func (f *feed) readRequest(c *gin.Context) (question, error) {
	values := c.Request.URL.Query()
	asked := question{limit: rest.DefaultLimit}
	wrong := problem.New(problem.BadParameter, "A parameter has a value that it cannot have.")
	note := func(name, reason string) {
		if reason != "" {
			wrong.InParameter(name, reason)
		}
	}
	for name, read := range map[string]func(text string) string{
		"limit": func(text string) string { return query.Whole(text, 1, rest.MaxLimit, &asked.limit) },
		"wait":  func(text string) string { return query.Whole(text, 0, longestWait, &asked.wait) },
		"type": func(text string) string {
			asked.cursor.Type = text
			return merged.KnownType(text, f.resources)
		},
		"policyNumber": func(text string) string {
			asked.cursor.PolicyNumber = text
			if text == "" || len(text) > longestNumber {
				return "must have 1 to 128 characters"
			}
			return ""
		},
	} {
		if values.Has(name) {
			note(name, read(values.Get(name)))
		}
	}
	switch after := values.Get("after"); {
	case after == fromNow:
		asked.now = true
	case values.Has("after"):
		given, err := f.open(c.Request.Context(), after)
		if err != nil {
			note("after", notACursor+", or leave it out")
			break
		}
		if len(wrong.Violations) == 0 && (given.Type != asked.cursor.Type ||
			given.PolicyNumber != asked.cursor.PolicyNumber) {
			note("after", "was given for another type or policyNumber; send the same with it")
		}
		asked.cursor = given
	}
	if len(wrong.Violations) > 0 {
		return asked, wrong
	}
	if values.Has("after") && !asked.now && asked.cursor.age(f.now()) > f.retention {
		return asked, f.expired(c.Request.Context(), tooOld, asked.cursor)
	}
	return asked, nil
}

// What is wrong with a cursor.
const (
	notACursor = "is no cursor of this exchange, or was altered; send next of a page as it came, or now"
	tooOld     = "This cursor is older than events-retention."
)

// longestNumber bounds the policy number that events are selected by.
const longestNumber = 128

// expired returns the problem of a cursor that does not work any more. It has the earliest cursor with the same
// filters.
func (f *feed) expired(ctx context.Context, why string, former cursor) error {
	former.At = nil
	earliest, err := f.give(ctx, former)
	if err != nil {
		return err
	}
	return problem.New(problem.CursorExpired, why+" To go on, take a cursor by after=now, list the records, and read "+
		"on from that cursor; or read all events that are kept, from the cursor earliest.").With("earliest", earliest)
}
