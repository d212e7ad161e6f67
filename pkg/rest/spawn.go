package rest

import (
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"
)

// actSpawning serves an action that writes a second record.
func (r *Records[T]) actSpawning(c *gin.Context, id string, a *Action[T], parsed any, body []byte, key *usedKey) error {
	ctx := c.Request.Context()
	if key != nil {
		if doc, again, err := r.replayed(ctx, key); err != nil || again {
			if err != nil {
				return err
			}
			return r.replay(c, doc, a.WithExtra)
		}
	}
	doc, err := r.toChange(ctx, id)
	if err != nil {
		return err
	}
	if err := r.precondition(c)(doc); err != nil {
		return err
	}
	record, err := r.Decode(doc)
	if err != nil {
		return err
	}
	if err := a.allowed(r, &record.Value); err != nil {
		return err
	}
	change := r.begin(id, record, body)
	change.creates = true
	d, err := a.spawn(ctx, change, parsed)
	if err != nil {
		return err
	}
	d.Spawned = true
	newID, err := r.issue(d)
	if err != nil {
		return err
	}
	entry := Entry{Event: "created by " + a.Name + " of " + id, Change: jsontext.Value(body)}
	second, again, err := r.insert(ctx, newID, d, key, entry)
	if err != nil {
		return err
	}
	if again {
		return r.replay(c, second, a.WithExtra)
	}
	return r.respond(c, http.StatusCreated, second, r.extraOf(a, d.Value, slices.Concat(change.warnings, d.warnings)))
}
