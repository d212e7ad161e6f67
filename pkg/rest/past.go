package rest

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/rest/history"
)

// past returns the extensions that show what records of a type were before.
func (r *documents) past(record reflect.Type) []Extension {
	return []Extension{{
		Path: ExtensionPrefix + "/history/" + r.resource + "/{id}", Method: http.MethodGet,
		Resource: r.resource, Summary: "What happened to one " + r.resource + ", oldest first",
		Response:   reflect.TypeFor[history.History](),
		Parameters: []string{"limit", "cursor"},
		respond:    func(c *gin.Context) error { return r.history(c, c.Param("id")) },
	}, {
		Path: ExtensionPrefix + "/asof/" + r.resource + "/{id}", Method: http.MethodGet,
		Resource: r.resource, Summary: "One " + r.resource + " as it was at an instant", Response: record,
		IsRecord:   true,
		Parameters: []string{"at"},
		respond:    func(c *gin.Context) error { return r.asOf(c, c.Param("id")) },
	}}
}

// history serves GET /x/history/{resource}/{id}.
func (r *documents) history(c *gin.Context, id string) error {
	query, err := history.ParseQuery(r.server.cursors.Given(c.Request))
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
		path := ExtensionPrefix + "/history/" + r.resource + "/" + page.ID
		c.Writer.Header().Set("Link", "<"+path+"?"+r.server.cursors.Next(ctx, path, next)+`>; rel="next"`)
	}
	return writeJSON(c, page)
}

// readAt returns the record of a document as it was read at an instant, its entity tag and its version then. Errors: as
// history.Log.VersionAt.
func (r *documents) readAt(
	ctx context.Context, doc docstore.Document, at time.Time,
) (body []byte, tag string, version int64, err error) {
	was, err := r.log.VersionAt(ctx, doc, at)
	if err != nil {
		return nil, "", 0, err
	}
	body, tag, err = r.shownAt(was, at)
	if err != nil || r.recalled == nil {
		return body, tag, was.Version, err
	}
	recalled, set, err := r.recalled(ctx, was, at)
	if set {
		// No version reads so.
		body, tag = recalled, strings.TrimSuffix(tag, `"`)+`-recalled"`
	}
	return body, tag, was.Version, err
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
	body, tag, _, err := r.readAt(ctx, doc, at)
	if err != nil {
		return err
	}
	return sendTagged(c, body, tag)
}
