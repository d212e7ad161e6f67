package process

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/tracing"
)

// endSpan ends the span of a request with what is known of it now. cut says that its response was cut off. Its name
// is the method and the route template, never a path.
func endSpan(span trace.Span, c *gin.Context, names *request.Names, route string, cut bool) {
	if span.IsRecording() {
		method, status := methodLabel(c.Request.Method), c.Writer.Status()
		span.SetName(method + " " + template(route))
		span.SetAttributes(
			attribute.String("http.request.method", method),
			attribute.String("http.route", template(route)),
			attribute.Int("http.response.status_code", status),
			attribute.String("exchange.request.id", names.ID),
		)
		if kind := problemOf(c); kind != "" {
			span.SetAttributes(attribute.String("exchange.problem", kind))
		}
		switch {
		case cut:
			tracing.Fail(span, "cut off")
		case status >= http.StatusInternalServerError:
			tracing.Fail(span, strconv.Itoa(status))
		}
	}
	span.End()
}

// problemOf returns the slug of the problem that the request was refused with; empty if it was not.
func problemOf(c *gin.Context) string {
	var p *problem.Error
	if last := c.Errors.Last(); last != nil && errors.As(last.Err, &p) {
		return p.Kind.Slug()
	}
	return ""
}
