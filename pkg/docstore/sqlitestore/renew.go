package sqlitestore

import (
	"errors"

	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// RenewLog gives the log of changes of a database file that no process has open another identity. It belongs to the
// restoration of a backup: what was logged after the backup is gone, and its positions are given again. A reader whose
// position is of the former log gets docstore.ErrPosition, and does not miss entries. A file without a log stays as it
// is.
func RenewLog(path string) error {
	conn, err := connect(path, sqlite3.ReadWrite, writerPragmas)
	if err != nil {
		return withRemedy(path, err)
	}
	columns, err := tableColumns(conn, logTable)
	if err == nil && len(columns) > 0 {
		err = conn.Exec(`UPDATE "` + logTable + `" SET id = randomblob(8) WHERE seq = 0`)
	}
	if err != nil {
		err = withRemedy(path, err)
	}
	return errors.Join(err, conn.Close())
}
