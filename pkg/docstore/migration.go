package docstore

import "fmt"

// The migrations of a collection are numbered: each gives the documents that are there the keys of indexes that were
// added, or that form their values in another way. A store keeps up to which number the documents have got theirs.

// Migration returns the number of the last migration of the collection.
func (s Spec) Migration() (last int) {
	for _, index := range s.Indexes {
		last = max(last, index.Since)
	}
	return last
}

// Labels returns what the store keeps about a migration: each index, and whether it is unique.
func (s Spec) Labels() []string {
	labels := make([]string, len(s.Indexes))
	for i, index := range s.Indexes {
		labels[i] = index.Name
		if index.Unique {
			labels[i] += " unique"
		}
	}
	return labels
}

// CheckMigrated returns an error if the last migration did not have an index of the spec, from its labels: the
// documents lack the keys of that index, and nothing would give them these.
func (s Spec) CheckMigrated(labels []string) error {
	had := map[string]bool{}
	for _, label := range labels {
		had[label] = true
	}
	for i, label := range s.Labels() {
		if s.Keys != nil && !had[label] {
			return fmt.Errorf("docstore: the documents of collection %q have no keys of index %q, which is new: in "+
				"the declaration set Since of the filter, the search field or the unique value with this name to %d",
				s.Name, s.Indexes[i].Name, s.Migration()+1)
		}
	}
	return nil
}

// KeysAnew returns the keys that a stored document is to have by now, as they are stored.
func (s Spec) KeysAnew(doc Document) (Keys, error) {
	keys, err := s.Keys(doc)
	if err == nil {
		err = s.CheckKeys(keys)
	}
	return s.Led(doc.Owner, keys), err
}

// Report tells NoKey about a document that does not get a key.
func (s Spec) Report(doc Document, cause error) {
	if s.NoKey != nil {
		s.NoKey(doc.ID, cause)
	}
}

// The bounds of the documents that a migration reads at a time, and of their bodies and states in bytes, beyond which
// no further one is read.
const (
	MigrationLength = 500
	MigrationSize   = 4 << 20
)
