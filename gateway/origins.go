package gateway

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/rs/cors"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/pkg/process"
)

// preflightAge is how long a browser may keep the response to a preflight request.
const preflightAge = 10 * time.Minute

// acrossOrigins returns a handler that responds to preflight requests of browsers, and allows pages of the origins to
// read the responses to their requests. Cookies are not allowed: callers send bearer tokens.
func acrossOrigins(origins []string) gin.HandlerFunc {
	policy := cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete},
		AllowedHeaders: []string{
			"Authorization", "Content-Type", openapi.ReasonHeader, "Idempotency-Key", "If-Match", "If-None-Match",
			"Prefer", "X-Request-Id", "Traceparent", "Tracestate",
		},
		ExposedHeaders: []string{
			"Allow", "Deprecation", "ETag", "Idempotency-Replayed", "Link", "Location", "Preference-Applied",
			"RateLimit", "RateLimit-Policy", "Retry-After", "Sunset", "WWW-Authenticate", "X-Request-Id",
		},
		MaxAge: int(preflightAge.Seconds()),
	})
	return func(c *gin.Context) {
		policy.HandlerFunc(c.Writer, c.Request)
		if c.Request.Method == http.MethodOptions && c.Request.Header.Get("Access-Control-Request-Method") != "" {
			process.SetRoute(c, "preflight")
			c.Writer.WriteHeaderNow()
			c.Abort()
		}
	}
}

// checkOrigins returns an error if one of the origins could never match that of a browser.
func checkOrigins(origins []string) error {
	for _, origin := range origins {
		if u, is := webURL(origin); origin != "*" && (!is || origin != u.Scheme+"://"+u.Host) {
			return fmt.Errorf("%q is not an origin; give * or a scheme and a host without a path, such as "+
				"https://portal.example", origin)
		}
	}
	return nil
}

// checkTokenURL returns an error if a client could not be sent to the URL. Empty is none, which is no error.
func checkTokenURL(text string) error {
	if u, is := webURL(text); text != "" && (!is || u.User != nil || u.Fragment != "") {
		return fmt.Errorf("%q is not the URL of a token endpoint; give one such as https://login.example/oauth2/token",
			text)
	}
	return nil
}

// webURL parses an absolute http or https URL, and reports whether the text is one.
func webURL(text string) (*url.URL, bool) {
	u, err := url.Parse(text)
	return u, err == nil && u.Hostname() != "" && slices.Contains([]string{"http", "https"}, u.Scheme)
}
