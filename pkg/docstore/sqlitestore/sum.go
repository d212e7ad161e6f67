package sqlitestore

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
	"insurance.example/exchange/pkg/organisation"
)

// halfBits is the width of the halves in which amounts are added up, because the sum of many may exceed 64 bits. The
// upper half has the sign. The sums of the halves have room for 2^31 documents.
const halfBits = 32

// sumSQL is the SQL for an index with amounts: add adds them up, and unsent returns the unsent documents. Their
// parameters are the value, the id to begin after and the limit. The index holds all that they read.
type sumSQL struct{ add, unsent string }

// sumsOf returns the SQL by the names of the indexes.
func sumsOf(spec docstore.Spec) map[string]sumSQL {
	all := map[string]sumSQL{}
	for _, index := range spec.Indexes {
		if index.Amounts {
			all[index.Name] = sumSQL{addSQL(spec, index.Name), unsentBySQL(spec, index.Name)}
		}
	}
	return all
}

func addSQL(spec docstore.Spec, index string) string {
	column := keyColumn(index)
	return fmt.Sprintf(`SELECT count(*), count(%[1]s), sum(%[1]s >> %[5]d), sum(%[1]s & %[6]d), max(id) FROM
		(SELECT id, %[1]s FROM %[2]s INDEXED BY %[3]s WHERE %[4]s = ?1 AND id > ?2 ORDER BY id LIMIT ?3)`,
		amountColumn, quoted(spec.Name), quoted(indexName(spec.Name,
			docstore.Index{Name: index, Amounts: true})), column,
		halfBits, uint64(1)<<halfBits-1)
}

func unsentBySQL(spec docstore.Spec, index string) string {
	return fmt.Sprintf(
		`SELECT id, version FROM %s INDEXED BY %s WHERE unsent = 1 AND %s = ?1 AND id > ?2 ORDER BY id LIMIT ?3`,
		quoted(spec.Name), quoted(unsentByIndex(spec.Name, index)), keyColumn(index))
}

func (c *collection) Sum(
	ctx context.Context, who organisation.ID, index, value string, after uuid.UUID, limit int,
) (docstore.Sum, error) {
	if err := who.CheckUnnamed(); err != nil {
		return docstore.Sum{}, err
	}
	// The marks are read first. A later read sees all that an earlier one saw, so the documents that have them are
	// added up.
	unsent, err := c.unsentBy(ctx, index, value, after, limit)
	if err != nil {
		return docstore.Sum{}, err
	}
	sum, amounts := docstore.Sum{Total: new(big.Int)}, 0
	err = c.store.searches.read(ctx, c.sql.sums[index].add, func(stmt *sqlite3.Stmt) error {
		bindUnder(stmt, value, after, limit)
		if row, err := stmt.Step(); err != nil || !row {
			return err
		}
		sum.Documents, amounts = int(stmt.Int(0)), int(stmt.Int(1))
		sum.Total.Lsh(big.NewInt(stmt.Int(2)), halfBits)
		sum.Total.Add(sum.Total, big.NewInt(stmt.Int(3)))
		if sum.Documents > 0 {
			stmt.CopyTo(sum.Last[:], 4)
		}
		return nil
	})
	if err != nil {
		return docstore.Sum{}, err
	}
	if amounts < sum.Documents {
		return docstore.Sum{}, c.backfill.Building(index)
	}
	sum.Unsent = slices.DeleteFunc(unsent,
		func(ref docstore.Ref) bool { return bytes.Compare(ref.ID[:], sum.Last[:]) > 0 })
	return sum, nil
}

func (c *collection) FirstUnsent(ctx context.Context, who organisation.ID, index, value string) (uuid.UUID, error) {
	if err := who.CheckUnnamed(); err != nil {
		return uuid.Nil, err
	}
	unsent, err := c.unsentBy(ctx, index, value, uuid.Nil, 1)
	if err == nil && len(unsent) == 0 {
		err = docstore.ErrNotFound
	}
	if err != nil {
		return uuid.Nil, err
	}
	return unsent[0].ID, nil
}

// unsentBy returns the unsent documents with a key, in order of id.
func (c *collection) unsentBy(
	ctx context.Context, index, value string, after uuid.UUID, limit int,
) ([]docstore.Ref, error) {
	if err := c.spec.CheckSum(index, limit); err != nil {
		return nil, unavailable(err)
	}
	if err := c.backfill.CheckSum(index); err != nil {
		return nil, err
	}
	var refs []docstore.Ref
	err := c.store.searches.read(ctx, c.sql.sums[index].unsent, func(stmt *sqlite3.Stmt) error {
		bindUnder(stmt, value, after, limit)
		for {
			row, err := stmt.Step()
			if err != nil || !row {
				return err
			}
			refs = append(refs, refAt(stmt))
		}
	})
	return refs, err
}

// bindUnder binds the parameters of a sumSQL.
func bindUnder(stmt *sqlite3.Stmt, value string, after uuid.UUID, limit int) {
	stmt.BindText(1, value)
	stmt.BindBlob(2, after[:])
	stmt.BindInt(3, int64(limit))
}
