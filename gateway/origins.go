package gateway

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/rs/cors"

	"insurance.example/exchange/pkg/service"
)

// preflightAge is how long a browser may keep the response to a preflight request.
const preflightAge = 10 * time.Minute

// acrossOrigins returns a handler that responds to preflight requests of browsers, and allows pages of the origins to read
// the responses to their requests. Cookies are not allowed: callers send bearer tokens.
func acrossOrigins(origins []string) gin.HandlerFunc {
	policy := cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut},
		AllowedHeaders: []string{
			"Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "X-Request-Id", "Traceparent", "Tracestate",
		},
		ExposedHeaders: []string{
			"Allow", "ETag", "Idempotency-Replayed", "Link", "Location", "Retry-After", "WWW-Authenticate", "X-Request-Id",
		},
		MaxAge: int(preflightAge.Seconds()),
	})
	return func(c *gin.Context) {
		policy.HandlerFunc(c.Writer, c.Request)
		if c.Request.Method == http.MethodOptions && c.Request.Header.Get("Access-Control-Request-Method") != "" {
			service.SetRoute(c, "preflight")
			c.Writer.WriteHeaderNow()
			c.Abort()
		}
	}
}

// checkOrigins returns an error if one of the origins could never match that of a browser.
func checkOrigins(origins []string) error {
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if origin != "*" && (err != nil || origin != u.Scheme+"://"+u.Host || u.Hostname() == "" || !slices.Contains([]string{"http", "https"}, u.Scheme)) {
			return fmt.Errorf("%q is not an origin; give * or a scheme and a host without a path, such as https://portal.example", origin)
		}
	}
	return nil
}
