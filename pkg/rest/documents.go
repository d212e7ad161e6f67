package rest

import (
	"time"

	"insurance.example/exchange/pkg/docstore"
)

// documents are the stored documents of a resource, as far as they can be read without knowing the type of its
// records. What a generic type does is compiled for each resource; what needs no type is a method of documents, and
// is compiled once.
type documents struct {
	// resource is the name of the resource, and stored that of the collection.
	resource, stored string
	server           *Server
	collection       docstore.Collection
	formers          docstore.History
	texts            docstore.Members
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
func (r *documents) open(opened docstore.Collection) (err error) {
	r.collection = opened
	if r.formers, err = docstore.As[docstore.History](opened); err != nil {
		return err
	}
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
