package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest/history"
	"insurance.example/exchange/pkg/rest/inspect"
)

// Config is what the resources of one service work with.
type Config struct {
	Store docstore.Store
	Sets  Sets
	// Now returns the present instant.
	Now func() time.Time
	// Caller returns the subject of the caller's token.
	Caller func(context.Context) string
	// KeyRetention is how long an Idempotency-Key is remembered; zero stands for as long as the record.
	KeyRetention time.Duration
	// LargestRecord is the greatest length of a record as JSON, in bytes; UsualRecord where it is zero. It bounds
	// what the smallest change can cost. Together with what is kept about its last change, the store bounds it
	// (docstore.MaxSize).
	LargestRecord int
	// Refused, if set, is called for every check that refuses a record, with the names of the resource and of the
	// check.
	Refused func(resource, check string, kind problem.Kind)
}

// UsualRecord is Config.LargestRecord where nothing else is said: twice the usual size of a body.
const UsualRecord = 2 << 20

// Server is the resources of one service.
type Server struct {
	Config
	resources []resource
}

// resource is what the server needs of Records[T], whatever T is.
type resource interface {
	name() string
	collectionName() string
	indexes() []docstore.Index
	open(docstore.Collection) error
	keysOf(docstore.Document) (docstore.Keys, error)
	amountOf(docstore.Document) (int64, error)
	inspected(docstore.Document) (inspect.Record, error)
	targets() []string
	route() Route
	extensions() []Extension
	describe() (Description, error)
	validate(sets Sets) []error
	dispatch(c *gin.Context, id, sub string) (handle func() error, allowed []string)
}

// NewServer returns a server without resources. Add declares them; Open opens their collections.
func NewServer(config Config) *Server {
	if config.LargestRecord == 0 {
		config.LargestRecord = UsualRecord
	}
	return &Server{Config: config}
}

// Records are the records of a declared resource: its operations, and what other resources of the service may ask of
// it.
type Records[T any] struct {
	Resource[T]
	documents
	members members
	sets    plan
}

// Add declares a resource.
func Add[T any](s *Server, declared Resource[T]) *Records[T] {
	if declared.Collection == "" {
		declared.Collection = declared.Name
	}
	r := &Records[T]{
		Resource: declared, members: membersOf(reflect.TypeFor[T]()), sets: planOf(reflect.TypeFor[T]()),
		documents: documents{
			resource: declared.Name, stored: declared.Collection, server: s, prefix: history.Prefix(declared.Name),
			params: map[string]param{},
		},
	}
	r.movedBy = r.bodyMovedBy
	if status, has := r.statusMember(); has {
		r.passing = passing(status, declared.Temporary)
	}
	for _, f := range declared.Filters {
		r.takeParameters(f.params)
	}
	s.resources = append(s.resources, r)
	return r
}

// passing returns the texts of the status member in states, as a body has them.
func passing(status member, states []string) [][]byte {
	var texts [][]byte
	for _, state := range states {
		text, _ := jsontext.AppendQuote(nil, state)
		texts = append(texts, slices.Concat([]byte(`"`+status.name+`":`), text))
	}
	return texts
}

// Open opens the collections. A collection that several resources share has the indexes of all. Errors: a declaration
// that contradicts itself or names what does not exist, docstore.ErrUnavailable.
func (s *Server) Open(ctx context.Context) error {
	if err := s.validate(); err != nil {
		return err
	}
	opened := map[string]docstore.Collection{}
	for _, spec := range s.specs() {
		collection, err := s.Store.Collection(ctx, spec)
		if err != nil {
			return err
		}
		if spec.Sums() {
			if _, err := docstore.As[docstore.Sums](collection); err != nil {
				return fmt.Errorf("collection %s: %w", spec.Name, err)
			}
		}
		opened[spec.Name] = collection
	}
	for _, r := range s.resources {
		if err := r.open(opened[r.collectionName()]); err != nil {
			return fmt.Errorf("collection %s: %w", r.collectionName(), err)
		}
	}
	return nil
}

// Route is the paths and methods of one resource, for the routing table of a gateway.
type Route struct {
	Resource string `json:"resource"`
	// Collection and Item are the methods of /{resource} and of /{resource}/{id}.
	Collection []string `json:"collection"`
	Item       []string `json:"item,omitempty"`
	// Actions are the names of POST /{resource}/{id}:{action}, Subs those of POST /{resource}/{id}/{sub}.
	Actions []string `json:"actions,omitempty"`
	Subs    []string `json:"subs,omitempty"`
}

// Routes returns the routes of all resources, in the order of their declaration, and the extensions.
func (s *Server) Routes() ([]Route, []Extension) {
	var all []Route
	for _, r := range s.resources {
		all = append(all, r.route())
	}
	return all, s.extensions()
}

// Mount adds the operations of all resources to a router. guard runs once path and method are known to exist; it aborts
// the request to refuse it.
func (s *Server) Mount(router gin.IRouter, guard gin.HandlerFunc) {
	s.mountExtensions(router, guard)
	for _, r := range s.resources {
		serve := func(c *gin.Context) {
			handle, allowed := r.dispatch(c, c.Param("id"), c.Param("sub"))
			countAs(c, r.name(), handle != nil || allowed != nil)
			switch {
			case handle != nil:
				if guard(c); !c.IsAborted() {
					if err := handle(); err != nil {
						Fail(c, err)
					}
				}
			case allowed != nil:
				Fail(c, problem.New(problem.MethodNotAllowed, "").WithHeader("Allow", strings.Join(allowed, ", ")))
			default:
				Fail(c, problem.New(problem.NotFound, ""))
			}
		}
		base := "/" + r.name()
		router.Any(base, serve)
		router.Any(base+"/:id", serve)
		router.Any(base+"/:id/:sub", serve)
	}
}

// Fail responds with the problem that err is. It is the one place where errors become statuses: what a store or a
// peer could not do in time is an outage (503), and any other error is 500.
func Fail(c *gin.Context, err error) {
	var p *problem.Error
	if !errors.As(err, &p) {
		var building *docstore.BuildingError
		switch {
		case errors.As(err, &building):
			p = problem.Outage(err)
			p.Detail = "The index " + building.Index +
				" is being built from the records that are there. Retry the request later."
		case errors.Is(err, docstore.ErrUnavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(err,
			context.Canceled):
			p = problem.Outage(err)
		case errors.Is(err, docstore.ErrTooLarge):
			p = tooLarge(docstore.MaxSize, err)
		default:
			p = problem.From(err)
		}
	}
	process.Refuse(c, p)
}

// countAs sets the route by which the metrics count a request where it is not that of the router: an action has a
// route of its own, and an unknown action has none. Only names of declared actions become routes, because known is
// false else.
func countAs(c *gin.Context, resource string, known bool) {
	_, action, isAction := strings.Cut(c.Param("id"), ":")
	switch sub := c.Param("sub"); {
	case !known:
		process.SetUnmatched(c)
	case sub != "":
		process.SetRoute(c, "/"+resource+"/{id}/"+sub)
	case isAction:
		process.SetRoute(c, "/"+resource+"/{id}:"+action)
	}
}

// The methods of each kind of path.
var (
	collectionMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost}
	itemMethods       = []string{http.MethodGet, http.MethodHead, http.MethodPut}
	actionMethods     = []string{http.MethodPost}
)

func (r *Records[T]) route() Route {
	route := Route{Resource: r.Name, Collection: collectionMethods, Item: r.itemMethods()}
	for _, a := range r.Actions {
		if a.Sub {
			route.Subs = append(route.Subs, a.Name)
		} else {
			route.Actions = append(route.Actions, a.Name)
		}
	}
	return route
}

// dispatch returns what serves the request, or else the methods that the path allows, or neither if there is no such
// path.
func (r *Records[T]) dispatch(c *gin.Context, id, sub string) (handle func() error, allowed []string) {
	method := c.Request.Method
	reads := method == http.MethodGet || method == http.MethodHead
	before, name, isAction := strings.Cut(id, ":")
	switch {
	case id == "" && reads:
		return func() error { return r.list(c) }, nil
	case id == "" && method == http.MethodPost:
		return func() error { return r.create(c) }, nil
	case id == "":
		return nil, collectionMethods
	case sub != "" || isAction:
		if sub == "" {
			id, sub = before, name
		}
		action := r.action(sub, !isAction)
		if action == nil {
			return nil, nil
		}
		if method != http.MethodPost {
			return nil, actionMethods
		}
		return func() error { return r.act(c, id, action) }, nil
	case reads:
		return func() error { return r.read(c, id) }, nil
	case method == http.MethodPut && !r.NoReplace:
		return func() error { return r.replace(c, id) }, nil
	default:
		return nil, r.itemMethods()
	}
}

func (r *Records[T]) itemMethods() []string {
	if r.NoReplace {
		return readMethods
	}
	return itemMethods
}

func (r *Records[T]) action(name string, sub bool) *Action[T] {
	for i := range r.Actions {
		if r.Actions[i].Name == name && r.Actions[i].Sub == sub {
			return &r.Actions[i]
		}
	}
	return nil
}
