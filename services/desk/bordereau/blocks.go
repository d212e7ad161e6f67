package bordereau

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"insurance.example/exchange/services/desk/block"
	"insurance.example/exchange/services/desk/period"
)

// blockLength is how many lines or findings a block has; the last one may have fewer.
const blockLength = 500

// mostFindings is how many findings of a version are kept. All are counted.
const mostFindings = 10_000

// blocks is the collection of the blocks.
const blocks = "block"

// What a block holds.
const (
	lineBlocks    = "lines"
	carriedBlocks = "carried"
	findingBlocks = "findings"
	checkBlocks   = "checks"
)

// list returns a list of a version.
func (d *Desk) list(batch uuid.UUID, what string) block.List {
	return block.List{In: d.blocks, Batch: batch, What: what, Length: blockLength}
}

// page returns some items of a batch, and how many of the total of them are left out before the next page; 0 for none.
func page[T any](
	ctx context.Context, d *Desk, batch uuid.UUID, what string, skip, limit, total int,
) (items []T, next int, err error) {
	end := min(skip+limit, total)
	for at := skip; at < end; {
		of, err := block.Read[T](ctx, d.list(batch, what), at/blockLength)
		if err != nil {
			return nil, 0, err
		}
		from := at % blockLength
		if from >= len(of) {
			return nil, 0, fmt.Errorf("a block of %s of %s lacks item %d", what, batch, at)
		}
		some := of[from:min(len(of), from+end-at)]
		items, at = append(items, some...), at+len(some)
	}
	if end < total {
		next = end
	}
	return items, next, nil
}

// identity is what every line has, whatever its bordereau is about.
type identity struct {
	LineID       string `json:"lineId"`
	PolicyNumber string `json:"policyNumber"`
}

// eachLine calls a function with each line of a version, in order.
func eachLine[T any](ctx context.Context, d *Desk, v *version, do func(T) error) error {
	lines := cursor[T]{desk: d, batch: v.Batch, what: lineBlocks, total: v.Head.Lines}
	for {
		line, err := lines.next(ctx)
		if err != nil || line == nil {
			return err
		}
		if err := do(*line); err != nil {
			return err
		}
	}
}

// cursor reads the items of a batch one after the other.
type cursor[T any] struct {
	desk  *Desk
	batch uuid.UUID
	what  string
	// total is how many items there are, and read how many were returned.
	total, read int
	block       []T
}

// next returns the next item; nil behind the last one.
func (c *cursor[T]) next(ctx context.Context) (*T, error) {
	if c.read == c.total {
		return nil, nil
	}
	if c.read%blockLength == 0 {
		var err error
		number := c.read / blockLength
		if c.block, err = block.Read[T](ctx, c.desk.list(c.batch, c.what), number); err != nil {
			return nil, err
		}
		if len(c.block) != min(blockLength, c.total-c.read) {
			return nil, fmt.Errorf("block %d of the %s of %s is not whole", number, c.what, c.batch)
		}
	}
	item := &c.block[c.read%blockLength]
	c.read++
	return item, nil
}

// standingIDs reads the ids of the lines of versions that stand, in their order. A block of each version is in memory
// at a time, however many lines there are.
type standingIDs struct {
	from []*cursor[identity]
	at   []*identity
	// last is the last id that has was shown; empty before all.
	last string
}

// standing returns what reads the ids of the lines that stand in some periods of a ledger.
func (d *Desk) standing(l *ledger, among func(period.Period) bool) *standingIDs {
	s := new(standingIDs)
	for _, p := range slices.DeleteFunc(l.periods(), func(p period.Period) bool { return !among(p) }) {
		for _, v := range l.standing(p) {
			s.from = append(s.from, &cursor[identity]{desk: d, batch: v.Batch, what: lineBlocks, total: v.Head.Lines})
		}
	}
	s.at = make([]*identity, len(s.from))
	return s
}

// next returns the next id; empty behind the last one.
func (s *standingIDs) next(ctx context.Context) (string, error) {
	for i := len(s.from) - 1; i >= 0; i-- {
		if s.at[i] != nil {
			continue
		}
		var err error
		if s.at[i], err = s.from[i].next(ctx); err != nil {
			return "", err
		}
		if s.at[i] == nil {
			s.from, s.at = slices.Delete(s.from, i, i+1), slices.Delete(s.at, i, i+1)
		}
	}
	least := -1
	for i, at := range s.at {
		if least < 0 || at.LineID < s.at[least].LineID {
			least = i
		}
	}
	if least < 0 {
		return "", nil
	}
	id := s.at[least].LineID
	s.at[least] = nil
	return id, nil
}

// has reports whether there is a line with an id, which is greater than that of the call before.
func (s *standingIDs) has(ctx context.Context, id string) (found bool, err error) {
	for s.last < id && err == nil {
		if s.last, err = s.next(ctx); s.last == "" {
			s.last = behindAll
		}
	}
	return s.last == id, err
}

// behindAll is greater than every id.
const behindAll = "~"
