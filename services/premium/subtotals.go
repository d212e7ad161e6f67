package premium

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"slices"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"
)

// subtotal is the sum of the receipts of a row up to one of them, in order of id.
type subtotal struct {
	last     uuid.UUID
	receipts int
	total    *big.Int
}

// subtotals are sums of one row, each of more receipts than the one before. With them a row of a million receipts is
// summed by reading those that are new.
//
// They are an aid of one process, in its memory, and everything is right without them: a row is summed from all of
// its receipts where there are none. They are valid for the version of the row that this process wrote from them.
// That is enough, although ids do not come in order (the clocks of two processes differ, and a write may take its
// time), because every receipt begins with an unsent mark, and loses it only after a row that includes the receipt
// was written:
//
//   - A receipt that came after a subtotal was computed, with an id before its last one, and still has its mark: then
//     no subtotal from that id on is used. So the first mark of the row is looked up before each computation.
//   - Such a receipt that has lost its mark: a process has written the row with it. If that was another process, or
//     came before the row was read here, the version is another one or the subtotal was computed after the receipt
//     came; if it was this process, it computed the subtotals from that id on again, by the rule above.
//
// After wholeAfter all receipts are summed again, so that nothing wrong can last.
type subtotals struct {
	version int64
	since   time.Time
	sums    []subtotal
}

const (
	// wholeAfter is how long subtotals are used.
	wholeAfter = 10 * time.Minute
	// wholeReceipts is the number of receipts up to which a row has no subtotals. To sum so many takes no longer than
	// to write.
	wholeReceipts = 500
	// sumPage is the greatest number of receipts that are summed at once.
	sumPage = 10_000
	// mostMarks bounds how many marks one computation of a row has removed, and so its memory. The others follow with
	// the next.
	mostMarks = 100_000
	// rowsRemembered is the number of rows whose subtotals are kept.
	rowsRemembered = 1000
)

// subtotalCache keeps the subtotals of the rows that were computed last.
type subtotalCache struct {
	rows *lru.Cache[row, *subtotals]
	// wall is the time of the machine: what is kept in memory ages also while a test clock stands still.
	wall func() time.Time
	// whole and page are wholeReceipts and sumPage. Tests make them small.
	whole, page int
}

func newSubtotalCache(wall func() time.Time) (*subtotalCache, error) {
	rows, err := lru.New[row, *subtotals](rowsRemembered)
	return &subtotalCache{rows, wall, wholeReceipts, sumPage}, err
}

// of returns the subtotals of a row at a version, nil if there are none.
func (c *subtotalCache) of(r row, version int64) *subtotals {
	known, ok := c.rows.Get(r)
	if !ok || known.version != version || c.wall().Sub(known.since) > wholeAfter {
		return nil
	}
	return known
}

// keep keeps what a row was computed from, after it was written as a version.
func (c *subtotalCache) keep(r row, version int64, done *summation) {
	if done.receipts() <= c.whole {
		c.rows.Remove(r)
		return
	}
	c.rows.Add(r, &subtotals{version, done.since, thinned(done.sums)})
}

// summation is the sum of all receipts of a row as it was computed.
type summation struct {
	// since is when all of its receipts were summed last.
	since time.Time
	sums  []subtotal
	// unsent are receipts with marks that are part of the sum.
	unsent []docstore.Ref
}

func (s *summation) receipts() int {
	if len(s.sums) == 0 {
		return 0
	}
	return s.sums[len(s.sums)-1].receipts
}

func (s *summation) total() *big.Int {
	if len(s.sums) == 0 {
		return new(big.Int)
	}
	return s.sums[len(s.sums)-1].total
}

// sum adds up the receipts of a row, from the last of the known subtotals that holds. It returns nil if the row has
// subtotals and no receipt with a mark: then they include all.
func (e *environment) sum(ctx context.Context, of row, known *subtotals) (*summation, error) {
	receipts, err := docstore.As[docstore.Sums](e.receipts.Stored())
	if err != nil {
		return nil, err
	}
	done := &summation{since: e.subtotals.wall()}
	if known != nil {
		first, err := receipts.FirstUnsent(ctx, request.OrganisationFrom(ctx), rowIndex, of.index())
		if errors.Is(err, docstore.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		holding := slices.IndexFunc(known.sums, func(s subtotal) bool {
			return bytes.Compare(s.last[:], first[:]) >= 0
		})
		if holding < 0 {
			holding = len(known.sums)
		}
		done.since, done.sums = known.since, slices.Clone(known.sums[:holding])
	}
	for {
		var last subtotal
		if len(done.sums) > 0 {
			last = done.sums[len(done.sums)-1]
		}
		page, err := receipts.Sum(ctx, request.OrganisationFrom(ctx), rowIndex, of.index(), last.last, e.subtotals.page)
		if err != nil {
			return nil, err
		}
		if page.Documents == 0 {
			return done, nil
		}
		next := subtotal{last: page.Last, receipts: last.receipts + page.Documents, total: page.Total}
		if last.total != nil {
			next.total.Add(next.total, last.total)
		}
		done.sums = append(done.sums, next)
		done.unsent = append(done.unsent, page.Unsent[:min(len(page.Unsent), mostMarks-len(done.unsent))]...)
		if page.Documents < e.subtotals.page {
			return done, nil
		}
	}
}

// thinned leaves out subtotals so that few remain, most of them near the end, where receipts come late: the gap
// between two of them is no greater than what follows it. So what a late receipt costs is in proportion to the
// receipts that came after it.
func thinned(sums []subtotal) []subtotal {
	all := sums[len(sums)-1].receipts
	var kept []subtotal
	for i, s := range sums {
		before := 0
		if len(kept) > 0 {
			before = kept[len(kept)-1].receipts
		}
		if i == len(sums)-1 || sums[i+1].receipts-before > all-sums[i+1].receipts {
			kept = append(kept, s)
		}
	}
	return kept
}
