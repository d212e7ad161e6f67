package rest

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/jsonobject"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/external"
	"insurance.example/exchange/pkg/rest/history"
)

// act serves POST /{resource}/{id}:{action} and POST /{resource}/{id}/{action}.
func (r *Records[T]) act(c *gin.Context, id string, a *Action[T]) error {
	body, err := readBody(c)
	if err != nil {
		return err
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	return a.names.asSent(r.actOn(c, id, a, body), body)
}

func (r *Records[T]) actOn(c *gin.Context, id string, a *Action[T], body []byte) error {
	ctx := c.Request.Context()
	parsed, err := a.parse(ctx, r.server, body)
	if err != nil {
		return err
	}
	unnamed, err := a.names.judge(c, body)
	if err != nil {
		return err
	}
	key, err := r.server.UsedKey(c, r.Name+"/"+strings.ToLower(id)+":"+a.Name, body)
	if err != nil {
		return err
	}
	if a.spawn != nil {
		return r.actSpawning(c, id, a, parsed, body, key, unnamed)
	}
	var warnings []Warning
	done, err := r.change(ctx, id, nil, key, r.precondition(c), r.applying(ctx, id, a, parsed, body, key, &warnings))
	if err != nil {
		return err
	}
	warnings = slices.Concat(unnamed, warnings)
	if done.repeated {
		request.MarkReplay(c.Writer.Header())
		warnings = nil
	}
	extra := r.extraOf(a, done.record.Value, warnings)
	if has, is := parsed.(dated); is && has.Dated() {
		extra, err = withDates(extra, done.doc.Body, &done.record.state.History)
	}
	if err != nil {
		return err
	}
	return r.respond(c, http.StatusOK, done.doc, extra)
}

// dated is the body of an action that may say from when on it counts. The response then says so too.
type dated interface{ Dated() bool }

// withDates adds to the members of a response since when its record counts, and when its cover ends, as far as events
// have set these. A member of the record that has one of their names is from before there were dates, and stays.
func withDates(extra map[string]any, body []byte, head *history.Head) (map[string]any, error) {
	dates := map[string]time.Time{"coverEnds": head.CoverEnds}
	if head.Effect != nil {
		dates["effectiveDate"] = head.Effect.Date
	}
	members, err := jsonobject.Members(body)
	if err != nil {
		return nil, err
	}
	for name, date := range dates {
		if date.IsZero() || slices.ContainsFunc(members, func(m jsonobject.Member) bool { return m.Name == name }) {
			continue
		}
		if extra == nil {
			extra = map[string]any{}
		}
		extra[name] = date
	}
	return extra, nil
}

// applying returns the decision that applies an action to a record. The warnings are from the last decision.
func (r *Records[T]) applying(
	ctx context.Context, id string, a *Action[T], parsed any, body []byte, key *history.UsedKey, warnings *[]Warning,
) decision[T] {
	return func(doc docstore.Document, record *Record[T]) (*succession, error) {
		change := r.begin(id, record, body)
		if err := a.allowed(r, record.Value); err != nil {
			return nil, err
		}
		if err := a.apply(ctx, change, parsed); err != nil {
			return nil, err
		}
		entry := history.Entry{
			Event: a.Name, At: change.Now, By: request.CallerFrom(ctx).Subject,
			Organisation: request.OrganisationFrom(ctx).Name(), Change: jsontext.Value(body),
		}
		if err := a.move(r, change, &entry); err != nil {
			return nil, err
		}
		entry.EffectiveDate, entry.CoverEnds = change.countsFrom, change.coverEnds
		record.Value, *warnings = change.Value, change.warnings
		record.own = !a.anyState() && !a.Amends
		return r.succeed(doc, record, entry, key, difference{})
	}
}

// begin returns the change of a record: a copy to work on, so that the record stays as it was read.
func (r *Records[T]) begin(id string, record *Record[T], body []byte) *Change[T] {
	return &Change[T]{
		Draft: Draft[T]{
			Value: copyOf(record.Value), Stored: record.Value, Record: record, Now: r.server.Now(),
		},
		ID: id, Body: body, resource: r,
	}
}

// Change is a record under an action.
type Change[T any] struct {
	// Draft holds the record, to be changed in place; its Stored is the record as it was.
	Draft[T]
	// ID is the record's identifier.
	ID string
	// Body is the object that the caller sent, "{}" for an empty body.
	Body []byte

	resource *Records[T]
	creates  bool // a second record, and not a change of this one
	to       string
	until    time.Time
	then     string

	countsFrom, coverEnds time.Time
}

// CountsFrom says from when on the changed record counts: until then the versions before it do. It is never before the
// date of the record's Effect. The resource has Begins.
func (c *Change[T]) CountsFrom(date time.Time) { c.countsFrom = date }

// EndCover says when cover ends because of the change, where that is not when it is made.
func (c *Change[T]) EndCover(at time.Time) { c.coverEnds = at }

// MoveTo makes the transition to a state. An action that has one move from the record's state makes that move without
// MoveTo.
func (c *Change[T]) MoveTo(to string) { c.to = to }

// MoveUntil makes the transition to a state of Resource.Temporary, which becomes another by itself at an instant.
func (c *Change[T]) MoveUntil(to string, until time.Time, then string) {
	c.to, c.until, c.then = to, until, then
}

// actSpawning serves an action that writes a second record.
func (r *Records[T]) actSpawning(
	c *gin.Context, id string, a *Action[T], parsed any, body []byte, key *history.UsedKey, warnings []Warning,
) error {
	ctx := c.Request.Context()
	follows, err := a.follows(parsed, key)
	if err != nil {
		return err
	}
	replay := func(doc docstore.Document) error {
		if follows {
			record, err := r.Decode(doc)
			if err != nil {
				return err
			}
			if err := a.after.do(ctx, id, record.Value, c.Writer.Header()); err != nil {
				return err
			}
		}
		return r.replay(c, doc, a.WithExtra)
	}
	for range maxTries {
		if key != nil {
			if doc, again, err := r.replayed(ctx, key); err != nil || again {
				if err != nil {
					return err
				}
				return replay(doc)
			}
		}
		made, err := r.spawn(c, id, a, parsed, body, key)
		if errors.Is(err, errAnew) {
			continue
		}
		if err != nil {
			if doc, again := r.doneSince(ctx, key, err); again {
				return replay(doc)
			}
			return err
		}
		if made.again {
			return replay(made.doc)
		}
		if follows {
			if err := a.after.do(ctx, id, made.value, c.Writer.Header()); err != nil {
				return err
			}
		}
		warnings = slices.Concat(warnings, made.warnings)
		return r.respond(c, http.StatusCreated, made.doc, r.extraOf(a, made.value, warnings))
	}
	return problem.Outage(errors.New(r.resource + " " + id + ": " + a.Name + " was overtaken at every try"))
}

// doneSince returns the record that the same request has made since it was looked for, and whether it has: the action
// may have refused because of that record.
func (r *Records[T]) doneSince(
	ctx context.Context, key *history.UsedKey, refusal error,
) (doc docstore.Document, again bool) {
	var p *problem.Error
	if key == nil || !errors.As(refusal, &p) || p.Kind.Status() >= http.StatusInternalServerError {
		return doc, false
	}
	doc, again, err := r.replayed(ctx, key)
	return doc, err == nil && again
}

// spawned is the second record that an action has made; again says that the request had made it before.
type spawned[T any] struct {
	doc      docstore.Document
	value    T
	again    bool
	warnings []Warning
}

// spawn has an action decide on a record, and writes the second record that it makes. Errors: errAnew.
func (r *Records[T]) spawn(
	c *gin.Context, id string, a *Action[T], parsed any, body []byte, key *history.UsedKey,
) (made spawned[T], err error) {
	ctx := c.Request.Context()
	doc, err := r.toChange(ctx, id)
	if err != nil {
		return made, err
	}
	if err := r.precondition(c)(doc); err != nil {
		return made, err
	}
	record, err := r.Decode(doc)
	if err != nil {
		return made, err
	}
	if err := a.allowed(r, record.Value); err != nil {
		return made, err
	}
	change := r.begin(id, record, body)
	change.creates = true
	d, err := a.spawn(ctx, change, parsed)
	if err != nil {
		return made, err
	}
	d.Spawned = true
	newID, err := r.issue(d)
	if err != nil {
		return made, err
	}
	r.note(ctx, d)
	entry := history.Entry{Event: history.MadeBy(a.Name, id), Change: jsontext.Value(body)}
	made.doc, made.again, err = r.insert(ctx, newID, d, key, entry)
	made.value, made.warnings = d.Value, slices.Concat(change.warnings, d.warnings)
	return made, err
}

// Amended is a record with members of a body in place of its own.
type Amended[T any] struct {
	*Draft[T]
	// Sent are the names of the members that the body has, whether or not their values differ from the record's.
	Sent []string
	// Changed are the names of the members whose values differ from the record's.
	Changed []string
}

// Amend returns the record under change with the members of the body in place of its own. Members of the body that
// are the action's, named in without, are left out. Members that the caller does not set are protected: an action
// that changes the record refuses them as a replacement does, and an action that creates a second record ignores them
// as a creation does. Errors: problems of the body.
func (c *Change[T]) Amend(without ...string) (*Amended[T], error) {
	r := c.resource
	renamed, _, p := jsonobject.Rename(c.Body, r.Aliases, r.Flatten)
	if p != nil {
		return nil, p
	}
	all, err := jsonobject.Members(renamed)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(m jsonobject.Member) bool {
		return slices.Contains(without, m.Name) || m.Value.Kind() == jsontext.KindNull ||
			c.creates && !r.members.sendable(m.Name)
	})
	before, err := json.Marshal(c.Value)
	if err != nil {
		return nil, err
	}
	after, err := jsonobject.Overlay(before, jsonobject.Of(all))
	if err != nil {
		return nil, err
	}
	v, err := r.decode(after)
	if err != nil {
		return nil, err
	}
	refused := r.members.restore(reflect.ValueOf(v).Elem(), reflect.ValueOf(c.Stored).Elem())
	amended := &Amended[T]{Draft: &Draft[T]{Value: v, Stored: c.Stored, Now: c.Now}}
	for _, m := range all {
		amended.Sent = append(amended.Sent, m.Name)
	}
	if !c.creates {
		amended.Record = c.Record
		r.keepReference(v, c.Stored)
	} else if !slices.Contains(amended.Sent, external.Member) {
		r.loseReference(v)
	}
	if identity(v).RecordID() != identity(c.Stored).RecordID() {
		if refused == nil {
			refused = issuedMembers()
		}
		refused.At("/id", "cannot be changed")
	}
	if refused != nil {
		return nil, refused
	}
	differs, err := differ(before, v)
	if err != nil {
		return nil, err
	}
	amended.Changed, err = differs.names()
	return amended, err
}

// Check runs the checks of a creation that concern the members that changed.
func (c *Change[T]) Check(ctx context.Context, a *Amended[T]) error {
	return c.resource.check(ctx, a.Draft, a.Changed)
}

// CheckNew runs all checks of a creation.
func (c *Change[T]) CheckNew(ctx context.Context, a *Amended[T]) error {
	return c.resource.check(ctx, a.Draft, nil)
}
