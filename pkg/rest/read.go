package rest

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/condition"
	"insurance.example/exchange/pkg/rest/embed"
	"insurance.example/exchange/pkg/rest/history"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/pkg/rest/search"
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
	return sendTagged(c, body, tag)
}

// Show returns a record of a resource by its id, and whether there is one. Errors: docstore.ErrUnavailable.
func (s *Server) Show(ctx context.Context, resource, id string) (query.Shown, bool, error) {
	if of := s.named(resource); of != nil {
		return of.show(ctx, id)
	}
	return query.Shown{}, false, nil
}

func (l *StaticList) show(context.Context, string) (query.Shown, bool, error) {
	return query.Shown{}, false, nil
}

func (r *documents) show(ctx context.Context, id string) (query.Shown, bool, error) {
	doc, found, err := r.document(ctx, id)
	if err != nil || !found {
		return query.Shown{}, false, err
	}
	return r.Shown(doc)
}

// Shown returns the record of a document as its readers see it now. found is true.
func (r *documents) Shown(doc docstore.Document) (shown query.Shown, found bool, err error) {
	body, _, err := r.shown(doc)
	return query.Shown{Resource: r.resource, ID: doc.ID.String(), Record: body}, err == nil, err
}

// serveRecords serves the internal operation that returns records by their ids or numbers.
func (s *Server) serveRecords(c *gin.Context) {
	err := query.None(c.Request.URL.RawQuery)
	var records embed.LookedUp
	if err == nil {
		records, err = s.embeds().Named(c.Request.Context(), c.Param("names"))
	}
	Respond(c, records, err)
}

// serveRecordsAt serves the internal operation that returns records by their ids or numbers as they were at an instant;
// one to come is now.
func (s *Server) serveRecordsAt(c *gin.Context) {
	at, err := history.Instant(c.Request.URL.RawQuery)
	var records embed.LookedUp
	if now := s.Now(); err == nil && at.After(now) {
		at = now
	}
	if err == nil {
		past := embed.Source{One: func(ctx context.Context, name string, among []string) (query.Shown, error) {
			return s.recordNamedAt(ctx, name, among, at)
		}}
		records, err = past.Named(c.Request.Context(), c.Param("names"))
	}
	Respond(c, records, err)
}

func (s *Server) embeds() embed.Source { return embed.Source{One: s.recordNamed, Peer: s.peer} }

// recordNamed returns the record with an id or number, of one of some resources or of any; the zero value if there is
// none.
func (s *Server) recordNamed(ctx context.Context, name string, among []string) (query.Shown, error) {
	of, doc, err := s.lookUp(ctx, name, among)
	if of == nil || err != nil {
		return query.Shown{}, err
	}
	record, err := of.showing(ctx, doc, s.Now())
	return query.Shown{Resource: of.name(), ID: doc.ID.String(), Record: record}, err
}

// recordNamedAt is recordNamed of a record as it was at an instant. One that was not there yet, or of which that was
// not kept, is none.
func (s *Server) recordNamedAt(
	ctx context.Context, name string, among []string, at time.Time,
) (query.Shown, error) {
	of, doc, err := s.lookUp(ctx, name, among)
	if of == nil || err != nil {
		return query.Shown{}, err
	}
	record, _, version, err := of.readAt(ctx, doc, at)
	var unknown *problem.Error
	if errors.As(err, &unknown) && unknown.Kind == problem.NotFound {
		return query.Shown{}, nil
	}
	return query.Shown{Resource: of.name(), ID: doc.ID.String(), Version: version, Record: record}, err
}

// lookUp returns the document with an id or number and its resource, of one of some resources or of any; no resource if
// there is none.
func (s *Server) lookUp(
	ctx context.Context, name string, among []string,
) (of resource, doc docstore.Document, err error) {
	var tried []string
	for _, r := range s.resources {
		in := s.opened[r.collectionName()]
		other := len(among) > 0 && !slices.Contains(among, r.name())
		if in == nil || other || slices.Contains(tried, r.collectionName()) {
			continue
		}
		tried = append(tried, r.collectionName())
		doc, found, err := documentNamed(ctx, in, r.numbered(), name)
		if err != nil {
			return nil, doc, err
		}
		if !found {
			continue
		}
		of, err := s.resourcesIn(r.collectionName()).of(doc)
		if err != nil {
			return nil, doc, err
		}
		if len(among) == 0 || slices.Contains(among, of.name()) {
			return of, doc, nil
		}
	}
	return nil, doc, nil
}

// documentNamed returns the document with an id or, in a unique index, a number.
func documentNamed(
	ctx context.Context, in docstore.Collection, numbers, name string,
) (doc docstore.Document, found bool, err error) {
	if id, is := parseID(name); is {
		doc, err := in.Get(ctx, request.OrganisationFrom(ctx), id)
		if errors.Is(err, docstore.ErrNotFound) {
			return doc, false, nil
		}
		return doc, err == nil, err
	}
	if numbers == "" || name == "" {
		return doc, false, nil
	}
	docs, err := in.Find(ctx, request.OrganisationFrom(ctx),
		docstore.Query{Equal: docstore.Keys{numbers: name}, Limit: 1, WithState: true})
	if err != nil || len(docs) == 0 {
		return doc, false, err
	}
	return docs[0], true, nil
}

func (r *documents) numbered() string { return r.number }

func (l *StaticList) numbered() string { return "" }

// sendTagged sends a record that a GET asks for, or says that the caller has it.
func sendTagged(c *gin.Context, body []byte, tag string) error {
	err := condition.JudgeRead(c.Request.Header, tag)
	switch {
	case errors.Is(err, condition.ErrUnchanged):
		header := c.Writer.Header()
		header.Set("ETag", tag)
		header["Cache-Control"] = noStore
		c.Status(http.StatusNotModified)
	case err != nil:
		return err
	default:
		c.Writer.Header().Set("ETag", tag)
		send(c, http.StatusOK, body)
	}
	return nil
}

func (r *documents) unknown(id string) error {
	detail := "There is no " + r.resource + " " + problem.Short(id) + "."
	if r.number == "" || uuid.Validate(id) == nil {
		return problem.New(problem.NotFound, detail)
	}
	list := "/" + r.resource + "?" + r.number + "=" + url.QueryEscape(problem.Short(id))
	return problem.New(problem.NotFound, detail+" The path takes an id, which is a UUID; GET "+list+
		" finds the record by its "+r.number+".").With("list", list)
}

// precondition returns the check that a record meets the conditions of a request that changes it.
func (r *documents) precondition(c *gin.Context) func(docstore.Document) error {
	header := c.Request.Header
	if len(header["If-Match"])+len(header["If-None-Match"]) == 0 {
		return unconditionally
	}
	return func(doc docstore.Document) error {
		_, tag, err := r.shown(doc)
		if err != nil {
			return err
		}
		return condition.Judge(header, tag)
	}
}

// Record is a stored record with its version.
type Record[T any] struct {
	Value   T
	Version int64

	state  history.State
	unsent bool
	// owner is the name of the organisation that owns the record, as it is stored; empty where there is none.
	owner string
	// digest is the digest of the version, as it was read; nil for none.
	digest docstore.Digest
	// size is the length of the body and the state as they are stored.
	size int
	// moved says that Value is another than the stored one: time has moved the state since it was written, or an
	// earlier release has written it without members that it has now.
	moved bool
	// own says that what is written next is what the exchange itself adds, which has room beyond the bound of callers.
	own bool
}

// Size returns the length of the record as it is stored, what is kept with it included, in bytes.
func (r *Record[T]) Size() int { return r.size }

// Owner returns the name of the organisation that owns the record; empty where organisations do not share the exchange.
func (r *Record[T]) Owner() string { return r.owner }

// Pinned returns an index value that was pinned when the record was created.
func (r *Record[T]) Pinned(index string) string { return r.state.Pinned[index] }

// MadeOf returns the id of the record that an action has made this one of; empty if it was made by itself. Only
// resources that declare Resource.MadeOf know it.
func (r *Record[T]) MadeOf() string { return r.state.MadeOf }

// Aside returns what the service has kept with the record since its creation (Draft.Aside), and no caller sees. Every
// change of the record leaves it, but one by a replica of a release that does not have it.
func (r *Record[T]) Aside() jsontext.Value { return r.state.Aside }

// FirstTo returns when an event first put the record into one of the states; the zero time where none did.
func (r *Record[T]) FirstTo(states ...string) time.Time {
	first := r.state.History.FirstTo()
	var earliest time.Time
	for _, s := range states {
		if at, set := first[s]; set && (earliest.IsZero() || at.Before(earliest)) {
			earliest = at
		}
	}
	return earliest
}

// Effect returns from when on what the record says counts, by the last event that has set it; nil where none has.
func (r *Record[T]) Effect() *history.Effect { return r.state.History.Effect }

// CoverEnds returns the instant at which cover ends, where an event has ended it at another one than its own; else the
// zero time.
func (r *Record[T]) CoverEnds() time.Time { return r.state.History.CoverEnds }

// StateUntil returns when the present state gives way to another by itself; the zero time where it does not.
func (r *Record[T]) StateUntil() time.Time {
	if last := r.state.History.LastTransition(); last != nil && !r.moved {
		return last.Until
	}
	return time.Time{}
}

// advance applies the move that time has made by now.
func (r *Record[T]) advance(status func(T) **string, now time.Time) {
	last := r.state.History.LastTransition()
	if status == nil || last == nil || last.Until.IsZero() || now.Before(last.Until) {
		return
	}
	then := last.Then
	*status(r.Value) = &then
	r.moved = true
}

// documents are the stored documents of a resource, as far as they can be read without knowing the type of its
// records. What a generic type does is compiled for each resource; what needs no type is a method of documents, and
// is compiled once.
type documents struct {
	// resource is the name of the resource, and stored that of the collection.
	resource, stored string
	// everybody says that every organisation reads the records; see Resource.Public.
	everybody  bool
	server     *Server
	collection docstore.Collection
	// rights says what organisations may write that do not own it; nil where organisations do not share the exchange.
	rights docstore.Sharing
	log    history.Log
	prefix []byte
	params map[string]param
	// table is what can be searched; nil if nothing can.
	table *search.Table
	// number is the member with the number that the exchange issues, by which lists can be filtered; "" if there is
	// none.
	number string
	// passing are the texts of the status member in the states of Resource.Temporary, as a body has them.
	passing [][]byte
	// complete is the text of the member that each body has which this release writes; nil for none.
	complete []byte
	// begins returns the instant before which nothing of a document counts. It is nil for a resource without
	// Resource.Begins.
	begins func(doc docstore.Document) (time.Time, error)
	// movedBy returns the body of a document as time has moved it by an instant, or as it was completed, and whether it
	// was.
	movedBy func(doc docstore.Document, at time.Time) (body []byte, moved bool, err error)
	// recalled returns the body of a document in which the members that the service itself has altered since an instant
	// are as they were then. set reports whether there is such a member. It is nil for a resource without Recall.
	recalled func(ctx context.Context, doc docstore.Document, at time.Time) (body []byte, set bool, err error)
}

func (r *documents) name() string           { return r.resource }
func (r *documents) collectionName() string { return r.stored }
func (r *documents) shared() bool           { return r.stored != r.resource }

// open takes the collection.
func (r *documents) open(opened docstore.Collection) {
	r.collection = opened
	r.log = history.Log{Resource: r.resource, Formers: opened, Now: r.server.Now, Recalls: r.recalled != nil}
	r.rights = docstore.SharingOf(opened)
}

// Stored returns the collection, for the outbox that sends the messages of its documents.
func (r *documents) Stored() docstore.Collection { return r.collection }

// takeParameters has lists take the parameters of a filter.
func (r *documents) takeParameters(of []param) {
	for _, p := range of {
		r.params[p.name] = p
	}
}
