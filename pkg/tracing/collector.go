package tracing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// attemptTimeout bounds one attempt to send a batch.
const attemptTimeout = 3 * time.Second

// collector sends spans by OTLP over HTTP, in protobuf, as a client of otlptrace.Exporter. The client that
// OpenTelemetry has for it contains gRPC, which would make each command 11 MB larger.
type collector struct {
	// lasting ends when nothing is to be sent any more.
	lasting        context.Context
	client         *http.Client
	endpoint, host string
	user           *url.Userinfo
	sending        failsafe.Executor[int]
}

func newCollector(lasting context.Context, endpoint *url.URL) *collector {
	bare := *endpoint
	bare.User = nil
	return &collector{
		lasting: lasting,
		client: &http.Client{
			Timeout: attemptTimeout, Transport: &http.Transport{
				Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute,
			},
		},
		endpoint: bare.String(), host: bare.Host, user: endpoint.User,
		sending: failsafe.With(retrypolicy.NewBuilder[int]().
			HandleIf(passing).WithMaxRetries(3).WithBackoff(200*time.Millisecond, 2*time.Second).WithJitterFactor(0.2).
			ReturnLastFailure().Build()),
	}
}

// passing reports whether a batch is to be sent again: what OTLP says of statuses, and without a response.
func passing(status int, err error) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return err != nil
}

// Start does nothing: a connection is made when there is something to send.
func (c *collector) Start(context.Context) error { return nil }

// Stop closes the connection.
func (c *collector) Stop(context.Context) error {
	c.client.CloseIdleConnections()
	return nil
}

// UploadTraces sends spans. Errors: the collector does not respond, or with another status than 2xx.
func (c *collector) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	// On the wire, TracesData is what collectors take (ExportTraceServiceRequest).
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.lasting, cancel)()
	status, err := c.sending.WithContext(ctx).Get(func() (int, error) { return c.post(ctx, body) })
	if err == nil && (status < 200 || status > 299) {
		err = fmt.Errorf("the collector responds with status %d", status)
	}
	return err
}

func (c *collector) post(ctx context.Context, body []byte) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	if password, ok := c.user.Password(); ok {
		request.SetBasicAuth(c.user.Username(), password)
	}
	response, err := c.client.Do(request)
	if err != nil {
		var of *url.Error
		if errors.As(err, &of) {
			err = of.Err // without the URL, which may hold a key
		}
		return 0, err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10)) // so that the connection can be used again
	return response.StatusCode, nil
}
