package rest

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
)

// read serves GET /{resource}/{id}.
func (r *Records[T]) read(c *gin.Context, id string) error {
	if c.Request.URL.RawQuery != "" {
		if err := noParameters(c.Request.URL.RawQuery); err != nil {
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
	header := c.Writer.Header()
	header.Set("ETag", tag)
	if asked := c.Request.Header.Get("If-None-Match"); asked != "" && matches(asked, tag) {
		c.Status(http.StatusNotModified)
		return nil
	}
	c.Data(http.StatusOK, mediaType, body)
	return nil
}

func (r *Records[T]) unknown(id string) error {
	return problem.New(problem.NotFound, "There is no "+r.Name+" "+short(id)+".")
}

// matches tells whether a list of entity tags (RFC 9110, If-Match and If-None-Match) names the tag.
func matches(list, tag string) bool {
	for entry := range strings.SplitSeq(list, ",") {
		entry = strings.TrimPrefix(strings.TrimSpace(entry), "W/")
		if entry == "*" || entry == tag {
			return true
		}
	}
	return false
}

// precondition answers the check that a record is still at the version that the caller has seen (If-Match).
func (r *Records[T]) precondition(c *gin.Context) func(docstore.Document) error {
	asked := c.Request.Header.Get("If-Match")
	if asked == "" {
		return unconditionally
	}
	return func(doc docstore.Document) error {
		_, tag, err := r.shown(doc)
		if err != nil {
			return err
		}
		if !matches(asked, tag) {
			return errChanged
		}
		return nil
	}
}

var errChanged = problem.New(problem.Changed, "The record is at another version than If-Match names. Read it again.")
