package process

import (
	"log/slog"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/audit"
	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
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
	// Audit gets a line for each request of a known caller, in the name of Service; nil if none is kept.
	Audit   *audit.Log
	Service string
	// Door is where requests are let in, by what they have in work.
	Door load.Door
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
		tracer:      config.Tracer, accessLog: config.AccessLog, audit: config.Audit,
		service: config.Service, door: config.Door,
	}
	engine.Use(observer.handle)
	engine.NoRoute(func(c *gin.Context) { Refuse(c, problem.New(problem.NotFound, "")) })
	return engine
}

// Admission admits a request of a caller, by the name that requests are shared by, or returns the problem to refuse it
// with. What it admitted ends with the response.
type Admission func(c *gin.Context, caller string) *problem.Error

// Admit returns the admission by a limiter. A nil limiter admits everything.
func Admit(limiter *load.Limiter) Admission {
	return func(c *gin.Context, caller string) *problem.Error { return limiter.Admit(c, caller, routeOf(c)) }
}

// Guard returns a handler that lets a guard put the caller of a request into its context, and then has the request
// admitted.
func Guard(guard gin.HandlerFunc, admit Admission) gin.HandlerFunc {
	return func(c *gin.Context) {
		if guard(c); c.IsAborted() {
			return
		}
		if refused := admit(c, request.CallerFrom(c.Request.Context()).Account()); refused != nil {
			Refuse(c, refused)
		}
	}
}

// Admission returns the admission of the requests that one service of the process, which may be the gateway, takes for
// another one, or for itself. It admits everything if the settings say that nothing is refused.
func (p *Process) Admission(service, to string) Admission {
	return Admit(p.limiter(service, to, int(p.Settings.OverloadRequests)))
}

// workLatency is how long requests may be in work on average while others wait. Those that wait do so in an order, and
// those in work do not.
const workLatency = 25 * time.Millisecond

// limiter returns a new limiter of at most a number of requests in work; nil if the settings say that nothing is
// refused.
func (p *Process) limiter(service, to string, most int) *load.Limiter {
	if p.Settings.OverloadLatency == 0 {
		return nil
	}
	limiter := load.NewLimiter(load.LimiterConfig{
		Wait: p.Settings.OverloadLatency, Target: workLatency, Most: most,
		MostWaiting: int(p.Settings.connections()), Bell: p.bell, Now: time.Now,
		Log: p.Log.With("service", service, "to", to),
	})
	limiter.Register(prometheus.WrapRegistererWith(prometheus.Labels{"to": to}, p.Metrics(service)))
	return limiter
}

// unproved is how many tokens that are not known yet are verified at a time. That takes a processor for as long as a
// request does, and any client may ask for it.
const unproved = 16

// Meeting lets the token of a stranger be verified. It returns when that may begin, and end has to be called after it,
// or the problem to refuse the request with.
type Meeting func(c *gin.Context) (end func(), refused *problem.Error)

// Meet returns the meeting by a limiter, in which strangers take turns by their addresses. A nil limiter meets
// everybody.
func Meet(limiter *load.Limiter) Meeting {
	return func(c *gin.Context) (end func(), refused *problem.Error) {
		_, slot, refused := limiter.Begin(c.Request.Context(), addressOf(c.Request), load.Read)
		return slot.End, refused
	}
}

// Meeting returns how a service meets the strangers of the process.
func (p *Process) Meeting(service string) Meeting {
	return Meet(p.limiter(service, "strangers", unproved))
}
