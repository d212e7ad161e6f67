package sqlitestore

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// receipts is a collection with indexes of both kinds.
var receipts = docstore.Spec{Name: "receipts", Indexes: []docstore.Index{
	{Name: "reverses", Unique: true}, {Name: "policyNumber"}, {Name: "receiptType"}, {Name: "receiptDate"},
}}

// rows is a collection whose index carries amounts.
var rows = docstore.Spec{Name: "receipts", Indexes: []docstore.Index{{Name: "row", Amounts: true}}}

// TestSumsReadOnlyTheirIndexes: no document is read for a sum, nor for the marks of those that are summed.
func TestSumsReadOnlyTheirIndexes(t *testing.T) {
	conn := schema(t, rows)
	for statement, want := range map[string]string{
		addSQL(rows, "row"):      "SEARCH receipts USING COVERING INDEX receipts sums row (k_row=? AND id>?)",
		unsentBySQL(rows, "row"): "SEARCH receipts USING COVERING INDEX receipts unsent by row (k_row=? AND id>?)",
	} {
		if plan := explain(t, conn, statement); !strings.Contains(plan, want) || strings.Contains(plan, "B-TREE") {
			t.Errorf("%s: %s", statement, plan)
		}
	}
}

// TestNoStatementScans asks SQLite for its plans. Every statement finds its rows by an index, so that its cost does
// not grow with the table.
func TestNoStatementScans(t *testing.T) {
	conn := schema(t, receipts)
	sql := statementsOf(receipts)
	for name, statement := range map[string]string{
		"get": sql.get.small, "get of a size": sql.get.size, "get of a large one": sql.get.whole,
		"replace": sql.replace, "rewrite": sql.rewrite, "sent": sql.sent,
	} {
		if plan := explain(t, conn, statement); strings.Contains(plan, "SCAN") || !strings.Contains(plan, "(id=?)") {
			t.Errorf("%s: %s", name, plan)
		}
	}
	for name, want := range map[string]struct{ statement, plan string }{
		"look up": {sql.lookups["reverses"].whole.small,
			"SEARCH receipts USING INDEX receipts unique reverses (k_reverses=?)"},
		"present": {
			sql.present,
			"SCAN asked VIRTUAL TABLE INDEX 1:; SEARCH d USING COVERING INDEX sqlite_autoindex_receipts_1 (id=?)",
		},
		"bodies": {
			sql.bodies,
			"SCAN asked VIRTUAL TABLE INDEX 1:; SEARCH d USING INDEX sqlite_autoindex_receipts_1 (id=?)",
		},
		"former": {sql.former.small,
			"SEARCH receipts history USING INDEX sqlite_autoindex_receipts history_1 (id=? AND version=?)"},
		"formers": {sql.formers,
			"SEARCH receipts history USING INDEX sqlite_autoindex_receipts history_1 (id=? AND version>?)"},
		"former by key": {sql.formerByKey,
			"SEARCH receipts history USING INDEX receipts history by key (id=? AND key=?)"},
	} {
		if plan := explain(t, conn, want.statement); plan != want.plan {
			t.Errorf("%s: %s, want %s", name, plan, want.plan)
		}
	}
	ranged := docstore.Query{Ranges: []docstore.Range{{Index: "receiptDate", From: "a", To: "b"}}, Limit: 1}
	if statement, _ := countSQL(receipts, docstore.Index{Name: "receiptDate"},
		ranged); !strings.Contains(explain(t, conn, statement),
		"SEARCH receipts USING COVERING INDEX receipts by receiptDate (k_receiptDate>? AND k_receiptDate<?)") {
		t.Errorf("count of a range: %s", explain(t, conn, statement))
	}
	for range 2 {
		if plan := explain(t, conn, windowSQL(receipts, ranged)); strings.Contains(plan, "SCAN") ||
			!strings.Contains(plan, "USING COVERING INDEX sqlite_autoindex_receipts_1 (id") {
			t.Errorf("end of a window: %s", plan)
		}
		if statement, _ := denseSQL(columns, receipts, ranged); !strings.HasPrefix(explain(t, conn, statement),
			"SEARCH receipts USING INDEX sqlite_autoindex_receipts_1 (id>? AND id<?)") ||
			strings.Contains(explain(t, conn, statement), "ORDER BY") {
			t.Errorf("find of a dense range: %s", explain(t, conn, statement))
		}
		ranged.Descending = true
	}
	// The index of the unsent marks, which holds nothing else, is read from a place on.
	if plan := explain(t, conn, sql.unsent); plan != "SEARCH receipts USING INDEX receipts unsent (id>?)" {
		t.Errorf("unsent: %s", plan)
	}
	all := shapes(receipts)
	for _, q := range slices.Clone(all) {
		q.Descending = true
		all = append(all, q)
	}
	for _, q := range all {
		statement, _ := findSQL(columns, receipts, q)
		plan := explain(t, conn, statement)
		index := "sqlite_autoindex_receipts_1"
		if lead, ok := receipts.Driving(q); ok {
			index = indexName(receipts.Name, lead)
		}
		if !strings.HasPrefix(plan, "SEARCH receipts USING INDEX "+index+" ") {
			t.Errorf("find %+v: %s", q, plan)
		}
		if sorts, ranged := strings.Contains(plan, "ORDER BY"), len(q.Equal) == 0 && len(q.Ranges) > 0; sorts &&
			!ranged && !leadIsUnique(q) {
			t.Errorf("find %+v sorts: %s", q, plan)
		}
	}
}

// leadIsUnique reports whether the query reads at most one document, so that sorting costs nothing.
func leadIsUnique(q docstore.Query) bool {
	lead, ok := receipts.Driving(q)
	return ok && lead.Unique
}

// shapes returns a query for every combination of conditions: each index is unused, equal to a value, or in a range of
// each kind.
func shapes(spec docstore.Spec) []docstore.Query {
	queries := []docstore.Query{{Limit: 1}}
	for _, index := range spec.Indexes {
		for _, q := range queries {
			equal := docstore.Query{Equal: docstore.Keys{index.Name: "x"}, Ranges: q.Ranges, Limit: 1}
			for name, value := range q.Equal {
				equal.Equal[name] = value
			}
			queries = append(queries, equal)
			for _, r := range []docstore.Range{{From: "a"}, {To: "b"}, {From: "a", To: "b"}, {}} {
				r.Index = index.Name
				ranges := append([]docstore.Range{r}, q.Ranges...)
				queries = append(queries, docstore.Query{Equal: q.Equal, Ranges: ranges, Limit: 1})
			}
		}
	}
	return queries
}

// schema returns a connection to a new database with the table of the spec.
func schema(t *testing.T, spec docstore.Spec) *sqlite3.Conn {
	t.Helper()
	conn, err := connect(filepath.Join(t.TempDir(), "plan.db"), sqlite3.ReadWrite, schemaSQL(spec, nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return conn
}

// explain returns SQLite's plan of the statement.
func explain(t *testing.T, conn *sqlite3.Conn, statement string) string {
	t.Helper()
	return strings.Join(texts(t, conn, "EXPLAIN QUERY PLAN "+statement, 3), "; ")
}

// texts returns a column of all rows of a query.
func texts(t *testing.T, conn *sqlite3.Conn, sql string, column int) []string {
	t.Helper()
	stmt, err := conn.Prepare(sql)
	if err != nil {
		t.Fatal(err)
	}
	defer stmt.Reset()
	var texts []string
	for {
		row, err := stmt.Step()
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if !row {
			return texts
		}
		texts = append(texts, string(stmt.Bytes(column)))
	}
}
