package sqlitestore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// columns are the columns that every read selects, in the order in which document reads them.
const columns = `id, version, body, state, unsent, digest, owner`

// stateless are the same columns with NULL in place of the state and the digest.
const stateless = `id, version, body, NULL, unsent, NULL, owner`

// selectedFor returns the columns that a find selects.
func selectedFor(q docstore.Query) string {
	if q.WithState {
		return columns
	}
	return stateless
}

// statements are the SQL of a collection, except that of its other finds.
type statements struct {
	finds *finds
	// seen are the reads of all documents, of those without an owner, and of those of one owner.
	seen         [sights]reads
	unsent       string
	insert, sent string
	// replace is for a document whose keys change, rewrite for one whose keys stay. owns says whether the document
	// with an id, the first parameter, has an owner.
	replace, rewrite, owns string
	// keep writes a former version.
	keep string
	// rekey gives a document its keys, unless it has them.
	rekey string
}

// statementsOf writes the SQL of a collection. The parameters of insert, replace and rewrite are, in this order: id,
// body, state, unsent, digest, owner, the keys in the order of the spec, and for the latter two the version that is
// replaced. Those of rekey are the id and the keys.
func statementsOf(spec docstore.Spec) statements {
	table, history := quoted(spec.Name), quoted(historyTable(spec.Name))
	// keys writes the same for each key, of its column and of its parameter.
	keys := func(format string, first int) string {
		var b strings.Builder
		for i, index := range spec.Indexes {
			fmt.Fprintf(&b, format, keyColumn(index.Name), first+i)
		}
		return b.String()
	}
	const assigned, unchanged = ", %s = ?%d", " AND %s IS ?%d"
	update := fmt.Sprintf(
		`UPDATE %s SET version = version + 1, body = ?2, state = ?3, unsent = ?4, digest = ?5%%s
			WHERE id = ?1 AND version = ?%d AND owner IS ?6%%s`, table, firstKey+len(spec.Indexes))
	return statements{
		finds: &finds{},
		seen:  [sights]reads{readsOf(spec, all), readsOf(spec, unowned), readsOf(spec, owned)},
		owns: fmt.Sprintf(`SELECT 1 FROM %s INDEXED BY %s WHERE owner = ?2 AND id = ?1`, table,
			quoted(ownedIndex(spec.Name))),
		unsent: fmt.Sprintf(`SELECT %s FROM %s INDEXED BY %s WHERE unsent = 1 AND id > ?1 ORDER BY id LIMIT ?2`,
			columns, table, quoted(unsentIndex(spec.Name))),
		insert: fmt.Sprintf(`INSERT INTO %s (id, version, digest, owner, body, state, unsent%s)
			VALUES (?1, 1, ?5, ?6, ?2, ?3, ?4%s)`, table, keys(", %[1]s", firstKey), keys(", ?%[2]d", firstKey)),
		replace: fmt.Sprintf(update, keys(assigned, firstKey), ""),
		rewrite: fmt.Sprintf(update, "", keys(unchanged, firstKey)),
		sent:    fmt.Sprintf(`UPDATE %s SET unsent = 0 WHERE id = ?1 AND version = ?2 AND unsent = 1`, table),
		// A former version never changes, so one that is there already is this one.
		keep: fmt.Sprintf(`INSERT INTO %s (id, version, key, state, body, digest) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
			ON CONFLICT (id, version) DO NOTHING`, history),
		rekey: fmt.Sprintf(`UPDATE %s SET id = id%s WHERE id = ?1 AND NOT (1%s)`, table,
			keys(assigned, firstRekeyed), keys(unchanged, firstRekeyed)),
	}
}

// firstKey is the parameter that takes the first key, firstRekeyed the one of rekey.
const (
	firstKey     = 7
	firstRekeyed = 2
)

// findSQL writes the query with a parameter for each of its values, and returns the texts among them, which are
// parameters 2 and so on. Parameter 1 is the id to begin after; the two that follow the texts are limit and skip. A
// dense one goes through the documents in order of id, up to the one whose id is the last parameter.
func findSQL(selected string, spec docstore.Spec, by sight, q docstore.Query, dense bool) (sql string, texts []string) {
	table, prefix := quoted(spec.Name), ""
	lead, ok := spec.Driving(q)
	if dense {
		lead, ok, prefix = docstore.Index{}, false, "+" // a column with a plus sign is not looked up in an index
	}
	switch {
	case ok:
		// Without statistics SQLite would guess the index; the spec determines it. If the index does not fit, the
		// statement fails instead of scanning the table.
		table += ` INDEXED BY ` + quoted(indexName(spec.Name, lead))
	case by.kind == owned:
		table += ` INDEXED BY ` + quoted(ownedIndex(spec.Name))
	}
	conditions, texts := conditionsSQL(spec, q, prefix)
	seen, texts := by.conditionSQL(spec.Name, lead.Global, texts)
	o, next := orderOf(q), 2+len(texts)
	if dense {
		seen = fmt.Sprintf(` AND id %s ?%d%s`, o.until, next+2, seen)
	}
	return fmt.Sprintf(`SELECT %s FROM %s WHERE id %s ?1%s%s ORDER BY id %s LIMIT ?%d OFFSET ?%d`, selected, table,
		o.beyond, seen, conditions, o.by, next, next+1), texts
}

// order is the SQL of an order of ids: the comparison with the id to begin after, that with the last id, and the order
// itself; last is an id that none comes after.
type order struct {
	beyond, until, by string
	last              uuid.UUID
}

func orderOf(q docstore.Query) order {
	if q.Descending {
		return order{"<", ">=", "DESC", uuid.Nil}
	}
	return order{">", "<=", "ASC", uuid.Max}
}

// conditionsSQL writes the conditions of a query on the keys, each column with a prefix, and returns their texts,
// which are parameters 2 and so on.
func conditionsSQL(spec docstore.Spec, q docstore.Query, prefix string) (sql string, texts []string) {
	var b strings.Builder
	condition := func(index, operator, value string) {
		texts = append(texts, value)
		fmt.Fprintf(&b, ` AND %s%s %s ?%d`, prefix, keyColumn(index), operator, 1+len(texts))
	}
	for _, index := range spec.Indexes {
		if value, ok := q.Equal[index.Name]; ok {
			condition(index.Name, "=", value)
		}
	}
	for _, r := range q.Ranges {
		// Without any bound this condition still leaves out the documents that the index does not hold.
		condition(r.Index, ">=", r.From)
		if r.To != "" {
			condition(r.Index, "<=", r.To)
		}
	}
	return b.String(), texts
}

// schemaSQL returns the statements that bring the tables of the collection up to the spec. has are the columns of the
// table, and kept are those of the table of its former versions, none if there is no table.
func schemaSQL(spec docstore.Spec, has, kept []string) []string {
	table, history := quoted(spec.Name), quoted(historyTable(spec.Name))
	sql := []string{
		fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %s (id BLOB PRIMARY KEY NOT NULL, version INTEGER NOT NULL,
			digest BLOB, owner TEXT, body TEXT NOT NULL, state TEXT, unsent INTEGER NOT NULL) STRICT`, table),
		// Only unsent documents are in this index, which at any time are few.
		fmt.Sprintf(`CREATE INDEX IF NOT EXISTS %s ON %s (id) WHERE unsent = 1`, quoted(unsentIndex(spec.Name)), table),
		// A table with row ids, although its rows are found by their key: such a table packs rows of some kilobytes,
		// where one without gives each a page of its own. So a change writes a quarter less, and the file grows by a
		// third as much. The body comes last, so that a read of the other columns does not read the pages of a large
		// body.
		fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %s (id BLOB NOT NULL, version INTEGER NOT NULL, key TEXT, digest BLOB,
			state TEXT, body TEXT NOT NULL, PRIMARY KEY (id, version)) STRICT`, history),
		fmt.Sprintf(`CREATE INDEX IF NOT EXISTS %s ON %s (id, key, version) WHERE key IS NOT NULL`,
			quoted(formerKeyIndex(spec.Name)), history),
	}
	// Columns that earlier releases did not have.
	for _, added := range []struct {
		to           []string
		table        string
		column, kind string
	}{{has, table, digestColumn, "BLOB"}, {has, table, ownerColumn, "TEXT"}, {kept, history, digestColumn, "BLOB"}} {
		if len(added.to) > 0 && !slices.Contains(added.to, added.column) {
			sql = append(sql, fmt.Sprintf(`ALTER TABLE %s ADD COLUMN %s %s`, added.table, added.column, added.kind))
		}
	}
	sql = append(sql,
		// Only documents with an owner are in this index.
		fmt.Sprintf(`CREATE INDEX IF NOT EXISTS %s ON %s (owner, id) WHERE owner IS NOT NULL`,
			quoted(ownedIndex(spec.Name)), table))
	for _, index := range spec.Indexes {
		sql = append(sql, indexSQL(spec.Name, index, has)...)
	}
	return sql
}

// indexSQL returns the statements that bring an index up to the spec. has are the columns of the table.
func indexSQL(collection string, index docstore.Index, has []string) []string {
	table, column := quoted(collection), keyColumn(index.Name)
	var sql []string
	if !slices.Contains(has, column) {
		sql = append(sql, fmt.Sprintf(`ALTER TABLE %s ADD COLUMN %s TEXT`, table, column))
	}
	other := docstore.Index{Name: index.Name, Unique: !index.Unique}
	// The last two are what a release had that kept amounts in an index.
	for _, name := range []string{indexName(collection, other), collection + " sums " + index.Name,
		collection + " unsent by " + index.Name} {
		sql = append(sql, `DROP INDEX IF EXISTS `+quoted(name))
	}
	// A document without the key is not in the index, so it collides with no other. The id comes second, so that the
	// documents with one key are found in order of id.
	definition := `CREATE INDEX IF NOT EXISTS %s ON %s (%s, id) WHERE %[3]s IS NOT NULL`
	if index.Unique {
		definition = `CREATE UNIQUE INDEX IF NOT EXISTS %s ON %s (%s) WHERE %[3]s IS NOT NULL`
	}
	return append(sql, fmt.Sprintf(definition, quoted(indexName(collection, index)), table, column))
}

// keyColumn is the column of an index's values. The prefix keeps it apart from the columns every table has.
func keyColumn(index string) string { return "k_" + index }

// digestColumn is the column of the digests. A release without them leaves it as it is.
const digestColumn = "digest"

// indexName returns the name of an index. A unique index and a plain one have different names, so that a change of the
// spec creates another index.
func indexName(collection string, index docstore.Index) string {
	if index.Unique {
		return collection + " unique " + index.Name
	}
	return collection + " by " + index.Name
}

// historyTable is the table of a collection's former versions. The names of collections have no blank.
func historyTable(collection string) string { return collection + " history" }

func formerKeyIndex(collection string) string { return historyTable(collection) + " by key" }

func unsentIndex(collection string) string { return collection + " unsent" }

// ownerColumn is the column of the owners, and ownedIndex the index of the documents that have one.
const ownerColumn = "owner"

func ownedIndex(collection string) string { return collection + " owned" }

func quoted(name string) string { return `"` + name + `"` }
