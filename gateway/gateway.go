package gateway

import (
	"fmt"
	"log"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
)

// The scopes of the interface.
const (
	ScopeAdmin     = openapi.ScopeAdmin
	ScopeDeveloper = openapi.ScopeDeveloper
	ScopeOperator  = openapi.ScopeOperator
)

// Upstream describes how a service is reached: by URL and Transport, or by Handler.
type Upstream struct {
	URL       *url.URL
	Transport http.RoundTripper
	// Handler is the service itself, if it is in the same process. It gets the requests as they came, except for the
	// token, and learns who the caller is from their contexts.
	Handler http.Handler
	// Admit admits requests to the service, of callers by their accounts; every request is if it is nil.
	Admit process.Admission
}

// Config is the configuration of a gateway.
type Config struct {
	// Routes and Extensions are the paths of the services.
	Routes     []routes.Route
	Extensions []routes.Extension
	// Upstreams holds the services of the routes, by name.
	Upstreams map[string]Upstream
	// Pages holds handlers by their whole path. They serve GET and HEAD without a token; one with a method Methods
	// serves what that returns.
	Pages    map[string]http.Handler
	Verifier *auth.Verifier
	// Meet bounds the verification of tokens that are not known yet; nothing does if it is nil.
	Meet process.Meeting
	// Credentials prove to the services that a request comes from the gateway.
	Credentials request.Credentials
	// AdminMayRead lets the scope std.admin read as well.
	AdminMayRead bool
	// Organisations says that organisations share the exchange: a response about records is private as well.
	Organisations bool
	// Origins holds the origins whose pages may call the exchange from a browser (CORS), such as
	// https://portal.example, or "*" for any. Without one, requests across origins get no CORS headers and OPTIONS is
	// refused with 405.
	Origins []string
	// Rates limits how many requests each organisation and each caller may send; nil if nothing does.
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
	reached := func(service string) bool {
		to := config.Upstreams[service]
		return to.Handler != nil || to.URL != nil && to.Transport != nil
	}
	var extensions []routes.Extension
	for _, x := range config.Extensions {
		switch {
		case reached(x.Service):
			extensions = append(extensions, x)
		case !x.Optional:
			return nil, fmt.Errorf("gateway: service %s of %s has no upstream", x.Service, x.Path)
		}
	}
	table, err := newTable(config.Routes, extensions)
	if err != nil {
		return nil, err
	}
	for _, route := range config.Routes {
		if !reached(route.Service) {
			return nil, fmt.Errorf("gateway: service %s of route %s has no upstream", route.Service, route.Resource)
		}
	}
	g := &gateway{
		Config: config, table: table, pages: slices.Sorted(maps.Keys(config.Pages)),
		broken: slog.NewLogLogger(config.Log.Handler(), slog.LevelWarn),
	}
	if g.keeper, err = g.newKeeper(); err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
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
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		dropIdentity(r.Header)
		engine.ServeHTTP(w, r)
	}), nil
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
	pages  []string    // the paths of the pages
	broken *log.Logger // gets a line for each response that breaks off
	keeper *peer.Client
}

// serve checks a request in the order path, method, token, turn among all requests, scope, rate of the caller, and
// forwards it to its service. While more is asked of a service than it can serve, requests to it wait as soon as their
// caller is known, and those without a caller take no part in that.
func (g *gateway) serve(c *gin.Context) {
	endpoint := g.table.find(c.Request.URL.Path)
	if endpoint == nil {
		g.servePage(c)
		return
	}
	process.SetRoute(c, endpoint.template)
	process.Relay(c)
	if !slices.Contains(endpoint.methods, c.Request.Method) {
		process.Refuse(c, problem.WrongMethod(c.Request.Method, endpoint.methods...))
		return
	}
	scope, largest := endpoint.scope(c.Request.Method), g.LargestBody
	if most := endpoint.largest[c.Request.Method]; most > 0 {
		largest = most
		process.Stream(c, most)
	}
	caller, err := g.identify(c, scope)
	if err == nil {
		err = g.admit(c, endpoint.service, scope, &caller)
	}
	if err == nil && largest > 0 && c.Request.ContentLength > largest {
		err = tooLarge(largest)
	}
	if err != nil {
		process.Refuse(c, problem.From(err))
		return
	}
	g.forward(c, endpoint.service, caller)
}

// identify returns the caller of a request. Its errors are problems.
func (g *gateway) identify(c *gin.Context, scope string) (request.Caller, error) {
	header := c.Request.Header
	if caller, known := g.Verifier.Known(header); known {
		return caller, nil
	}
	if g.Meet != nil {
		end, refused := g.Meet(c)
		if refused != nil {
			return request.Caller{}, refused
		}
		defer end()
	}
	return g.Verifier.Verify(c.Request.Context(), header, scope)
}

// admit admits a request of a caller to a service, and notes the reason of an operator. Its errors are problems.
func (g *gateway) admit(c *gin.Context, service, scope string, caller *request.Caller) error {
	if admit := g.Upstreams[service].Admit; admit != nil {
		if refused := admit(c, *caller); refused != nil {
			return refused
		}
	}
	err := g.allows(c.Request, scope, caller)
	// From here on the caller is known to the audit log, which has no line for what is refused because too much is
	// asked for.
	c.Request = c.Request.WithContext(request.WithCaller(c.Request.Context(), *caller))
	if err != nil || g.Rates == nil {
		return err
	}
	return g.Rates.Take(caller, c.Writer.Header())
}

// allows returns nil if a caller may send a request that needs the scope. Its errors are problems.
func (g *gateway) allows(r *http.Request, scope string, caller *request.Caller) error {
	if caller.Organisation.Operates() {
		return operates(r, caller)
	}
	if caller.Has(scope) || scope == ScopeDeveloper && g.AdminMayRead && caller.Has(ScopeAdmin) {
		return nil
	}
	return g.Verifier.Insufficient(scope)
}

// mostSought is the longest path, in bytes, for which paths like it are looked for.
const mostSought = 200

// unknown returns the problem for a path that there is not. It names paths like it.
func (g *gateway) unknown(path string) *problem.Error {
	detail := "There is no path " + problem.Short(path) + "."
	if len(path) <= mostSought {
		if like := g.table.like(path, g.pages); len(like) > 0 {
			detail += " Is " + strings.Join(like, " or ") + " meant?"
		}
	}
	return problem.New(problem.NotFound, detail)
}

// servePage serves a public page. An unknown path is 404.
func (g *gateway) servePage(c *gin.Context) {
	page, ok := g.Pages[c.Request.URL.Path]
	methods := []string{http.MethodGet, http.MethodHead}
	if own, has := page.(interface{ Methods() []string }); has {
		methods = own.Methods()
	}
	switch {
	case !ok:
		process.Refuse(c, g.unknown(c.Request.URL.Path))
	case !slices.Contains(methods, c.Request.Method):
		process.Refuse(c, problem.WrongMethod(c.Request.Method, methods...))
	default:
		process.SetRoute(c, c.Request.URL.Path)
		c.Status(http.StatusOK) // the router has set 404, because no route of its own matched
		page.ServeHTTP(c.Writer, c.Request)
	}
}
