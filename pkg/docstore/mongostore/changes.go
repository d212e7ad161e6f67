package mongostore

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// place is a position in the log: so many changes of a segment are before it. The place after the last change of a
// segment is the first of the next.
type place struct{ segment, change int64 }

// position returns the place as readers get it.
func (p place) position(log string) docstore.Position {
	return docstore.Position(fmt.Sprintf("%s-%d-%d", log, p.segment, p.change))
}

// placeOf returns the place of a position, which may not be there. Errors: docstore.ErrPosition.
func placeOf(position docstore.Position, log string) (place, error) {
	if position == "" {
		return place{1, 0}, nil
	}
	parts := strings.Split(string(position), "-")
	if len(parts) != 3 {
		return place{}, docstore.ErrPosition
	}
	var p place
	p.segment, _ = strconv.ParseInt(parts[1], 10, 64)
	p.change, _ = strconv.ParseInt(parts[2], 10, 64)
	if p.segment < 1 || p.change < 0 || p.position(log) != position {
		return place{}, docstore.ErrPosition
	}
	return p, nil
}

func (c *collection) EndOfChanges(ctx context.Context, who organisation.ID) (docstore.Position, error) {
	if err := who.CheckUnnamed(); err != nil {
		return "", err
	}
	head, err := c.log.readHead(ctx)
	if err != nil {
		return "", unavailable(ctx, err)
	}
	newest, err := c.log.newest(ctx, head.Number)
	if err != nil {
		return "", unavailable(ctx, err)
	}
	return place{newest + 1, 0}.position(head.Log), nil
}

// together is the number of segments that are read together.
const together = 2

// Changes reads one segment after another, by number.
func (c *collection) Changes(
	ctx context.Context, who organisation.ID, after docstore.Position, limit int,
) (docstore.ChangePage, error) {
	if err := who.CheckUnnamed(); err != nil {
		return docstore.ChangePage{}, err
	}
	if limit < 1 {
		return docstore.ChangePage{}, fmt.Errorf("%w: a page of changes needs a limit", docstore.ErrUnavailable)
	}
	head, err := c.log.readHead(ctx)
	if err != nil {
		return docstore.ChangePage{}, unavailable(ctx, err)
	}
	at, err := placeOf(after, head.Log)
	if err != nil {
		return docstore.ChangePage{}, err
	}
	r := changesReader{log: head.Log, at: at, limit: limit}
	// The segment before has the watermark, if there is nothing else.
	before := at.segment - 1
	for !r.full() {
		entries, err := c.log.from(ctx, max(before, 1), together, options.Find())
		if err != nil {
			return docstore.ChangePage{}, unavailable(ctx, err)
		}
		if before > 0 && len(entries) == 0 {
			return docstore.ChangePage{}, docstore.ErrPosition
		}
		progress := r.at.segment
		for _, segment := range entries {
			if err := r.take(segment); err != nil {
				return docstore.ChangePage{}, err
			}
		}
		if r.at.segment == progress && !r.full() {
			if r.at.change > 0 {
				return docstore.ChangePage{}, docstore.ErrPosition
			}
			if head.Number == r.at.segment-1 && head.Watermark.After(r.page.Watermark) {
				r.page.Watermark = head.Watermark.UTC()
			}
			break
		}
		before = r.at.segment - 1
	}
	r.page.Next = r.at.position(head.Log)
	return r.page, nil
}

// changesReader makes a page of changes.
type changesReader struct {
	log   string
	at    place
	limit int
	page  docstore.ChangePage
}

func (r *changesReader) full() bool { return len(r.page.Changes) == r.limit }

// take adds the changes of a segment, if it is the next one.
func (r *changesReader) take(segment segmentRecord) error {
	if r.full() || segment.Number > r.at.segment {
		return nil
	}
	if segment.Number < r.at.segment {
		r.page.Watermark = segment.Watermark.UTC()
		return nil
	}
	var all []docstore.Change
	for _, e := range segment.Entries {
		for version := e.First; version <= e.Last; version++ {
			all = append(all, docstore.Change{Collection: e.Collection,
				Ref: docstore.Ref{ID: uuid.UUID(e.ID.Data), Version: version}, At: e.At.UTC()})
		}
	}
	if at := r.at.change; at > 0 && at >= int64(len(all)) {
		return docstore.ErrPosition
	}
	after, rest := place{segment.Number + 1, 0}, all[r.at.change:]
	changes := rest[:min(len(rest), r.limit-len(r.page.Changes))]
	for i := range changes {
		if r.at.change++; r.at.change == int64(len(all)) {
			r.at = after
		}
		changes[i].Position = r.at.position(r.log)
		r.page.Watermark = changes[i].At
	}
	r.page.Changes = append(r.page.Changes, changes...)
	if len(changes) == len(rest) {
		r.at, r.page.Watermark = after, segment.Watermark.UTC()
	}
	return nil
}
