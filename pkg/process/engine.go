package process

import (
	"log/slog"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/problem"
)

// EngineConfig is the configuration of a router.
type EngineConfig struct {
	Log     *slog.Logger
	Metrics prometheus.Registerer
	// Timeout is the longest time that a request may take. A caller within the exchange can shorten it with
	// request.TimeoutHeader.
	Timeout time.Duration
	// LargestBody is the largest size of a request body, in bytes. Reading more fails with *http.MaxBytesError.
	LargestBody int64
	// Tracer traces the requests; nil if they are not traced.
	Tracer trace.Tracer
	// AccessLog logs every request.
	AccessLog bool
	// Door is where requests are let in, by what they have in work.
	Door load.Door
	// Limiter refuses requests while there are too many; none is refused if it is nil.
	Limiter *load.Limiter
}

// NewEngine returns a router that gives each request an id and a time limit, and counts and logs it. A handler responds
// to a failure with Refuse. An unknown path is a 404 problem, and so is a path with an encoded slash.
func NewEngine(config EngineConfig) *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.RedirectTrailingSlash = false
	observer := &observer{
		log: config.Log, metrics: newRequestMetrics(config.Metrics), timeout: config.Timeout,
		largestBody: config.LargestBody,
		tracer:      config.Tracer, accessLog: config.AccessLog, door: config.Door, limiter: config.Limiter,
	}
	engine.Use(observer.handle)
	engine.NoRoute(func(c *gin.Context) { Refuse(c, problem.New(problem.NotFound, "")) })
	return engine
}

// Admission admits a request, or returns the problem to refuse it with. What it admitted ends with the response.
type Admission func(c *gin.Context) *problem.Error

// Admit returns the admission by a limiter. A nil limiter admits everything.
func Admit(limiter *load.Limiter) Admission {
	return func(c *gin.Context) *problem.Error { return limiter.Admit(c, routeOf(c)) }
}

// Admission returns the admission of the requests that one service of the process, which may be the gateway, forwards
// to another one.
func (p *Process) Admission(service, to string) Admission { return Admit(p.limiter(service, to)) }

// limiter returns a new limiter of the requests that a service takes for another one, or for itself; nil if the
// settings say that nothing is refused.
func (p *Process) limiter(service, to string) *load.Limiter {
	target := p.Settings.OverloadLatency
	if target == 0 {
		return nil
	}
	limiter := load.NewLimiter(load.LimiterConfig{
		Target: target, Most: int(p.Settings.OverloadRequests), Now: time.Now,
		Log: p.Log.With("service", service, "to", to),
	})
	limiter.Register(prometheus.WrapRegistererWith(prometheus.Labels{"to": to}, p.Metrics(service)))
	return limiter
}
