package service

import (
	"log/slog"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/pkg/problem"
)

// EngineConfig is what a router works with.
type EngineConfig struct {
	Log     *slog.Logger
	Metrics prometheus.Registerer
	// Timeout is the longest time of a request. A caller within the exchange can shorten it (request.TimeoutHeader).
	Timeout time.Duration
	// LargestBody is in bytes. Reading further answers *http.MaxBytesError.
	LargestBody int64
}

// NewEngine makes a router around whose handlers every request is named, timed, limited, counted and logged. A handler
// that answers with 5xx says why with c.Error. Unknown paths are 404 problems.
func NewEngine(config EngineConfig) *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.RedirectTrailingSlash = false
	observer := &observer{
		log: config.Log, metrics: newRequestMetrics(config.Metrics), timeout: config.Timeout, largestBody: config.LargestBody,
	}
	engine.Use(observer.handle)
	engine.NoRoute(func(c *gin.Context) { problem.Write(c.Writer, problem.New(problem.NotFound, "")) })
	return engine
}
