// Package gateway is the entrance of the exchange. It knows the paths of the interface, checks the caller's token and
// scope, and forwards requests to the services, with headers that name the caller.
package gateway

import (
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
)

// The scopes of the interface.
const (
	ScopeAdmin     = openapi.ScopeAdmin
	ScopeDeveloper = openapi.ScopeDeveloper
)

// Upstream describes how a service is reached: by URL and Transport, or by Handler.
type Upstream struct {
	URL       *url.URL
	Transport http.RoundTripper
	// Handler is the service itself, if it is in the same process. It gets the requests as they came, except for the
	// token, and learns who the caller is from their contexts.
	Handler http.Handler
	// Admit refuses requests to the service while there are too many; none is refused if it is nil.
	Admit process.Admission
}

// Config is the configuration of a gateway.
type Config struct {
	// Routes and Extensions are the paths of the services.
	Routes     []routes.Route
	Extensions []routes.Extension
	// Upstreams holds the services of the routes, by name.
	Upstreams map[string]Upstream
	// Pages holds handlers by their whole path. They serve GET and HEAD without a token.
	Pages    map[string]http.Handler
	Verifier *auth.Verifier
	// Credentials prove to the services that a request comes from the gateway.
	Credentials request.Credentials
	// AdminMayRead lets the scope std.admin read as well.
	AdminMayRead bool
	// Origins holds the origins whose pages may call the exchange from a browser (CORS), such as
	// https://portal.example, or "*" for any. Without one, requests across origins get no CORS headers and OPTIONS is
	// refused with 405.
	Origins []string
	// Rates limits how many requests each caller may send; nil if nothing does.
	Rates *Rates
	// LargestBody is the declared length of a body, in bytes, beyond which it is refused before it is forwarded. If
	// it is zero, a body is only refused by the router, when it is read.
	LargestBody int64
	// Log gets a line for each response that breaks off.
	Log *slog.Logger
}

// New adds the gateway to a router of process.NewEngine and returns its handler. It fails if a route is malformed or
// its service has no upstream.
func New(engine *gin.Engine, config Config) (http.Handler, error) {
	table, err := newTable(config.Routes, config.Extensions)
	if err != nil {
		return nil, err
	}
	for _, route := range config.Routes {
		if to := config.Upstreams[route.Service]; to.Handler == nil && (to.URL == nil || to.Transport == nil) {
			return nil, fmt.Errorf("gateway: service %s of route %s has no upstream", route.Service, route.Resource)
		}
	}
	g := &gateway{Config: config, table: table, broken: slog.NewLogLogger(config.Log.Handler(), slog.LevelWarn)}
	if len(config.Origins) > 0 {
		engine.Use(acrossOrigins(config.Origins))
	}
	// The table is used in place of the router, which supports neither {id}:{action} nor a list of the methods of a
	// path.
	engine.NoRoute(func(c *gin.Context) {
		g.serve(c)
		// Without this the router would add a body of its own to a response that has none.
		c.Writer.WriteHeaderNow()
	})
	return &entrance{engine}, nil
}

// entrance is the handler of the gateway.
type entrance struct{ engine *gin.Engine }

func (e *entrance) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	dropIdentity(r.Header)
	e.engine.ServeHTTP(w, r)
}

// dropIdentity removes the headers that only the exchange itself may set.
func dropIdentity(header http.Header) {
	for name := range header {
		if strings.HasPrefix(name, request.IdentityPrefix) {
			delete(header, name)
		}
	}
}

type gateway struct {
	Config
	table  table
	broken *log.Logger // gets a line for each response that breaks off
}

// serve checks a request in the order path, method, token, scope, rate of the caller, and forwards it to its service.
// While more is asked of a service than it can serve, requests to it are refused before the token is looked at.
func (g *gateway) serve(c *gin.Context) {
	endpoint := g.table.find(c.Request.URL.Path)
	if endpoint == nil {
		g.servePage(c)
		return
	}
	process.SetRoute(c, endpoint.template)
	process.Relay(c)
	if !slices.Contains(endpoint.methods, c.Request.Method) {
		process.Refuse(c, problem.New(problem.MethodNotAllowed, "").WithHeader("Allow", endpoint.allow))
		return
	}
	if admit := g.Upstreams[endpoint.service].Admit; admit != nil {
		if refused := admit(c); refused != nil {
			process.Refuse(c, refused)
			return
		}
	}
	request := c.Request
	scope := endpoint.scope(request.Method)
	caller, err := g.Verifier.Verify(request.Context(), request.Header, scope)
	if err == nil && !g.allows(caller, scope) {
		err = g.Verifier.Insufficient(scope)
	}
	if err != nil {
		process.Refuse(c, problem.From(err))
		return
	}
	if err := g.Rates.Take(caller.Subject, c.Writer.Header()); err != nil {
		process.Refuse(c, problem.From(err))
		return
	}
	if g.LargestBody > 0 && request.ContentLength > g.LargestBody {
		process.Refuse(c, tooLarge(g.LargestBody))
		return
	}
	g.forward(c, endpoint.service, caller)
}

// allows reports whether a caller may send a request that needs the scope.
func (g *gateway) allows(caller request.Caller, scope string) bool {
	return caller.Has(scope) || scope == ScopeDeveloper && g.AdminMayRead && caller.Has(ScopeAdmin)
}

// servePage serves a public page. An unknown path is 404.
func (g *gateway) servePage(c *gin.Context) {
	page, ok := g.Pages[c.Request.URL.Path]
	switch {
	case !ok:
		process.Refuse(c, problem.New(problem.NotFound, ""))
	case c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead:
		process.Refuse(c, problem.New(problem.MethodNotAllowed, "").WithHeader("Allow", "GET, HEAD"))
	default:
		process.SetRoute(c, c.Request.URL.Path)
		c.Status(http.StatusOK) // the router has set 404, because no route of its own matched
		page.ServeHTTP(c.Writer, c.Request)
	}
}
