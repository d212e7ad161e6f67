package process

import (
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/problem"
)

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
