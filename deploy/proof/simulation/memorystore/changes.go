package memorystore

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// changeLog is the log of changes of a store. A write adds its entry at the instant at which it takes effect.
type changeLog struct {
	id      string
	entries []docstore.Change
	last    time.Time
}

// now returns the present instant, or the last one that was returned if the clock was set back since.
func (l *changeLog) now() time.Time {
	if now := time.Now().UTC(); now.After(l.last) {
		l.last = now
	}
	return l.last
}

// noteVersion adds a version of a document to the log.
func (c *collection) noteVersion(doc docstore.Document) {
	if !c.spec.Unlogged {
		c.log.add(c.spec.Name, doc)
	}
}

func (l *changeLog) add(collection string, doc docstore.Document) {
	l.entries = append(l.entries, docstore.Change{
		Collection: collection, Ref: docstore.Ref{ID: doc.ID, Version: doc.Version}, At: l.now(),
		Position: l.position(len(l.entries) + 1),
	})
}

func (l *changeLog) position(number int) docstore.Position {
	if l.id == "" {
		l.id = uuid.NewString()
	}
	return docstore.Position(l.id + "/" + strconv.Itoa(number))
}

// number returns how many entries are before a position.
func (l *changeLog) number(of docstore.Position) (int, error) {
	if of == "" {
		return 0, nil
	}
	_, digits, _ := strings.Cut(string(of), "/")
	number, err := strconv.Atoi(digits)
	if err != nil || number < 0 || number > len(l.entries) || l.position(number) != of {
		return 0, docstore.ErrPosition
	}
	return number, nil
}

func (c *collection) Changes(
	_ context.Context, _ organisation.ID, after docstore.Position, limit int,
) (docstore.ChangePage, error) {
	if limit < 1 {
		return docstore.ChangePage{}, unavailable(errors.New("memorystore: a page of changes needs a limit"))
	}
	from, err := c.log.number(after)
	if err != nil {
		return docstore.ChangePage{}, err
	}
	until := min(from+limit, len(c.log.entries))
	page := docstore.ChangePage{Changes: c.log.entries[from:until:until], Next: c.log.position(until)}
	if page.Watermark = c.log.now(); until < len(c.log.entries) {
		page.Watermark = c.log.entries[until].At
	}
	return page, nil
}

func (c *collection) EndOfChanges(context.Context, organisation.ID) (docstore.Position, error) {
	return c.log.position(len(c.log.entries)), nil
}
