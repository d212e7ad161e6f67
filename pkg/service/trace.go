package service

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/tracing"
)

// endSpan ends the span of a request with what is known of it now. cut says that its response was cut off. Its name is the method and the route template, never a path.
func endSpan(span tracing.Span, c *gin.Context, names *request.Names, route string, cut bool) {
	if span.Recording() {
		method, status := methodLabel(c.Request.Method), c.Writer.Status()
		span.Name(method + " " + template(route))
		span.Set(
			tracing.Text("http.request.method", method),
			tracing.Text("http.route", template(route)),
			tracing.Number("http.response.status_code", status),
			tracing.Text("exchange.request.id", names.ID),
		)
		if kind := problemOf(c); kind != "" {
			span.Set(tracing.Text("exchange.problem", kind))
		}
		switch {
		case cut:
			span.Fail("cut off")
		case status >= http.StatusInternalServerError:
			span.Fail(strconv.Itoa(status))
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
