package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
	"insurance.example/exchange/pkg/organisation"
)

// sight is in whose name is read, and so which documents are seen.
type sight struct {
	kind  sightKind
	owner string // whose documents they are, if they have an owner
}

type sightKind uint8

// The kinds of sight: of all documents, of those without an owner, and of those of one owner.
const (
	all sightKind = iota
	unowned
	owned
	sights
)

func sightOf(who organisation.ID) sight {
	switch {
	case who.All():
		return sight{kind: all}
	case who.Name() == "":
		return sight{kind: unowned}
	default:
		return sight{owned, who.Name()}
	}
}

// bind binds the owner, if there is one, to a parameter.
func (by sight) bind(stmt *sqlite3.Stmt, parameter int) {
	if by.kind == owned {
		stmt.BindText(parameter, by.owner)
	}
}

// conditionSQL writes the condition that a document is seen, and returns the texts with the owner behind them, which is
// the parameter after theirs. An index that leads to the documents of one owner may be followed by a look at the
// document. Of a global one, which leads to those of others too, the index of the owners is asked instead: what is
// behind a large body in a row takes long to read.
func (by sight) conditionSQL(collection string, global bool, texts []string) (sql string, with []string) {
	switch {
	case by.kind == all:
		return "", texts
	case by.kind == unowned:
		return ` AND owner IS NULL`, texts
	case global:
		sql = ownsSQL(collection, quoted(collection)+`.id`, 2+len(texts))
	default:
		sql = fmt.Sprintf(` AND owner = ?%d`, 2+len(texts))
	}
	return sql, append(texts, by.owner)
}

// ownsSQL writes the condition that the index of the owners has a document, whose id an expression gives, for an owner,
// who is a parameter. SQLite would make a join of EXISTS, and then sort what an index has in order.
func ownsSQL(collection, id string, parameter int) string {
	return fmt.Sprintf(` AND (SELECT 1 FROM %s AS o INDEXED BY %s WHERE o.owner = ?%d AND o.id = %s) IS NOT NULL`,
		quoted(collection), quoted(ownedIndex(collection)), parameter, id)
}

// reads are the SQL that reads a document or several by their ids, and former versions.
type reads struct {
	get, former string
	// present and bodies take a list of ids in JSON, each in hexadecimal digits, and look them up one after the
	// other: for id IN (...) SQLite would first make an index of them, which takes as long as the rest.
	present, bodies      string
	formers, formerByKey string
}

// readsOf writes the SQL for a kind of sight. The owner is parameter 3 of those of the former versions, and 2 of the
// others.
func readsOf(spec docstore.Spec, kind sightKind) reads {
	table, history := quoted(spec.Name), quoted(historyTable(spec.Name))
	// What follows is for a document, for each of several, and for a former version.
	get, each, kept := ` FROM `+table+` WHERE id = ?1`, table+` AS d ON d.id = unhex(asked.value)`, ""
	switch kind {
	case all:
	case unowned:
		get += ` AND owner IS NULL`
		each += ` AND d.owner IS NULL`
		kept = fmt.Sprintf(` AND NOT EXISTS (SELECT 1 FROM %s AS o WHERE o.id = ?1 AND o.owner IS NOT NULL)`, table)
	case owned:
		index := quoted(ownedIndex(spec.Name))
		get = fmt.Sprintf(` FROM %s INDEXED BY %s WHERE owner = ?2 AND id = ?1`, table, index)
		each = fmt.Sprintf(`%s AS d INDEXED BY %s ON d.owner = ?2 AND d.id = unhex(asked.value)`, table, index)
		kept = ownsSQL(spec.Name, `?1`, 3)
	}
	each = ` FROM json_each(?1) AS asked CROSS JOIN ` + each
	return reads{
		get:     `SELECT ` + columns + get,
		present: `SELECT d.id` + each,
		bodies:  `SELECT d.id, d.body` + each,
		former:  fmt.Sprintf(`SELECT %s, body FROM %s WHERE id = ?1 AND version = ?2%s`, formerColumns, history, kept),
		formers: fmt.Sprintf(`SELECT %s FROM %s WHERE id = ?1 AND version > ?2%s ORDER BY version LIMIT ?4`,
			bodilessColumns, history, kept),
		formerByKey: fmt.Sprintf(`SELECT %s FROM %s INDEXED BY %s WHERE id = ?1 AND key = ?2%s
			ORDER BY version DESC LIMIT 1`, bodilessColumns, history, quoted(formerKeyIndex(spec.Name)), kept),
	}
}

// finds keeps the SQL of the finds that were asked for so far, so that it is not written anew for each. There are few
// texts, since all finds that name the same indexes have the same one, whatever the values. Finds with ranges have
// more forms and are not kept: writing their SQL is little of what they cost.
type finds struct{ written sync.Map } // of form to string

// form is what the SQL of a find without ranges depends on.
type form struct {
	withState, descending bool
	kind                  sightKind
	indexes               uint64 // those that the find names, by their place in the spec
}

// of returns findSQL for a query, with the texts that it has as parameters.
func (f *finds) of(spec docstore.Spec, by sight, q docstore.Query) (sql string, texts []string) {
	if len(q.Ranges) > 0 || len(spec.Indexes) > 64 {
		return findSQL(selectedFor(q), spec, by, q, false)
	}
	form := form{withState: q.WithState, descending: q.Descending, kind: by.kind}
	for i, index := range spec.Indexes {
		if value, ok := q.Equal[index.Name]; ok {
			form.indexes |= 1 << i
			texts = append(texts, value)
		}
	}
	if by.kind == owned {
		texts = append(texts, by.owner)
	}
	if sql, ok := f.written.Load(form); ok {
		return sql.(string), texts
	}
	sql, texts = findSQL(selectedFor(q), spec, by, q, false)
	f.written.Store(form, sql)
	return sql, texts
}

// ownerAfter is the SQL that returns the first of the owners of a collection's documents after a name.
func ownerAfter(collection string) string {
	return fmt.Sprintf(`SELECT owner FROM %s INDEXED BY %s WHERE owner IS NOT NULL AND owner > ?1
		ORDER BY owner LIMIT 1`,
		quoted(collection), quoted(ownedIndex(collection)))
}

func (c *collection) OwnerAfter(ctx context.Context, who organisation.ID, after string) (owner string, err error) {
	if err := who.CheckUnnamed(); err != nil {
		return "", err
	}
	owner, err = one(ctx, c.store.reads.brief, ownerAfter(c.spec.Name), func(stmt *sqlite3.Stmt) {
		stmt.BindText(1, after)
	}, func(stmt *sqlite3.Stmt) string { return string(stmt.Bytes(0)) })
	if errors.Is(err, docstore.ErrNotFound) {
		return "", nil
	}
	return owner, err
}
