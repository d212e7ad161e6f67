package rest

import (
	"context"
	"net/http"
	"reflect"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/docstore"
)

// StaticList is a resource that is one list, part of the service: read-only, and always returned whole.
type StaticList struct {
	// Name is the path segment.
	Name string
	// Body is the list, a JSON array.
	Body []byte
	// Of is the type of its elements.
	Of reflect.Type
}

// AddStatic declares a static list.
func AddStatic(s *Server, l StaticList) { s.resources = append(s.resources, &l) }

var readMethods = []string{http.MethodGet, http.MethodHead}

func (l *StaticList) name() string                   { return l.Name }
func (l *StaticList) collectionName() string         { return "" }
func (l *StaticList) indexes() []docstore.Index      { return nil }
func (l *StaticList) open(docstore.Collection) error { return nil }

// keysOf and amountOf are never called, since the list stores nothing.
func (l *StaticList) keysOf(docstore.Document) (docstore.Keys, error) { return nil, nil }
func (l *StaticList) amountOf(docstore.Document) (int64, error)       { return 0, nil }

// examine is never called, since the list stores nothing.
func (l *StaticList) examine(context.Context, *recordExamination, docstore.Stored) error { return nil }

func (l *StaticList) targets() []string { return nil }

func (l *StaticList) route() Route { return Route{Resource: l.Name, Collection: readMethods} }

func (l *StaticList) dispatch(c *gin.Context, id, _ string) (handle func() error, allowed []string) {
	switch c.Request.Method {
	case http.MethodGet, http.MethodHead:
		if id == "" {
			return func() error { return l.list(c) }, nil
		}
	default:
		if id == "" {
			return nil, readMethods
		}
	}
	return nil, nil
}

// list serves the whole list. It takes the paging parameters as every list does; there is only one page.
func (l *StaticList) list(c *gin.Context) error {
	values := c.Request.URL.Query()
	for _, name := range pagingParameters {
		values.Del(name)
	}
	if len(values) > 0 {
		return noParameters(values.Encode())
	}
	send(c, http.StatusOK, l.Body)
	return nil
}
