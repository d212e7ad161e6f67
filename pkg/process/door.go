package process

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/admission"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// Doorkeeper is a handler that knows by the method and the path of a request whether there are too many. Serve then
// refuses simple requests as they are read, which costs a small part of what net/http and a handler need to do so.
type Doorkeeper interface {
	http.Handler
	// Refuse reports whether a request is refused now with admission.Refusal, and the template of its route. It
	// counts the refusal. A request that it does not refuse may still be.
	Refuse(method, path string) (route string, refused bool)
}

// door refuses requests on connections of HTTP/1 before net/http has read them. The responses, the metrics and the
// log are those that a refusal by the handler has; it is not traced.
type door struct {
	keeper   Doorkeeper
	observer *observer
	problems prometheus.Counter
	health   *health
	// idle is how long a connection may wait for its next request, header how long for the rest of one that has
	// begun, and write how long a refusal may take to be written.
	idle, header, write time.Duration
	// fields are those of a response that are always the same, in the order in which net/http writes them; before and
	// after are the document around the id of the request.
	fields, before, after []byte
	date                  atomic.Pointer[dated]
}

// dated is the value of the field Date in a second.
type dated struct {
	second int64
	value  string
}

// newDoor returns the door of a server; nil if the handler is no Doorkeeper, or none for everybody: where callers
// need certificates, the handler looks at them first.
func (p *Process) newDoor(handler http.Handler, server *http.Server) *door {
	keeper, ok := handler.(Doorkeeper)
	if !ok || p.entrance == nil || p.callers != nil {
		return nil
	}
	const id = "request-id"
	whole := document{header: http.Header{problem.RequestIDHeader: {id}}}
	problem.Write(&whole, admission.Refusal)
	before, after, _ := bytes.Cut(whole.text.Bytes(), []byte(id))
	whole.header.Del("Content-Length")
	whole.header.Del(problem.RequestIDHeader)
	var fields bytes.Buffer
	_ = whole.header.Write(&fields) // to memory
	return &door{
		keeper: keeper, observer: p.entrance, problems: p.entrance.metrics.problems.WithLabelValues(admission.Refusal.Kind.Slug()),
		health: &p.health, idle: server.IdleTimeout, header: server.ReadHeaderTimeout, write: server.WriteTimeout,
		fields: fields.Bytes(), before: before, after: after,
	}
}

// refuse returns the response to a request that is refused now, in a buffer, and false if it is not. While the
// process stops, all go to the handler, whose responses announce the end of the connection.
func (d *door) refuse(r *simple, now time.Time, buffer []byte) (response []byte, refused bool) {
	if r.rest > 0 || !d.health.serving.Load() {
		return nil, false
	}
	method := string(r.method)
	route, refused := d.keeper.Refuse(method, string(r.path))
	if !refused {
		return nil, false
	}
	id := request.IDOf(string(r.id))
	response = buffer
	response = append(response, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: "...)
	size := len(d.before) + len(id) + len(d.after)
	response = strconv.AppendInt(response, int64(size), 10)
	response = append(append(response, "\r\n"...), d.fields...)
	response = append(append(response, problem.RequestIDHeader+": "...), id...)
	response = append(append(response, "\r\nDate: "...), d.dateAt(now)...)
	response = append(response, "\r\n\r\n"...)
	if method != http.MethodHead {
		response = append(append(append(response, d.before...), id...), d.after...)
	}
	d.note(r, id, route, size, time.Since(now))
	return response, true
}

// note counts and logs a refusal.
func (d *door) note(r *simple, id, route string, size int, took time.Duration) {
	o, method := d.observer, string(r.method)
	o.metrics.observe(route, method, http.StatusServiceUnavailable, took, trace.SpanFromContext(context.Background()))
	d.problems.Inc()
	if level := o.level(); o.log.Enabled(context.Background(), level) {
		names := request.ReadNames(http.Header{problem.RequestIDHeader: {id}, "Traceparent": {string(r.parent)}})
		o.log.LogAttrs(context.Background(), level, "request",
			attributesOf(names, method, route, http.StatusServiceUnavailable, took, size, admission.Refusal.Kind.Slug())...)
	}
}

// dateAt returns the value of the field Date.
func (d *door) dateAt(now time.Time) string {
	second := now.Unix()
	if last := d.date.Load(); last != nil && last.second == second {
		return last.value
	}
	fresh := &dated{second, now.UTC().Format(http.TimeFormat)}
	d.date.Store(fresh)
	return fresh.value
}
