package docstore

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// name is what databases of both sorts take as a name without quoting, and what cannot be confused with their own.
var name = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]*$`)

// Validate tells whether a store can make the collection: its names are plain and no two indexes share one, upper and
// lower case being the same to some databases.
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

// Has tells whether the collection has an index of this name.
func (s Spec) Has(index string) bool {
	for _, candidate := range s.Indexes {
		if candidate.Name == index {
			return true
		}
	}
	return false
}

// CheckKeys refuses keys that no index of the collection holds: they would be lost without a word.
func (s Spec) CheckKeys(keys Keys) error {
	for index := range keys {
		if !s.Has(index) {
			return fmt.Errorf("docstore: collection %q has no index %q", s.Name, index)
		}
	}
	return nil
}

// CheckQuery refuses a query that the collection's indexes cannot answer, and one without a limit.
func (s Spec) CheckQuery(q Query) error {
	if q.Limit < 1 {
		return errors.New("docstore: a find needs a limit")
	}
	if q.Skip < 0 {
		return errors.New("docstore: a find cannot skip fewer than no documents")
	}
	if err := s.CheckKeys(q.Equal); err != nil {
		return err
	}
	for _, r := range q.Ranges {
		if !s.Has(r.Index) {
			return fmt.Errorf("docstore: collection %q has no index %q", s.Name, r.Index)
		}
	}
	return nil
}

// Lead answers the index that a store uses to answer the query, the other conditions being checked on what it finds:
// the first in the order of the Spec that the query wants equal to a value, else the first of a range. Without either
// the collection is read in order of id, and the answer is false.
func (s Spec) Lead(q Query) (Index, bool) {
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
