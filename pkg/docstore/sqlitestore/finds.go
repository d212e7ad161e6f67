package sqlitestore

import (
	"sync"

	"insurance.example/exchange/pkg/docstore"
)

// finds are the SQL of the finds that were asked for so far, so that it is not written anew for each: there are few,
// since all finds that name the same indexes, for values of theirs, have the same. Ranges come in more forms, and
// what they cost is not the writing.
type finds struct {
	mu      sync.RWMutex
	written map[form]string
}

// form is what the SQL of a find without ranges depends on.
type form struct {
	withState, descending bool
	indexes               uint64 // those that the find names, by their place in the spec
}

// of returns findSQL for a query, with the texts that it has as parameters.
func (f *finds) of(spec docstore.Spec, q docstore.Query) (sql string, texts []string) {
	if len(q.Ranges) > 0 || len(spec.Indexes) > 64 {
		return findSQL(selectedFor(q), spec, q)
	}
	form := form{withState: q.WithState, descending: q.Descending}
	for i, index := range spec.Indexes {
		if value, ok := q.Equal[index.Name]; ok {
			form.indexes |= 1 << i
			texts = append(texts, value)
		}
	}
	f.mu.RLock()
	sql, ok := f.written[form]
	f.mu.RUnlock()
	if ok {
		return sql, texts
	}
	sql, texts = findSQL(selectedFor(q), spec, q)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.written[form] = sql
	return sql, texts
}
