package rest

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest/internal/query"
)

// read serves GET /{resource}/{id}.
func (r *documents) read(c *gin.Context, id string) error {
	if c.Request.URL.RawQuery != "" {
		if err := query.None(c.Request.URL.RawQuery); err != nil {
			return err
		}
	}
	doc, found, err := r.document(c.Request.Context(), id)
	if err != nil {
		return err
	}
	if !found {
		return r.unknown(id)
	}
	body, tag, err := r.shown(doc)
	if err != nil {
		return err
	}
	if err := docstore.Take(c.Request.Context(), len(body)); err != nil { // for the response
		return err
	}
	header := c.Writer.Header()
	header.Set("ETag", tag)
	if asked := c.Request.Header.Values("If-None-Match"); len(asked) > 0 && matches(asked, tag, weakly) {
		c.Status(http.StatusNotModified)
		return nil
	}
	send(c, http.StatusOK, body)
	return nil
}

func (r *documents) unknown(id string) error {
	return problem.New(problem.NotFound, "There is no "+r.resource+" "+problem.Short(id)+".")
}

// comparison is how two entity tags are compared (RFC 9110, section 8.8.3.2).
type comparison bool

const (
	strongly comparison = false // a weak tag equals none: If-Match, section 13.1.1
	weakly   comparison = true  // the mark W/ does not count: If-None-Match, section 13.1.2
)

// matches reports whether the values of a header, each a list of entity tags or *, name the tag, which is a strong one.
func matches(values []string, tag string, how comparison) bool {
	for _, list := range values {
		// The tags that the exchange writes hold no comma, so that a tag with one is never equal to the tag.
		for entry := range strings.SplitSeq(list, ",") {
			entry = strings.TrimSpace(entry)
			if how == weakly {
				entry = strings.TrimPrefix(entry, "W/")
			}
			if entry == "*" || entry == tag {
				return true
			}
		}
	}
	return false
}

// precondition returns the check that a record is still at the version that the caller has seen (If-Match).
func (r *documents) precondition(c *gin.Context) func(docstore.Document) error {
	asked := c.Request.Header.Values("If-Match")
	if len(asked) == 0 {
		return unconditionally
	}
	return func(doc docstore.Document) error {
		_, tag, err := r.shown(doc)
		if err != nil {
			return err
		}
		if !matches(asked, tag, strongly) {
			return errChanged
		}
		return nil
	}
}

var errChanged = problem.New(problem.Changed,
	"The record is at another version than If-Match names. Read the record again, and decide on what it says now.")
