package mongostore

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// mostSummed is the greatest number of documents that are added up at once. A Decimal128 is exact up to 34 digits,
// and so many amounts of 64 bits have fewer.
const mostSummed = 1_000_000

// summed is what $group returns.
type summed struct {
	Documents int64           `bson:"documents"`
	Amounts   int64           `bson:"amounts"`
	Total     bson.Decimal128 `bson:"total"`
	Last      bson.Binary     `bson:"last"`
}

// Sum reads the marks and then the sum in one causally consistent session, so that the second read sees all that the
// first one saw, also if another primary serves it. So the documents that have the marks are added up.
func (c *collection) Sum(
	ctx context.Context, who organisation.ID, index, value string, after uuid.UUID, limit int,
) (docstore.Sum, error) {
	if err := who.CheckUnnamed(); err != nil {
		return docstore.Sum{}, err
	}
	limit = min(limit, mostSummed)
	session, err := c.docs.Database().Client().StartSession(options.Session().SetCausalConsistency(true))
	if err != nil {
		return docstore.Sum{}, unavailable(ctx, err)
	}
	defer session.EndSession(ctx)
	ctx = mongo.NewSessionContext(ctx, session)
	unsent, err := c.unsentBy(ctx, index, value, after, limit)
	if err != nil {
		return docstore.Sum{}, err
	}
	group := bson.D{
		{Key: idField, Value: nil},
		{Key: "documents", Value: bson.D{{Key: "$sum", Value: int64(1)}}},
		{Key: "amounts", Value: bson.D{{Key: "$sum", Value: bson.D{{Key: "$cond", Value: bson.A{
			bson.D{{Key: "$eq",
				Value: bson.A{bson.D{{Key: "$type", Value: "$" + amountField}}, "long"}}}, int64(1), int64(0),
		}}}}}},
		// The sum of integers of 64 bits would become a floating-point number where it exceeds them.
		{Key: "total", Value: bson.D{{Key: "$sum", Value: bson.D{{Key: "$toDecimal", Value: "$" + amountField}}}}},
		{Key: "last", Value: bson.D{{Key: "$max", Value: "$" + idField}}},
	}
	cursor, err := c.docs.Aggregate(ctx, bson.A{
		bson.D{{Key: "$match", Value: under(index, value, after)}}, bson.D{{Key: "$sort", Value: underInOrder(index)}},
		bson.D{{Key: "$limit", Value: int64(limit)}}, bson.D{{Key: "$group", Value: group}},
	}, options.Aggregate().SetHint(indexName(docstore.Index{Name: index, Amounts: true})))
	if err != nil {
		return docstore.Sum{}, unavailable(ctx, err)
	}
	var groups []summed
	if err := cursor.All(ctx, &groups); err != nil {
		return docstore.Sum{}, unavailable(ctx, err)
	}
	if len(groups) == 0 {
		return docstore.Sum{Total: new(big.Int)}, nil
	}
	if groups[0].Amounts < groups[0].Documents {
		return docstore.Sum{}, c.backfill.Building(index)
	}
	return groups[0].sum(ctx, unsent)
}

// sum returns the result, with those of the unsent documents that were added up.
func (s summed) sum(ctx context.Context, unsent []docstore.Ref) (docstore.Sum, error) {
	sum := docstore.Sum{Documents: int(s.Documents)}
	copy(sum.Last[:], s.Last.Data)
	total, exponent, err := s.Total.BigInt()
	if err != nil || exponent < 0 {
		return sum, unavailable(ctx, fmt.Errorf("a sum of whole numbers is %s", s.Total))
	}
	sum.Total = total.Mul(total, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exponent)), nil))
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
		return nil, unavailable(ctx, err)
	}
	if err := c.backfill.CheckSum(index); err != nil {
		return nil, err
	}
	marked := append(under(index, value, after), bson.E{Key: unsentField, Value: true})
	cursor, err := c.docs.Find(ctx, marked, options.Find().SetHint(unsentByIndex(index)).SetSort(underInOrder(index)).
		SetLimit(int64(limit)).SetProjection(bson.D{{Key: versionField, Value: 1}}))
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	var records []record
	if err := cursor.All(ctx, &records); err != nil {
		return nil, unavailable(ctx, err)
	}
	refs := make([]docstore.Ref, len(records))
	for i, r := range records {
		doc := r.document()
		refs[i] = docstore.Ref{ID: doc.ID, Version: doc.Version}
	}
	return refs, nil
}

// under selects the documents with a key whose ids come after one. No tombstone has a key.
func under(index, value string, after uuid.UUID) bson.D {
	return bson.D{
		{Key: keyField(index), Value: bson.D{{Key: "$eq", Value: value}}},
		{Key: idField, Value: bson.D{{Key: "$gt", Value: uuidBinary(after)}}},
	}
}

// underInOrder sorts the documents with a key as their index does.
func underInOrder(index string) bson.D {
	return bson.D{{Key: keyField(index), Value: 1}, {Key: idField, Value: 1}}
}
