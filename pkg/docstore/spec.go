package docstore

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"insurance.example/exchange/pkg/organisation"
)

// name is what databases of both sorts take as a name without quoting, and what cannot be confused with their own.
var name = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]*$`)

// Validate returns an error if the names of the collection and its indexes are not made as Index.Name says, or if two
// indexes have the same name. Names that differ only in case are the same, because some databases do not tell them
// apart.
func (s Spec) Validate() error {
	if !name.MatchString(s.Name) {
		return fmt.Errorf("docstore: %q cannot name a collection", s.Name)
	}
	seen := map[string]bool{strings.ToLower(IDIndex): true}
	for _, index := range s.Indexes {
		folded := strings.ToLower(index.Name)
		if !name.MatchString(index.Name) || seen[folded] {
			return fmt.Errorf("docstore: %q cannot name another index of collection %q", index.Name, s.Name)
		}
		seen[folded] = true
	}
	return nil
}

// Has reports whether the collection has an index of this name.
func (s Spec) Has(index string) bool {
	_, has := s.index(index)
	return has
}

// index returns the index of a name. ok is false if the collection has none.
func (s Spec) index(named string) (index Index, ok bool) {
	for _, candidate := range s.Indexes {
		if candidate.Name == named {
			return candidate, true
		}
	}
	return Index{}, false
}

// CheckKeys returns an error if a key has the name of no index of the collection: it would be lost.
func (s Spec) CheckKeys(keys Keys) error {
	for index := range keys {
		if !s.Has(index) {
			return fmt.Errorf("docstore: collection %q has no index %q", s.Name, index)
		}
	}
	return nil
}

// CheckWrite returns an error if a document cannot be written: organisation.ErrNobody in nobody's name, ErrTooLarge if
// it is larger than MaxSize, and one that wraps ErrUnavailable if a key has the name of no index, if the owner has no
// name that an organisation may have, or if former, which may be nil, is not the version to be replaced.
func (s Spec) CheckWrite(who organisation.ID, doc Document, former *Former) error {
	if err := who.Check(); err != nil {
		return err
	}
	if len(doc.Body)+len(doc.State) > MaxSize {
		return ErrTooLarge
	}
	if former != nil && former.Version != doc.Version {
		return fmt.Errorf(
			"%w: the former version of a document of collection %q is %d, and version %d is to be replaced",
			ErrUnavailable, s.Name, former.Version, doc.Version)
	}
	if err := s.CheckKeys(doc.Keys); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if doc.Owner != "" {
		if _, err := organisation.Named(doc.Owner); err != nil {
			return fmt.Errorf("%w: the owner of a document: %w", ErrUnavailable, err)
		}
	}
	return nil
}

// CheckQuery returns an error if a query names an index that the collection lacks, asks for a range of a unique
// index, has no limit, or skips fewer than no documents.
func (s Spec) CheckQuery(q Query) error {
	if q.Limit < 1 {
		return errors.New("docstore: a find needs a limit")
	}
	if q.Skip < 0 || q.Bytes < 0 {
		return errors.New("docstore: a find cannot skip fewer than no documents, or read fewer than no bytes")
	}
	if q.Near && q.Skip > 0 {
		return errors.New("docstore: a find that is near skips no documents")
	}
	if err := s.CheckKeys(q.Equal); err != nil {
		return err
	}
	for _, r := range q.Ranges {
		index, has := s.index(r.Index)
		if !has {
			return fmt.Errorf("docstore: collection %q has no index %q", s.Name, r.Index)
		}
		if index.Unique || index.Global {
			return fmt.Errorf("docstore: the unique or global index %q of collection %q has no ranges", r.Index, s.Name)
		}
	}
	return nil
}

// Driving returns the index that a store reads to find the documents of a query; it compares the other conditions
// document by document. It is the first index of the Spec for which the query has an equal value, else the first for
// which it has a range. ok is false if the query has neither: the store then reads the collection in order of id.
func (s Spec) Driving(q Query) (index Index, ok bool) {
	for _, index := range s.Indexes {
		if _, ok := q.Equal[index.Name]; ok {
			return index, true
		}
	}
	for _, index := range s.Indexes {
		for _, r := range q.Ranges {
			if r.Index == index.Name {
				return index, true
			}
		}
	}
	return Index{}, false
}

// The keys of a document with an owner are led by the name of the owner, except in global indexes and in public
// collections. So each organisation has a part of every index to itself: what is unique is so within it, and a find
// reads nothing of the others. A document without an owner has its keys as they are.

// ownerEnds separates the name of the owner from the value of a key. No name has it, and pastOwner comes after it.
const ownerEnds, pastOwner = "\x1f", "\x20"

// Own returns a document as it is stored when it is written in an organisation's name: with its owner, and with the
// keys that are led by that.
func (s Spec) Own(who organisation.ID, doc Document) Document {
	if !who.All() {
		doc.Owner = who.Name()
	}
	doc.Keys = s.Led(doc.Owner, doc.Keys)
	return doc
}

// Led returns the keys of a document as they are stored for an owner, the empty one for none.
func (s Spec) Led(owner string, keys Keys) Keys {
	if owner == "" || keys == nil || s.Public {
		return keys
	}
	led := make(Keys, len(keys))
	for name, value := range keys {
		if index, _ := s.index(name); !index.Global {
			value = owner + ownerEnds + value
		}
		led[name] = value
	}
	return led
}

// Within returns a query as it selects what is stored in the part of the indexes that an organisation has. That of an
// organisation without a name, and that of the exchange, is the part of the documents without an owner.
func (s Spec) Within(who organisation.ID, q Query) Query {
	owner := who.Name()
	if owner == "" || s.Public {
		return q
	}
	q.Equal = s.Led(owner, q.Equal)
	ranges := make([]Range, len(q.Ranges))
	for i, r := range q.Ranges {
		if r.To != "" {
			r.To = owner + ownerEnds + r.To
		} else {
			r.To = owner + pastOwner
		}
		r.From = owner + ownerEnds + r.From
		ranges[i] = r
	}
	q.Ranges = ranges
	return q
}
