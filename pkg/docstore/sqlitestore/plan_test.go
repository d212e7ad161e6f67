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
	{Name: "reverses", Unique: true, Global: true}, {Name: "policyNumber"}, {Name: "receiptType"},
	{Name: "receiptDate"},
}}

// rows is a collection that the exchange reads by an index with the documents of all.
var rows = docstore.Spec{Name: "receipts", Indexes: []docstore.Index{{Name: "row", Global: true}}}

// TestASecondStartChangesNothing: what is there is not made again, which would cost the reading of the table.
func TestASecondStartChangesNothing(t *testing.T) {
	for _, spec := range []docstore.Spec{receipts, rows} {
		conn := schema(t, spec)
		has, err := tableColumns(conn, spec.Name)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := tableColumns(conn, historyTable(spec.Name))
		if err != nil {
			t.Fatal(err)
		}
		before := texts(t, conn, "PRAGMA schema_version", 0)
		for _, sql := range schemaSQL(spec, has, kept) {
			if err := conn.Exec(sql); err != nil {
				t.Fatal(err)
			}
		}
		if after := texts(t, conn, "PRAGMA schema_version", 0); !slices.Equal(after, before) {
			t.Errorf("%s: the schema was %v and is %v", spec.Indexes[0].Name, before, after)
		}
	}
}

// TestNoStatementScans asks SQLite for its plans. Every statement finds its rows by an index, so that its cost does
// not grow with the table.
func TestNoStatementScans(t *testing.T) {
	conn := schema(t, receipts)
	sql := statementsOf(receipts)
	for name, statement := range map[string]string{"replace": sql.replace, "rewrite": sql.rewrite, "sent": sql.sent} {
		if plan := explain(t, conn, statement); strings.Contains(plan, "SCAN") || !strings.Contains(plan, "(id=?)") {
			t.Errorf("%s: %s", name, plan)
		}
	}
	// The index of the unsent marks, which holds nothing else, is read from a place on.
	if plan := explain(t, conn, sql.unsent); plan != "SEARCH receipts USING INDEX receipts unsent (id>?)" {
		t.Errorf("unsent: %s", plan)
	}
	for _, by := range []sight{{kind: all}, {kind: unowned}, {owned, "acme"}} {
		scansNothing(t, conn, by, sql.seen[by.kind])
		for _, q := range shapes(receipts) {
			findsByIndex(t, conn, by, q)
			q.Descending = true
			findsByIndex(t, conn, by, q)
		}
	}
}

// The plans of what is asked of the index of the owners.
const (
	asksOwner = "; CORRELATED SCALAR SUBQUERY 1; " +
		"SEARCH o USING COVERING INDEX receipts owned (owner=? AND id=?)"
	asksOwnerOnce = "; SCALAR SUBQUERY 1; SEARCH o USING COVERING INDEX receipts owned (owner=? AND id=?)"
	asksUnowned   = "; SCALAR SUBQUERY 1; SEARCH o USING INDEX sqlite_autoindex_receipts_1 (id=?)"
)

// scansNothing checks the reads of one kind of sight, except finds.
func scansNothing(t *testing.T, conn *sqlite3.Conn, by sight, sql reads) {
	get, each := "SEARCH receipts USING INDEX sqlite_autoindex_receipts_1 (id=?)",
		"SEARCH d USING INDEX sqlite_autoindex_receipts_1 (id=?)"
	present, number, former := each, "", ""
	switch by.kind {
	case all:
		present = strings.Replace(each, "USING INDEX", "USING COVERING INDEX", 1)
	case unowned:
		former = asksUnowned
	case owned:
		get = "SEARCH receipts USING INDEX receipts owned (owner=? AND id=?)"
		each = "SEARCH d USING INDEX receipts owned (owner=? AND id=?)"
		present = strings.Replace(each, "USING INDEX", "USING COVERING INDEX", 1)
		number, former = asksOwner, asksOwnerOnce
	}
	const list = "SCAN asked VIRTUAL TABLE INDEX 1:; "
	lookUp, _ := findSQL(columns, receipts, by, docstore.Query{Equal: docstore.Keys{"reverses": "x"}}, false)
	for name, want := range map[string]struct{ statement, plan string }{
		"get":         {sql.get, get},
		"find of one": {lookUp, "SEARCH receipts USING INDEX receipts unique reverses (k_reverses=?)" + number},
		"present":     {sql.present, list + present},
		"bodies":      {sql.bodies, list + each},
		"former": {sql.former,
			"SEARCH receipts history USING INDEX sqlite_autoindex_receipts history_1 (id=? AND version=?)" + former},
		"formers": {sql.formers,
			"SEARCH receipts history USING INDEX sqlite_autoindex_receipts history_1 (id=? AND version>?)" + former},
		"former by key": {sql.formerByKey,
			"SEARCH receipts history USING INDEX receipts history by key (id=? AND key=?)" + former},
	} {
		if plan := explain(t, conn, want.statement); plan != want.plan {
			t.Errorf("%s of kind %d: %s, want %s", name, by.kind, plan, want.plan)
		}
	}
	ranged := docstore.Query{Ranges: []docstore.Range{{Index: "receiptDate", From: "a", To: "b"}}, Limit: 1}
	if statement, _ := countSQL(receipts, docstore.Index{Name: "receiptDate"},
		ranged); !strings.Contains(explain(t, conn, statement),
		"SEARCH receipts USING COVERING INDEX receipts by receiptDate (k_receiptDate>? AND k_receiptDate<?)") {
		t.Errorf("count of a range: %s", explain(t, conn, statement))
	}
	order, leads, window := "sqlite_autoindex_receipts_1", "(", sight{kind: all}
	if by.kind == owned {
		order, leads, window = "receipts owned", "(owner=? AND ", by
	}
	for range 2 {
		end, _ := findSQL(`id`, receipts, window, docstore.Query{Descending: ranged.Descending}, false)
		if plan := explain(t, conn, end); strings.Contains(plan, "SCAN") ||
			!strings.Contains(plan, "USING COVERING INDEX "+order+" "+leads+"id") {
			t.Errorf("end of a window of kind %d: %s", by.kind, plan)
		}
		if statement, _ := findSQL(columns, receipts, by, ranged, true); !strings.HasPrefix(explain(t, conn, statement),
			"SEARCH receipts USING INDEX "+order+" "+leads+"id>? AND id<?)") ||
			strings.Contains(explain(t, conn, statement), "ORDER BY") {
			t.Errorf("find of a dense range of kind %d: %s", by.kind, explain(t, conn, statement))
		}
		ranged.Descending = true
	}
}

// findsByIndex checks a find.
func findsByIndex(t *testing.T, conn *sqlite3.Conn, by sight, q docstore.Query) {
	t.Helper()
	statement, _ := findSQL(columns, receipts, by, q, false)
	plan := explain(t, conn, statement)
	index := "sqlite_autoindex_receipts_1"
	if lead, ok := receipts.Driving(q); ok {
		index = indexName(receipts.Name, lead)
	} else if by.kind == owned {
		index = ownedIndex(receipts.Name)
	}
	if !strings.HasPrefix(plan, "SEARCH receipts USING INDEX "+index+" ") {
		t.Errorf("find %+v of kind %d: %s", q, by.kind, plan)
	}
	if sorts, ranged := strings.Contains(plan, "ORDER BY"), len(q.Equal) == 0 && len(q.Ranges) > 0; sorts &&
		!ranged && !leadIsUnique(q) {
		t.Errorf("find %+v of kind %d sorts: %s", q, by.kind, plan)
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
