package rows

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"zombiezen.com/go/sqlite/sqlitex"
)

// form is the form of the file. A file of another form is made again.
const form = 4

// schema has the tables of facts, those of rows, and the cells.
//
//nolint:gochecknoglobals // it is built once
var schema = `
CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE owner (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE due (policy TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE party (id TEXT PRIMARY KEY, name TEXT NOT NULL, country TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE object (id TEXT PRIMARY KEY, words TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE policy (number TEXT PRIMARY KEY, owner TEXT NOT NULL, holder TEXT NOT NULL, object TEXT NOT NULL,
	broker TEXT NOT NULL, agent TEXT NOT NULL, id TEXT NOT NULL, renews TEXT NOT NULL,
	fact TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX policyHolder ON policy (holder);
CREATE INDEX policyObject ON policy (object);
CREATE INDEX policyBroker ON policy (broker) WHERE broker <> '';
CREATE INDEX policyAgent ON policy (agent) WHERE agent <> '';
CREATE INDEX policyID ON policy (id);
CREATE INDEX policyRenews ON policy (renews, id) WHERE renews <> '';
CREATE TABLE claim (id TEXT PRIMARY KEY, number TEXT NOT NULL, policy TEXT NOT NULL, fact TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX claimNumber ON claim (number);
CREATE INDEX claimPolicy ON claim (policy);
CREATE TABLE receipt (id TEXT PRIMARY KEY, policy TEXT NOT NULL, claim TEXT NOT NULL, fact TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX receiptPolicy ON receipt (policy);
CREATE INDEX receiptClaim ON receipt (claim) WHERE policy = '';
CREATE TABLE assignment (policy TEXT PRIMARY KEY, owner TEXT NOT NULL, contract TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE cell (owner TEXT NOT NULL, contract TEXT NOT NULL, line TEXT NOT NULL, year INTEGER NOT NULL,
	currency TEXT NOT NULL, country TEXT NOT NULL, cause TEXT NOT NULL, month INTEGER NOT NULL, sums TEXT NOT NULL,
	PRIMARY KEY (owner, contract, line, year, currency, country, cause, month)) WITHOUT ROWID;
CREATE TABLE open (list TEXT NOT NULL, owner TEXT NOT NULL, contract TEXT NOT NULL, line TEXT NOT NULL,
	currency TEXT NOT NULL, day INTEGER NOT NULL, amount TEXT NOT NULL, count INTEGER NOT NULL,
	PRIMARY KEY (list, owner, contract, line, currency, day)) WITHOUT ROWID;
` + rowTable(Policies) + rowTable(Claims) + rowTable(Movements)

// rowTable returns the table of a list. A column that it is sorted by has no affinity: an absent value is an empty
// text, which is after all numbers. What is long comes last: what indexes are made of is read without it. No row is
// ever deleted alone, so that its rowid is its own.
func rowTable(l *List) (sql string) {
	sql = "CREATE TABLE " + l.table() + " (owner TEXT NOT NULL, key TEXT NOT NULL"
	for _, c := range l.sorts {
		sql += ", " + c.column()
	}
	return sql + ", text TEXT NOT NULL, row TEXT NOT NULL, adds TEXT NOT NULL, PRIMARY KEY (owner, key));\n"
}

// index makes the indexes of the columns that lists are sorted by, unless they are there. They are made once everything
// was read for the first time: until then nobody reads rows, and one that is sorted as a whole costs much less.
func (b *Book) index() (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	// What is sorted may be more than memory has. No other folder need be there that can be written.
	sorting := func(folder, store string) error {
		return errors.Join(
			sqlitex.ExecuteTransient(b.writer, "PRAGMA temp_store_directory = '"+
				strings.ReplaceAll(folder, "'", "''")+"'", nil),
			sqlitex.ExecuteTransient(b.writer, "PRAGMA temp_store = "+store, nil))
	}
	defer func() { err = errors.Join(err, sorting("", "MEMORY")) }()
	if err := sorting(filepath.Dir(b.path), "FILE"); err != nil {
		return err
	}
	for _, l := range []*List{Policies, Claims, Movements} {
		for _, c := range l.sorts {
			if err := b.exec(fmt.Sprintf("CREATE INDEX IF NOT EXISTS %[1]sBy_%[2]s ON %[1]s (owner, %[3]s, key)",
				l.table(), c.Name, c.column())); err != nil {
				return err
			}
		}
		if l.Finds {
			if err := sqlitex.ExecuteScript(b.writer, l.indexText(), nil); err != nil {
				return err
			}
		}
	}
	return nil
}
