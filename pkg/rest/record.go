package rest

import (
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/rest/history"
)

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
