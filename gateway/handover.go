package gateway

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/otel/trace"
)

// handOver passes a request to a service of this process. The context of the request carries what headers carry between
// processes. The service writes its response directly to the caller.
func handOver(c *gin.Context, service http.Handler, request *http.Request, span trace.Span) {
	delete(request.Header, "Authorization") // services do not need the token
	request.TLS = nil                       // the gateway has looked at the certificate of the caller
	request.URL.RawPath = ""                // the service routes by the decoded path, as the table did
	response := handedOver{ResponseWriter: c.Writer, span: span}
	service.ServeHTTP(&response, request)
	response.begin(http.StatusOK)
}

// handedOver is the response of a service of this process.
type handedOver struct {
	http.ResponseWriter
	span  trace.Span
	begun bool
}

// WriteHeader begins the response.
func (h *handedOver) WriteHeader(status int) {
	h.begin(status)
}

// Write writes a part of the body.
func (h *handedOver) Write(content []byte) (int, error) {
	h.begin(http.StatusOK)
	return h.ResponseWriter.Write(content)
}

// Flush sends what was written so far.
func (h *handedOver) Flush() {
	h.begin(http.StatusOK)
	_ = http.NewResponseController(h.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (h *handedOver) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// begin begins the response with a status, unless it has begun.
func (h *handedOver) begin(status int) {
	if h.begun || status < http.StatusOK {
		return
	}
	h.begun = true
	responds(status, h.span)
	h.ResponseWriter.WriteHeader(status)
}
