package rest

import (
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest/history"
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

// Record is a stored record with its version.
type Record[T any] struct {
	Value   T
	Version int64

	state  history.State
	unsent bool
	// size is the length of the body and the state as they are stored.
	size int
	// moved says that time has moved the state since it was written; Value shows the state of now.
	moved bool
}

// Size returns the length of the record as it is stored, what is kept with it included, in bytes.
func (r *Record[T]) Size() int { return r.size }

// Pinned returns an index value that was pinned when the record was created.
func (r *Record[T]) Pinned(index string) string { return r.state.Pinned[index] }

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

// StateUntil returns when the present state gives way to another by itself; the zero time where it does not.
func (r *Record[T]) StateUntil() time.Time {
	if last := r.state.History.LastTransition(); last != nil && !r.moved {
		return last.Until
	}
	return time.Time{}
}

// advance applies the move that time has made by now.
func (r *Record[T]) advance(status func(*T) **string, now time.Time) {
	last := r.state.History.LastTransition()
	if status == nil || last == nil || last.Until.IsZero() || now.Before(last.Until) {
		return
	}
	then := last.Then
	*status(&r.Value) = &then
	r.moved = true
}

// documents are the stored documents of a resource, as far as they can be read without knowing the type of its
// records. What a generic type does is compiled for each resource; what needs no type is a method of documents, and
// is compiled once.
type documents struct {
	// resource is the name of the resource, and stored that of the collection.
	resource, stored string
	server           *Server
	collection       docstore.Collection
	texts            docstore.Members
	log              history.Log
	prefix           []byte
	params           map[string]param
	// passing are the texts of the status member in the states of Resource.Temporary, as a body has them.
	passing [][]byte
	// movedBy returns the body of a document as time has moved it by an instant, and whether it has.
	movedBy func(doc docstore.Document, at time.Time) (body []byte, moved bool, err error)
}

func (r *documents) name() string           { return r.resource }
func (r *documents) collectionName() string { return r.stored }
func (r *documents) shared() bool           { return r.stored != r.resource }

// open takes the collection. Errors: the store lacks a capability that every resource needs.
func (r *documents) open(opened docstore.Collection) error {
	formers, err := docstore.As[docstore.History](opened)
	if err != nil {
		return err
	}
	r.collection, r.log = opened, history.Log{Resource: r.resource, Formers: formers, Now: r.server.Now}
	r.texts, err = docstore.As[docstore.Members](opened)
	return err
}

// Stored returns the collection, for the outbox that sends the messages of its documents.
func (r *documents) Stored() docstore.Collection { return r.collection }

// takeParameters has lists take the parameters of a filter.
func (r *documents) takeParameters(of []param) {
	for _, p := range of {
		r.params[p.name] = p
	}
}
