// Package gateway is the door of the exchange: it knows the paths of the interface, checks the caller's scope, and
// passes requests on to the services, for whom it vouches for the caller.
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

	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/service"
)

// The scopes of the interface.
const (
	ScopeAdmin     = "std.admin"     // POST, PUT and actions
	ScopeDeveloper = "std.developer" // GET
)

// Upstream is where a service is reached.
type Upstream struct {
	URL *url.URL
	// Transport carries the requests: one of peer.NewTransport, or peer.Handler for a service in the same process.
	Transport http.RoundTripper
}

// Config is what a gateway works with.
type Config struct {
	Routes     []routes.Route
	Extensions []routes.Extension
	// Upstreams are the services of the routes, by name.
	Upstreams map[string]Upstream
	// Pages are public: GET and HEAD without a token, by their whole path. They are what the exchange says about itself.
	Pages    map[string]http.Handler
	Verifier *auth.Verifier
	// Credentials prove to the services that a request comes from the gateway.
	Credentials request.Credentials
	// AdminMayRead lets std.admin open GET as well.
	AdminMayRead bool
	// LargestBody is the declared length in bytes beyond which a body is refused before it is passed on. The router limits
	// what is read whatever was declared; zero leaves it to that.
	LargestBody int64
	// Log is told when an answer breaks off on its way.
	Log *slog.Logger
}

// New puts the gateway on a router that service.NewEngine has made and answers it. Errors: a route that is malformed or
// of a service without upstream.
func New(engine *gin.Engine, config Config) (http.Handler, error) {
	table, err := newTable(config.Routes, config.Extensions)
	if err != nil {
		return nil, err
	}
	for _, route := range config.Routes {
		if _, ok := config.Upstreams[route.Service]; !ok {
			return nil, fmt.Errorf("gateway: service %s of route %s has no upstream", route.Service, route.Resource)
		}
	}
	g := &gateway{Config: config, table: table, broken: slog.NewLogLogger(config.Log.Handler(), slog.LevelWarn)}
	// The table finds paths more exactly than a router can, which knows neither {id}:{action} nor what else to answer
	// where a path is known and its method is not.
	engine.NoRoute(func(c *gin.Context) {
		g.serve(c)
		// An answer without a body is an answer: else the router would write its own.
		c.Writer.WriteHeaderNow()
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		dropIdentity(r.Header)
		engine.ServeHTTP(w, r)
	}), nil
}

// dropIdentity takes out what only the exchange itself may say.
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
	broken *log.Logger // of answers that break off
}

// serve answers a request in the order of the interface: path, method, token, scope, and then the service.
func (g *gateway) serve(c *gin.Context) {
	request := c.Request
	endpoint := g.table.find(request.URL.Path)
	if endpoint == nil {
		g.servePage(c)
		return
	}
	service.Relay(c, endpoint.template)
	if !slices.Contains(endpoint.methods, request.Method) {
		refuse(c, problem.New(problem.MethodNotAllowed, "").WithHeader("Allow", endpoint.allow))
		return
	}
	caller, err := g.Verifier.Verify(request.Context(), request.Header)
	if err == nil {
		err = g.authorize(caller, endpoint, request.Method)
	}
	if err != nil {
		refuse(c, problem.From(err))
		return
	}
	if g.LargestBody > 0 && request.ContentLength > g.LargestBody {
		refuse(c, tooLarge(g.LargestBody))
		return
	}
	g.forward(c, g.Upstreams[endpoint.service], caller)
}

// authorize checks the scope: std.developer reads, std.admin does everything else.
func (g *gateway) authorize(caller request.Caller, to *endpoint, method string) error {
	if method != http.MethodGet && method != http.MethodHead && !to.reads {
		if caller.Has(ScopeAdmin) {
			return nil
		}
		return auth.Insufficient(ScopeAdmin)
	}
	if caller.Has(ScopeDeveloper) || g.AdminMayRead && caller.Has(ScopeAdmin) {
		return nil
	}
	return auth.Insufficient(ScopeDeveloper)
}

// servePage serves a public page. An unknown path is 404.
func (g *gateway) servePage(c *gin.Context) {
	page, ok := g.Pages[c.Request.URL.Path]
	switch {
	case !ok:
		refuse(c, problem.New(problem.NotFound, ""))
	case c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead:
		refuse(c, problem.New(problem.MethodNotAllowed, "").WithHeader("Allow", "GET, HEAD"))
	default:
		c.Status(http.StatusOK) // gin presumes 404 where no route of its own is met
		page.ServeHTTP(c.Writer, c.Request)
	}
}

// refuse answers with a problem and leaves its cause to the log.
func refuse(c *gin.Context, p *problem.Error) {
	_ = c.Error(p)
	problem.Write(c.Writer, p)
}
