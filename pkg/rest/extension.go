package rest

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"insurance.example/exchange/pkg/jsonobject"
	"insurance.example/exchange/pkg/pathtable"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/condition"
	"insurance.example/exchange/pkg/rest/query"
)

// ExtensionPrefix is where operations live that the interface does not name, so that the interface stays as written.
const ExtensionPrefix = "/x"

// Extension is an operation beyond the interface.
type Extension struct {
	// Path is below ExtensionPrefix, and made as a template of package pathtable.
	Path string
	// Method is GET, POST, PUT or DELETE.
	Method string
	// Writes says that the operation changes something, so that the scope for reading does not open it.
	Writes bool
	// Creates says that a success is 201, and 200 where it replays an earlier one. Serve sets the Location.
	Creates bool
	// Optional says that an exchange may be run without the service of the operation. The path is unknown there.
	Optional bool
	// ID names the operation in the OpenAPI document. It is empty for those that are about a resource.
	ID string
	// Resource is the resource that it is about, if it is about one. Summary says what it does, in one line, and
	// Details what else its caller should know, if there is anything.
	Resource, Summary, Details string
	// Body is the type of the body that it takes, nil for none, and Response the type of its response. IsRecord says
	// that the response is a record of the resource.
	Body, Response reflect.Type
	IsRecord       bool
	// Takes are the media types of a body that is no JSON, of up to Largest bytes, whatever the setting max-body says.
	// Serve gets the body as an io.Reader, whose errors are problems, and keeps no more of it in memory than a page.
	Takes   []string
	Largest int64
	// Media is the media type of a response that is no JSON; empty for others. Such a response is a func(io.Writer)
	// error that writes it. If it fails, the connection is cut, so that nobody takes the part for the whole.
	Media string
	// Also are media types in which the response is written as well where the request asks for one by Accept. Serve
	// sets the Content-Type then, and returns a function as with Media.
	Also []string
	// Action is the name of the action of the resource that it is, which is described with the resource; empty for
	// others.
	Action string
	// Among are the resources whose records the operation finds; the response is a list of them, or of some of their
	// members.
	Among []string
	// Parameters name parameters of the query and the path that the document describes once for several operations.
	// Query are parameters that only this operation takes.
	Parameters []string
	Query      []Parameter
	// Tagged says that the response has an entity tag, and that the request may have conditions; see
	// package condition. Serve sets the tag. Those of a GET are judged after it, and Serve judges others.
	Tagged bool
	// Refuses are the problems that it refuses with, beyond those of every operation.
	Refuses []problem.Kind
	// Deprecated says that callers should leave the operation; nil for one that stays.
	Deprecated *Deprecation
	// Serve returns the response to a request, a value of the type Response that is sent with 200. body points to a
	// value of the type Body; it is nil without one. The segments that stand for names of the path are parameters of
	// the context.
	Serve func(c *gin.Context, body any) (response any, err error)

	// respond responds to a request, in place of Serve.
	respond func(c *gin.Context) error
}

// Deprecation says until when callers may use an operation. Every response of it says so too.
type Deprecation struct {
	// Since is the instant from which on the operation should not be used (RFC 9745), and Sunset the one from which
	// on it may be gone (RFC 8594).
	Since, Sunset time.Time
	// Instead is the path of the page that says what to use instead.
	Instead string
}

// wrong returns what is wrong with a deprecation, empty if nothing is.
func (d *Deprecation) wrong() string {
	switch {
	case d == nil:
		return ""
	case d.Since.IsZero() || !d.Sunset.After(d.Since):
		return "is deprecated without an instant, or without a later one at which it may be gone"
	case !strings.HasPrefix(d.Instead, "/"):
		return "is deprecated without the path of a page that says what to use instead"
	}
	return ""
}

// write writes the headers of a deprecated operation.
func (d *Deprecation) write(header http.Header) {
	if d == nil {
		return
	}
	header.Set("Deprecation", "@"+strconv.FormatInt(d.Since.Unix(), 10))
	header.Set("Sunset", d.Sunset.UTC().Format(http.TimeFormat))
	header.Add("Link", "<"+d.Instead+`>; rel="deprecation"`)
}

// Extend declares operations that are about no resource.
func (s *Server) Extend(operations ...Extension) { s.extended = append(s.extended, operations...) }

// extensions returns those of all resources, the history and the past of each, the searches and the dry runs, and
// those that are about no resource.
func (s *Server) extensions() []Extension {
	var all []Extension
	for _, r := range s.resources {
		all = append(all, r.extensions()...)
	}
	return slices.Concat(all, s.searches(), s.extended)
}

// mountExtensions adds the extensions to a router. A router has no segments that end in a word, such as {name}:pause,
// so that a table finds what serves a path.
func (s *Server) mountExtensions(router gin.IRouter, guard gin.HandlerFunc) error {
	var table pathtable.Table[[]Extension]
	for _, x := range s.extensions() {
		of, err := table.At(x.Path)
		if err != nil {
			return err
		}
		if wrong := x.Deprecated.wrong(); wrong != "" {
			return fmt.Errorf("operation %s %s %s", x.Method, x.Path, wrong)
		}
		*of = append(*of, x)
	}
	router.Any(ExtensionPrefix+"/*path", func(c *gin.Context) {
		match, ok := table.Find(ExtensionPrefix + c.Param("path"))
		if !ok {
			process.SetUnmatched(c)
			fail(c, problem.New(problem.NotFound, ""))
			return
		}
		process.SetRoute(c, match.Template)
		var allowed []string
		for _, x := range match.Value {
			methods := []string{x.Method}
			if x.Method == http.MethodGet {
				methods = readMethods
			}
			if !slices.Contains(methods, c.Request.Method) {
				allowed = append(allowed, methods...)
				continue
			}
			for _, p := range match.Parameters {
				c.AddParam(p.Name, p.Value)
			}
			serveGuarded(c, guard, len(x.Query) > 0, func() error { return x.serve(c) })
			return
		}
		fail(c, problem.WrongMethod(c.Request.Method, allowed...))
	})
	return nil
}

func (x *Extension) serve(c *gin.Context) error {
	x.Deprecated.write(c.Writer.Header())
	if x.respond != nil {
		return x.respond(c)
	}
	if err := x.takes(c.Request.URL.RawQuery); err != nil {
		return err
	}
	body, err := x.body(c)
	if err != nil {
		return err
	}
	response, err := x.Serve(c, body)
	if err != nil {
		return err
	}
	if has, err := x.judged(c); has || err != nil {
		return err
	}
	if write, is := response.(func(io.Writer) error); is {
		return x.stream(c, write)
	}
	return x.write(c, response)
}

// judged judges the conditions of a GET whose response has an entity tag, as those of a GET of a record. It reports
// whether the caller has what the tag names, and then says so in the response. Errors: condition.ErrChanged.
func (x *Extension) judged(c *gin.Context) (has bool, err error) {
	header := c.Writer.Header()
	tag := header.Get("ETag")
	if x.Method != http.MethodGet || tag == "" {
		return false, nil
	}
	switch err = condition.JudgeRead(c.Request.Header, tag); {
	case errors.Is(err, condition.ErrUnchanged):
		header.Del("Content-Disposition")
		header["Cache-Control"] = noStore
		c.Status(http.StatusNotModified)
		return true, nil
	case err != nil:
		header.Del("Content-Disposition")
		header.Del("ETag")
	}
	return false, err
}

// write writes a response as JSON.
func (x *Extension) write(c *gin.Context, response any) error {
	body, err := json.Marshal(response, json.Deterministic(true))
	if err != nil {
		return err
	}
	status := http.StatusOK
	if x.Creates && c.Writer.Header().Get(request.Replayed) == "" {
		status = http.StatusCreated
	}
	send(c, status, body)
	return nil
}

// stream writes a response that is no JSON, of a length that is not known before.
func (x *Extension) stream(c *gin.Context, write func(io.Writer) error) error {
	header := c.Writer.Header()
	if x.Media != "" {
		header.Set("Content-Type", x.Media)
	}
	header["Cache-Control"], header["X-Content-Type-Options"] = noStore, noSniff
	c.Status(http.StatusOK)
	err := write(c.Writer)
	if err != nil && !c.Writer.Written() {
		header.Del("Content-Disposition")
		return err
	}
	if err != nil {
		_ = c.Error(err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// takes refuses a query with parameters that the operation does not take.
func (x *Extension) takes(raw string) error {
	values, err := query.Parse(raw)
	if err != nil {
		return err
	}
	return query.EachOf(values, func(name string, values []string) (wrong string) {
		at, most := slices.IndexFunc(x.Query, func(p Parameter) bool { return p.Name == name }), 1
		if at >= 0 {
			most = max(1, x.Query[at].Most)
		}
		switch {
		case len(values) > most && most > 1:
			return fmt.Sprintf("may be repeated %d times at most", most)
		case len(values) > most:
			return query.Repeated
		case at < 0 && (!slices.Contains(x.Parameters, name) || strings.Contains(x.Path, "{"+name+"}")):
			return "is not known here"
		}
		return ""
	})
}

// body returns the body of a request as Serve gets it.
func (x *Extension) body(c *gin.Context) (any, error) {
	switch {
	case x.Body != nil:
		return x.readBody(c)
	case len(x.Takes) == 0:
		return nil, nil
	}
	is, _, err := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	if err != nil || !slices.Contains(x.Takes, is) || c.Request.Header.Get("Content-Encoding") != "" {
		return nil, problem.New(problem.MediaType, "The body must be sent as "+strings.Join(x.Takes, " or ")+
			", without a Content-Encoding.").WithHeader("Accept", strings.Join(x.Takes, ", "))
	}
	process.Stream(c, x.Largest)
	return piecewise{c.Request.Body}, nil
}

// readBody reads a body that has the members of the operation's type and no others, also in the objects within it.
func (x *Extension) readBody(c *gin.Context) (any, error) {
	text, err := readBody(c)
	if err != nil {
		return nil, err
	}
	v := reflect.New(x.Body).Interface()
	if p := jsonobject.Decode(text, v); p != nil {
		return nil, p
	}
	var unknown []problem.Violation
	for _, m := range jsonobject.ShapeOf(x.Body).Unnamed(text, problem.MaxViolations) {
		unknown = append(unknown, problem.Violation{
			Pointer: problem.Short(string(m.In.AppendToken(m.Name))),
			Reason:  "is not known here; the members are " + strings.Join(slices.Sorted(maps.Keys(m.Known)), ", "),
		})
	}
	if len(unknown) > 0 {
		return nil, invalid(unknown)
	}
	return v, nil
}

func (l *StaticList) extensions() []Extension { return nil }

func (r *Records[T]) extensions() []Extension {
	all := r.past(recordType[T]())
	if r.table != nil {
		x := searchOf(r.table)
		x.respond = r.search
		all = append(all, x)
	}
	if r.DryRun != "" {
		all = append(all, Extension{
			Path: ExtensionPrefix + "/" + r.Name + "/" + r.DryRun, Method: http.MethodPost,
			Resource: r.Name, Summary: "The outcome of every check that the creation of a " + r.Name +
				" with this body would meet; nothing is written",
			Response: reflect.TypeFor[Verdict](), respond: r.dryRun,
		})
	}
	for i := range r.Actions {
		a := &r.Actions[i]
		if !a.Beyond {
			continue
		}
		all = append(all, Extension{
			Path: ExtensionPrefix + "/" + r.Name + "/{id}:" + a.Name, Method: http.MethodPost, Writes: true,
			Resource: r.Name, Action: a.Name, respond: func(c *gin.Context) error { return r.act(c, c.Param("id"), a) },
		})
	}
	return all
}
