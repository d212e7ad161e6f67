package backfill

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"insurance.example/exchange/pkg/docstore"
)

// Labels returns the indexes of a collection as texts that differ by name, kind and form, in order. An index that has a
// form has two labels. A release that knows no form finds its own label so, and leaves the documents as they are.
func Labels(spec docstore.Spec) []string {
	var labels []string
	for _, index := range spec.Indexes {
		labels = append(labels, Label(index))
		if index.Form != "" {
			index.Form = ""
			labels = append(labels, Label(index))
		}
	}
	slices.Sort(labels)
	return labels
}

// Label returns the label of an index.
func Label(index docstore.Index) string {
	switch {
	case index.Form != "":
		return index.Name + " form " + index.Form
	case index.Unique:
		return index.Name + " unique"
	default:
		return index.Name
	}
}

// Union returns the labels of both, in order, each once.
func Union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// Stamp returns what a document carries that was written with the keys of these indexes: a digest of their labels.
func Stamp(labels []string) string {
	// No label has a line feed. 48 bits tell apart the few sets of indexes that a collection ever has.
	sum := sha256.Sum256([]byte(strings.Join(labels, "\n")))
	return hex.EncodeToString(sum[:6])
}
