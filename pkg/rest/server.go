package rest

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/creation"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest/changes"
	"insurance.example/exchange/pkg/rest/embed"
	"insurance.example/exchange/pkg/rest/external"
	"insurance.example/exchange/pkg/rest/history"
	"insurance.example/exchange/pkg/rest/inspect"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/pkg/rest/search"
)

// Config is what the resources of one service work with.
type Config struct {
	Store docstore.Store
	Sets  Sets
	// Now returns the present instant.
	Now func() time.Time
	// Organisations says that organisations share the exchange: then the cursors of lists are sealed.
	Organisations bool
	// KeyRetention is how long an Idempotency-Key is remembered; zero stands for as long as the record.
	KeyRetention time.Duration
	// LargestRecord is the greatest length of a record as JSON, in bytes; UsualRecord where it is zero. It bounds
	// what the smallest change can cost. Together with what is kept about its last change, the store bounds it
	// (docstore.MaxSize).
	LargestRecord int
	// AmountUnit is the unit of amounts, major or minor, or "" if the operator has not said it. It is named where a
	// fraction is refused.
	AmountUnit string
	// Currency is that of amounts, or "" if the operator has not said it.
	Currency string
	// Zone is the exchange's time zone, UTC where it is nil.
	Zone *time.Location
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
	extended  []Extension
	together  []together
	// opened are the collections by name.
	opened map[string]docstore.Collection
	// cursors are sealed where organisations share the exchange; nil elsewhere.
	cursors *query.Cursors
	// sources are the collections that have a log of changes, by name.
	sources map[string]changes.Source
	// log is the log of changes; logless says why there is none. Both are nil in a service that keeps none.
	log     *changes.Log
	logless error
	// lookedUp is Parts.LookedUp.
	lookedUp func(docstore.Document) (path string, fact any, err error)
	// peer returns the client of another service; nil where only the declarations are asked for.
	peer func(name string) *peer.Client
}

// resource is what the server needs of Records[T], whatever T is.
type resource interface {
	name() string
	collectionName() string
	public() bool
	sharing() (by, right string)
	indexes() []docstore.Index
	open(docstore.Collection)
	keysOf(docstore.Document) (docstore.Keys, error)
	inspected(docstore.Document) (inspect.Record, error)
	targets() []string
	route() Route
	extensions() []Extension
	searched() *search.Table
	references(ctx context.Context, reference string) []string
	showing(context.Context, docstore.Document, time.Time) ([]byte, error)
	readAt(context.Context, docstore.Document, time.Time) (body []byte, tag string, version int64, err error)
	describe() (Description, error)
	validate(sets Sets) []error
	dispatch(c *gin.Context, id, sub string) (handle func() error, allowed []string)
	show(ctx context.Context, id string) (query.Shown, bool, error)
	numbered() string
	namedBy(ctx context.Context, reference string) (doc docstore.Document, found bool, err error)
	tryCreation(c *gin.Context, key string, body []byte) (creation.Tried, error)
}

// NewServer returns a server without resources. Add declares them; Open opens their collections.
func NewServer(config Config) *Server {
	if config.LargestRecord == 0 {
		config.LargestRecord = UsualRecord
	}
	if config.Zone == nil {
		config.Zone = time.UTC
	}
	return &Server{Config: config}
}

// Records are the records of a declared resource: its operations, and what other resources of the service may ask of
// it.
type Records[T any] struct {
	Resource[T]
	documents
	members members
	names   *names
	sets    plan
	// leads are the indexes that only the search has.
	leads []lead
	// look is lookReferences, made once.
	look lookUp
}

// Add declares a resource.
func Add[T any](s *Server, declared Resource[T]) *Records[T] {
	if declared.Collection == "" {
		declared.Collection = declared.Name
	}
	r := &Records[T]{
		Resource: declared, members: membersOf(recordType[T]()), sets: planOf(recordType[T]()),
		documents: documents{
			resource: declared.Name, stored: declared.Collection, everybody: declared.Public, server: s,
			prefix: history.Prefix(declared.Name), params: map[string]param{},
		},
	}
	r.movedBy, r.look = r.bodyMovedBy, r.lookReferences
	if r.Recall != nil {
		r.recalled = r.bodyRecalled
	}
	if r.Begins != nil {
		r.begins = r.begun
	}
	if member := r.Complete.Member; member != "" {
		r.complete = []byte(strconv.Quote(member) + ":")
	}
	if _, has := r.members.find("warnings"); !has { // of a response, sent back
		r.Aliases = maps.Clone(declared.Aliases)
		if r.Aliases == nil {
			r.Aliases = map[string]string{}
		}
		r.Aliases["warnings"] = ""
	}
	r.Rules = slices.Concat(r.Rules, identities[T](r.members), r.referenceRules())
	r.names = r.bodyNames()
	for i := range r.Actions {
		r.Actions[i].names = r.namesOf(&r.Actions[i].Operation)
	}
	if status, has := r.statusMember(); has {
		r.passing = passing(status, declared.Temporary)
	}
	for _, f := range declared.Filters {
		r.takeParameters(f.params)
	}
	if r.named() {
		r.takeParameters([]param{byReference})
		if len(declared.Search) > 0 {
			r.Search = slices.Concat([]search.Field{search.Text(referenceIndex).Leads()}, declared.Search)
		}
	}
	if len(r.Search) > 0 {
		r.table = &search.Table{
			Resource: declared.Name, Fields: r.Search, Members: r.members.names(), Expand: r.expansions(),
		}
		r.leads = r.leadsOf()
	}
	for i := range declared.Unique {
		u := &declared.Unique[i]
		if _, filters := r.params[u.Index]; filters && u.Taken == nil {
			r.number = u.Index
		}
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
	s.opened = map[string]docstore.Collection{}
	s.sources = map[string]changes.Source{}
	for _, spec := range s.specs() {
		collection, err := s.Store.Collection(ctx, spec)
		if err != nil {
			return err
		}
		s.opened[spec.Name] = collection
		s.sources[spec.Name] = changes.Source{
			Collection: collection, Public: spec.Public, Shared: s.Organisations && spec.SharedBy != "",
		}
	}
	for _, r := range s.resources {
		r.open(s.opened[r.collectionName()])
	}
	if s.Organisations && len(s.opened) > 0 {
		seal, err := query.SealOf(ctx, s.Store)
		if err != nil {
			return err
		}
		s.cursors = query.NewCursors(seal)
	}
	s.openLog(nil)
	return nil
}

// openLog opens the log of changes: that of the collections of the resources, and of some others by name.
func (s *Server) openLog(others map[string]changes.Source) {
	maps.Copy(s.sources, others)
	if len(s.sources) > 0 {
		s.log, s.logless = changes.Of(s.sources)
	}
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
// the request to refuse it. Errors: paths of extensions that contradict each other.
func (s *Server) Mount(router gin.IRouter, guard gin.HandlerFunc) error {
	if err := s.mountExtensions(router, guard); err != nil {
		return err
	}
	if s.log != nil || s.logless != nil {
		router.GET(changes.Path+":after", guard, s.serveChanges)
	}
	if len(s.resources) > 0 {
		router.POST(creation.TrialPath, guard, s.serveTrial)
		router.GET(embed.Path+":names", guard, s.serveRecords)
		router.GET(embed.PastPath+":names", guard, s.serveRecordsAt)
		router.GET(external.Path+":resources", guard, s.serveReferences)
	}
	for _, r := range s.resources {
		serve := func(c *gin.Context) {
			handle, allowed := r.dispatch(c, c.Param("id"), c.Param("sub"))
			countAs(c, r.name(), handle != nil || allowed != nil)
			switch {
			case handle != nil:
				serveGuarded(c, guard, false, handle)
			case allowed != nil:
				fail(c, problem.WrongMethod(c.Request.Method, allowed...))
			default:
				fail(c, problem.New(problem.NotFound, ""))
			}
		}
		base := "/" + r.name()
		router.Any(base, serve)
		router.Any(base+"/:id", serve)
		router.Any(base+"/:id/:sub", serve)
	}
	return nil
}

// serveChanges serves the internal operation that returns a page of the log of changes.
func (s *Server) serveChanges(c *gin.Context) {
	if s.logless != nil {
		fail(c, problem.Outage(s.logless))
		return
	}
	page, err := s.log.Read(c.Request.Context(), c.Param("after"), c.Request.URL.RawQuery)
	Respond(c, page, err)
}

// serveGuarded handles a request that the guard does not refuse. What is no GET takes no parameters unless its
// operation knows which; a GET's does.
func serveGuarded(c *gin.Context, guard gin.HandlerFunc, knows bool, handle func() error) {
	if guard(c); c.IsAborted() {
		return
	}
	var err error
	if raw := c.Request.URL.RawQuery; raw != "" && !knows && !slices.Contains(readMethods, c.Request.Method) {
		err = query.None(raw)
	}
	if err == nil {
		err = handle()
	}
	if err != nil {
		fail(c, err)
	}
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
		switch {
		case a.Beyond:
		case a.Sub:
			route.Subs = append(route.Subs, a.Name)
		default:
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
		if a := &r.Actions[i]; a.Name == name && a.Sub == sub && !a.Beyond {
			return &r.Actions[i]
		}
	}
	return nil
}
