package sqlitestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
	"insurance.example/exchange/pkg/organisation"
)

// ownFormer copies what the caller may change after it has left.
func ownFormer(former *docstore.Former) *docstore.Former {
	if former == nil {
		return nil
	}
	own := *former
	own.Body, own.State = bytes.Clone(own.Body), bytes.Clone(own.State)
	return &own
}

// keepFormer keeps a former version, if there is one to be kept. It comes after the replacement and in its
// transaction: it cannot be refused, so that a change that is refused leaves nothing behind, and neither is on the
// disk without the other.
func (c *collection) keepFormer(id uuid.UUID, former *docstore.Former) error {
	if former == nil {
		return nil
	}
	c.keep.BindBytes(1, id[:])
	c.keep.BindInt64(2, former.Version)
	c.keep.BindTextOrNull(3, former.Key)
	c.keep.BindTextOrNull(4, string(former.State))
	c.keep.BindText(5, string(former.Body))
	c.keep.BindBlobOrNull(6, former.Digest)
	return c.keep.Run()
}

func (c *collection) Former(
	ctx context.Context, who organisation.ID, id uuid.UUID, version int64,
) (docstore.Former, error) {
	if err := who.Check(); err != nil {
		return docstore.Former{}, err
	}
	by := sightOf(who)
	return one(ctx, c.store.reads.brief, c.sql.seen[by.kind].former, func(stmt *sqlite3.Stmt) {
		stmt.BindBytes(1, id[:])
		stmt.BindInt64(2, version)
		by.bind(stmt, 3)
	}, wholeFormer)
}

func (c *collection) FormerByKey(
	ctx context.Context, who organisation.ID, id uuid.UUID, key string,
) (docstore.Former, error) {
	if err := who.Check(); err != nil {
		return docstore.Former{}, err
	}
	by := sightOf(who)
	return one(ctx, c.store.reads.brief, c.sql.seen[by.kind].formerByKey, func(stmt *sqlite3.Stmt) {
		stmt.BindBytes(1, id[:])
		stmt.BindText(2, key)
		by.bind(stmt, 3)
	}, formerState)
}

func (c *collection) Formers(
	ctx context.Context, who organisation.ID, id uuid.UUID, after int64, limit int,
) ([]docstore.Former, error) {
	if err := who.Check(); err != nil {
		return nil, err
	}
	if limit < 1 {
		return nil, unavailable(errors.New("a page of former versions needs a limit"))
	}
	var formers []docstore.Former
	by := sightOf(who)
	err := c.store.reads.long(ctx, c.sql.seen[by.kind].formers, func(stmt *sqlite3.Stmt) error {
		stmt.BindBytes(1, id[:])
		stmt.BindInt64(2, after)
		by.bind(stmt, 3)
		stmt.BindInt64(4, int64(limit))
		for left := docstore.FormersBytes; ; {
			row, err := stmt.Step()
			if err != nil || !row {
				return err
			}
			if left -= stmt.ColumnLen(formerStateAt); left < 0 && len(formers) > 0 {
				return nil
			}
			formers = append(formers, formerState(stmt))
		}
	})
	if err != nil {
		return nil, err
	}
	return formers, nil
}

// largeRow is the size in bytes of a body from which on it is large. SQLite reads a large row page by page.
const largeRow = 64 << 10

// formerColumns are the columns of a former version without its body, which may follow. bodilessColumns leave the
// digest out if the body is large: in a table of a release without digests it comes after the body, all of which SQLite
// would read.
const formerColumns = `version, key, state, digest`

var bodilessColumns = fmt.Sprintf(`version, key, state, CASE WHEN octet_length(body) <= %d THEN digest END`, largeRow)

// The places of these columns.
const (
	formerStateAt  = 2
	formerDigestAt = 3
	formerBodyAt   = 4
)

// formerState reads the row that a statement is at, which has no body.
func formerState(stmt *sqlite3.Stmt) docstore.Former {
	return docstore.Former{
		Version: stmt.ColumnInt64(0), Key: string(stmt.Bytes(1)), State: stmt.Bytes(formerStateAt),
		Digest: stmt.Bytes(formerDigestAt),
	}
}

// wholeFormer reads the row that a statement is at, which has a body.
func wholeFormer(stmt *sqlite3.Stmt) docstore.Former {
	former := formerState(stmt)
	former.Body = stmt.Bytes(formerBodyAt)
	return former
}
