package service

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// observer is what happens around every request: it gets its names, its time and the limit of its body, and it is
// counted, timed and logged.
type observer struct {
	log         *slog.Logger
	metrics     *requestMetrics
	timeout     time.Duration
	largestBody int64
}

// relayKey marks, in a gin context, a request whose answer another process makes; its value is the route.
const relayKey = "exchange.relay"

// Relay says that another process answers the request, and by which route template. Such an answer is not logged here:
// that process has logged it.
func Relay(c *gin.Context, route string) { c.Set(relayKey, route) }

func (o *observer) handle(c *gin.Context) {
	began := time.Now()
	incoming := c.Request
	names := request.ReadNames(incoming.Header)
	c.Writer.Header()[problem.RequestIDHeader] = []string{names.ID}
	ctx, cancel := context.WithTimeout(request.WithNames(incoming.Context(), names), request.ReadTimeout(incoming.Header, o.timeout))
	defer cancel()
	c.Request = incoming.WithContext(ctx)
	defer o.finish(c, names, began)

	// A long body fails only when it is read: path, method and token come first in the order of checks.
	if incoming.Body != http.NoBody {
		c.Request.Body = http.MaxBytesReader(c.Writer, incoming.Body, o.largestBody)
	}
	c.Next()
}

// finish is deferred, and so sees panics. One of a handler becomes a 500; where the answer has begun, the connection is
// cut, so that half an answer is not taken for a whole one.
func (o *observer) finish(c *gin.Context, names *request.Names, began time.Time) {
	panicked := recover()
	aborted := panicked == any(http.ErrAbortHandler)
	cut := panicked != nil && (c.Writer.Written() || aborted)
	if panicked != nil && !aborted {
		o.log.Error("handler panicked", "request", names.ID, "method", c.Request.Method, "path", c.Request.URL.Path,
			"cause", panicked, "stack", string(debug.Stack()))
	}
	if panicked != nil && !cut {
		problem.Write(c.Writer, problem.New(problem.Internal, ""))
		c.Abort()
	}
	route, relayed := c.FullPath(), false
	if value, ok := c.Get(relayKey); ok {
		route, relayed = value.(string), true
	}
	if route == "" {
		route = "unmatched"
	}
	took := time.Since(began)
	o.metrics.observe(route, c.Request.Method, c.Writer.Status(), took)
	if panicked == nil {
		o.account(c, names, took, relayed)
	}
	if cut {
		panic(http.ErrAbortHandler)
	}
}

// account logs a request: failures of this process with their cause, all others for debugging only.
func (o *observer) account(c *gin.Context, names *request.Names, took time.Duration, relayed bool) {
	var cause error
	if last := c.Errors.Last(); last != nil {
		cause = last.Err
	}
	status, level := c.Writer.Status(), slog.LevelDebug
	ctx := c.Request.Context()
	switch gone := errors.Is(cause, context.Canceled) && errors.Is(ctx.Err(), context.Canceled); {
	case status < 500, gone, relayed && cause == nil:
	case status == http.StatusServiceUnavailable:
		level = slog.LevelWarn
	default:
		level = slog.LevelError
	}
	if !o.log.Enabled(ctx, level) {
		return
	}
	attributes := []slog.Attr{
		slog.String("request", names.ID), slog.String("method", c.Request.Method), slog.String("path", c.Request.URL.Path),
		slog.Int("status", status), slog.Duration("took", took),
	}
	if names.Parent != "" {
		attributes = append(attributes, slog.String("trace", names.Parent))
	}
	if cause != nil {
		attributes = append(attributes, slog.Any("cause", cause))
	}
	message := "request"
	if level > slog.LevelDebug {
		message = "request failed"
	}
	o.log.LogAttrs(ctx, level, message, attributes...)
}
