package rest

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest/history"
)

// ExtensionPrefix is where operations live that the interface does not name, so that the interface stays as written.
const ExtensionPrefix = "/x"

// Extension is an operation beyond the interface.
type Extension struct {
	// Path is below ExtensionPrefix; a last segment {id} stands for a record's identifier.
	Path string `json:"path"`
	// Method is GET or POST. Every extension only reads, so that the read scope opens it.
	Method string `json:"method"`
	// Resource is the resource that it is about. Summary says what it returns, in one line.
	Resource, Summary string `json:"-"`
	// Response is the type of its response. IsRecord says that this is a record of the resource.
	Response reflect.Type `json:"-"`
	IsRecord bool         `json:"-"`
	// Parameters are what it takes in its query.
	Parameters []string `json:"-"`

	serve func(c *gin.Context) error
}

// extensions returns those of all resources: the history and the past of each, and the dry runs.
func (s *Server) extensions() []Extension {
	var all []Extension
	for _, r := range s.resources {
		all = append(all, r.extensions()...)
	}
	return all
}

// mountExtensions adds the extensions to a router.
func (s *Server) mountExtensions(router gin.IRouter, guard gin.HandlerFunc) {
	for _, x := range s.extensions() {
		methods := []string{x.Method}
		if x.Method == http.MethodGet {
			methods = readMethods
		}
		router.Any(strings.Replace(x.Path, "{id}", ":id", 1), func(c *gin.Context) {
			if !slices.Contains(methods, c.Request.Method) {
				Fail(c, problem.New(problem.MethodNotAllowed, "").WithHeader("Allow", strings.Join(methods, ", ")))
				return
			}
			if guard(c); c.IsAborted() {
				return
			}
			if err := x.serve(c); err != nil {
				Fail(c, err)
			}
		})
	}
}

func (l *StaticList) extensions() []Extension { return nil }

func (r *Records[T]) extensions() []Extension {
	all := r.past(reflect.TypeFor[T]())
	if r.DryRun != "" {
		all = append(all, Extension{
			Path: ExtensionPrefix + "/" + r.Name + "/" + r.DryRun, Method: http.MethodPost,
			Resource: r.Name, Summary: "The outcome of every check that the creation of a " + r.Name +
				" with this body would meet; nothing is written",
			Response: reflect.TypeFor[Verdict](), serve: r.dryRun,
		})
	}
	return all
}

// past returns the extensions that show what records of a type were before.
func (r *documents) past(record reflect.Type) []Extension {
	return []Extension{{
		Path: ExtensionPrefix + "/history/" + r.resource + "/{id}", Method: http.MethodGet,
		Resource: r.resource, Summary: "What happened to one " + r.resource + ", oldest first",
		Response:   reflect.TypeFor[history.History](),
		Parameters: []string{"limit", "cursor"},
		serve:      func(c *gin.Context) error { return r.history(c, c.Param("id")) },
	}, {
		Path: ExtensionPrefix + "/asof/" + r.resource + "/{id}", Method: http.MethodGet,
		Resource: r.resource, Summary: "One " + r.resource + " as it was at an instant", Response: record,
		IsRecord:   true,
		Parameters: []string{"at"},
		serve:      func(c *gin.Context) error { return r.asOf(c, c.Param("id")) },
	}}
}

// history serves GET /x/history/{resource}/{id}.
func (r *documents) history(c *gin.Context, id string) error {
	query, err := history.ParseQuery(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	doc, err := r.existing(ctx, id)
	if err != nil {
		return err
	}
	page, next, err := r.log.Page(ctx, query, doc)
	if err != nil {
		return err
	}
	if next != nil {
		c.Writer.Header().Set("Link", "<"+ExtensionPrefix+"/history/"+r.resource+"/"+page.ID+"?"+next.Encode()+
			`>; rel="next"`)
	}
	return writeJSON(c, http.StatusOK, page)
}

// asOf serves GET /x/asof/{resource}/{id}?at=INSTANT: the record as it was read at that instant.
func (r *documents) asOf(c *gin.Context, id string) error {
	at, err := history.Instant(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	doc, err := r.existing(ctx, id)
	if err != nil {
		return err
	}
	was, err := r.log.VersionAt(ctx, doc, at)
	if err != nil {
		return err
	}
	body, tag, err := r.shownAt(was, at)
	if err != nil {
		return err
	}
	if err := docstore.Take(ctx, len(body)); err != nil { // for the response
		return err
	}
	c.Writer.Header().Set("ETag", tag)
	send(c, http.StatusOK, body)
	return nil
}
