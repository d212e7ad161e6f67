// Package memorystore is a docstore.Store in memory. It outlives the simulated processes, as a database outlives a
// process that crashes. Every call takes effect at one instant.
package memorystore

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/jsonobject/jsonmember"
	"insurance.example/exchange/pkg/organisation"
)

// Store is a store in memory. The zero value is empty.
type Store struct {
	mu          sync.Mutex
	collections map[string]*collection
	log         changeLog
}

// Collection returns a collection. An existing collection keeps its documents and takes the indexes of spec.
func (s *Store) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	if err := spec.Validate(); err != nil {
		return nil, unavailable(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.collections == nil {
		s.collections = make(map[string]*collection)
	}
	c, found := s.collections[spec.Name]
	if !found {
		c = &collection{log: &s.log}
		s.collections[spec.Name] = c
	}
	c.spec = spec
	return docstore.Decorate(c, s.call), nil
}

// ofTheExchange are the operations that are not done in the name of an organisation.
var ofTheExchange = []string{"unsent", "sent", "changes", "end_of_changes", "owner_after"}

// call makes a call of a collection, which takes effect at once, unless its context has ended.
func (s *Store) call(ctx context.Context, of docstore.Call, do func(context.Context) error) error {
	check := of.Organisation.Check
	if slices.Contains(ofTheExchange, of.Operation) {
		check = of.Organisation.CheckUnnamed
	}
	if err := cmp.Or(check(), ended(ctx)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return do(ctx)
}

// Documents returns what a collection holds, in order of id, with keys.
func (s *Store) Documents(name string) []docstore.Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.collections[name]
	if c == nil {
		return nil
	}
	documents := make([]docstore.Document, len(c.docs))
	for i, doc := range c.docs {
		documents[i] = detached(doc.Document)
	}
	return documents
}

// Marked reports whether a document of a collection has its unsent mark.
func (s *Store) Marked(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.collections[name]
	return c != nil && slices.ContainsFunc(c.docs, func(doc *stored) bool { return doc.Unsent })
}

// Versions returns the bodies of all versions of a document, in order of version.
func (s *Store) Versions(name string, id uuid.UUID) (bodies [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.collections[name]
	at, found := c.search(id)
	if !found {
		return nil
	}
	for _, f := range c.docs[at].formers {
		if f.Version < c.docs[at].Version {
			bodies = append(bodies, bytes.Clone(f.Body))
		}
	}
	return append(bodies, bytes.Clone(c.docs[at].Body))
}

// Ping returns an error only if ctx has ended.
func (s *Store) Ping(ctx context.Context) error { return ended(ctx) }

// Close does nothing: what is stored stays.
func (s *Store) Close() error { return nil }

// unavailable returns an error that wraps ErrUnavailable and its cause.
func unavailable(cause error) error { return fmt.Errorf("%w: %w", docstore.ErrUnavailable, cause) }

// ended returns an error if a context has ended.
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return unavailable(err)
	}
	return nil
}

// collection holds documents in order of id. Its store makes one call at a time.
type collection struct {
	spec docstore.Spec
	docs []*stored
	log  *changeLog
	// least is an id that no settled find has gone beyond.
	least uuid.UUID
}

// stored is a document with its former versions, in order of version.
type stored struct {
	docstore.Document
	formers []docstore.Former
}

// seenBy reports whether an organisation sees the document.
func (s *stored) seenBy(who organisation.ID) bool { return who.All() || s.Owner == who.Name() }

func (c *collection) Insert(_ context.Context, who organisation.ID, doc docstore.Document) error {
	if err := c.spec.CheckWrite(who, doc, nil); err != nil {
		return err
	}
	doc = c.spec.Own(who, doc)
	if bytes.Compare(doc.ID[:], c.least[:]) < 0 {
		return &docstore.PassedError{Least: c.least}
	}
	at, taken := c.search(doc.ID)
	if taken {
		return &docstore.DuplicateError{Index: docstore.IDIndex}
	}
	if err := c.unique(doc); err != nil {
		return err
	}
	doc = detached(doc)
	doc.Version = 1
	c.docs = append(c.docs, nil)
	copy(c.docs[at+1:], c.docs[at:])
	c.docs[at] = &stored{Document: doc}
	c.noteVersion(doc)
	return nil
}

func (c *collection) Get(_ context.Context, who organisation.ID, id uuid.UUID) (docstore.Document, error) {
	at, found := c.search(id)
	if !found || !c.docs[at].seenBy(who) {
		return docstore.Document{}, docstore.ErrNotFound
	}
	return read(c.docs[at].Document), nil
}

func (c *collection) Texts(
	_ context.Context, who organisation.ID, ids []uuid.UUID, member string,
) (map[uuid.UUID]string, error) {
	texts := map[uuid.UUID]string{}
	for _, id := range ids {
		at, found := c.search(id)
		if !found || !c.docs[at].seenBy(who) {
			continue
		}
		if member == "" {
			texts[id] = ""
			continue
		}
		text, err := jsonmember.Text(c.docs[at].Body, member)
		if err != nil {
			return nil, unavailable(err)
		}
		texts[id] = text
	}
	return texts, nil
}

func (c *collection) Replace(
	_ context.Context, who organisation.ID, doc docstore.Document, former *docstore.Former,
) error {
	if err := c.spec.CheckWrite(who, doc, former); err != nil {
		return err
	}
	doc = c.spec.Own(who, doc)
	at, found := c.search(doc.ID)
	if !found || c.docs[at].Owner != doc.Owner || c.docs[at].Version != doc.Version {
		return docstore.ErrStale
	}
	if err := c.unique(doc); err != nil {
		return err
	}
	if former != nil {
		c.docs[at].keep(*former)
	}
	doc = detached(doc)
	doc.Version++
	c.docs[at].Document = doc
	c.noteVersion(doc)
	return nil
}

// KeepFormer keeps a former version and leaves the document as it is: what a Replace leaves that ended half way in a
// store without transactions. It does nothing if the document does not exist.
func (s *Store) KeepFormer(collection string, id uuid.UUID, former docstore.Former) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.collections[collection]
	if at, found := c.search(id); found {
		c.docs[at].keep(former)
	}
}

// keep keeps a former version. It leaves one that is already there: it is the same.
func (s *stored) keep(former docstore.Former) {
	at, kept := slices.BinarySearchFunc(s.formers, former.Version, func(f docstore.Former, version int64) int {
		return cmp.Compare(f.Version, version)
	})
	if kept {
		return
	}
	former.Body, former.State = bytes.Clone(former.Body), bytes.Clone(former.State)
	s.formers = slices.Insert(s.formers, at, former)
}

func (c *collection) Sent(_ context.Context, _ organisation.ID, refs []docstore.Ref) (removed int, err error) {
	for _, ref := range refs {
		if at, found := c.search(ref.ID); found && c.docs[at].Version == ref.Version && c.docs[at].Unsent {
			c.docs[at].Unsent = false
			removed++
		}
	}
	return removed, nil
}

// unique returns a DuplicateError if another document has a value of a unique index that doc has.
func (c *collection) unique(doc docstore.Document) error {
	for _, index := range c.spec.Indexes {
		value, has := doc.Keys[index.Name]
		if !index.Unique || !has {
			continue
		}
		for _, other := range c.docs {
			if taken, has := other.Keys[index.Name]; has && taken == value && other.ID != doc.ID {
				return &docstore.DuplicateError{Index: index.Name}
			}
		}
	}
	return nil
}
