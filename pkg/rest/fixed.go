package rest

import (
	"net/http"
	"reflect"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/docstore"
)

// Fixed is a resource that only lists what is part of the service: always whole, read-only.
type Fixed struct {
	// Name is the path segment.
	Name string
	// Body is the JSON array that the list answers.
	Body []byte
	// Of is the type of its elements.
	Of reflect.Type
}

// AddFixed declares a fixed list.
func AddFixed(s *Server, f Fixed) { s.resources = append(s.resources, &f) }

var fixedMethods = []string{http.MethodGet, http.MethodHead}

func (f *Fixed) name() string              { return f.Name }
func (f *Fixed) collectionName() string    { return "" }
func (f *Fixed) indexes() []docstore.Index { return nil }
func (f *Fixed) open(docstore.Collection)  {}
func (f *Fixed) route() Route              { return Route{Resource: f.Name, Collection: fixedMethods} }

func (f *Fixed) dispatch(c *gin.Context, id, _ string) (handle func() error, allowed []string) {
	switch c.Request.Method {
	case http.MethodGet, http.MethodHead:
		if id == "" {
			return func() error { return f.list(c) }, nil
		}
	default:
		if id == "" {
			return nil, fixedMethods
		}
	}
	return nil, nil
}

// list answers the whole list. It takes the paging parameters as every list does; there is only one page.
func (f *Fixed) list(c *gin.Context) error {
	values := c.Request.URL.Query()
	for _, name := range pagingParameters {
		values.Del(name)
	}
	if len(values) > 0 {
		return noParameters(values.Encode())
	}
	c.Data(http.StatusOK, mediaType, f.Body)
	return nil
}
