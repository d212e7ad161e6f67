package shared

import (
	"context"

	"golang.org/x/sync/errgroup"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// readTogether is how many lists are read at once.
const readTogether = 8

// Among returns the access lists by which an organisation sees policies of others now, of the policies with some
// numbers. Most of them are shared with others only, so it first looks what was ever shared with the organisation: only
// these lists are read, unless more than mostFound policies were.
func (l *Lists) Among(ctx context.Context, who organisation.ID, policyNumbers []string) ([]*List, error) {
	docs, err := l.grants.Find(ctx, everybody, docstore.Query{
		Equal: docstore.Keys{toIndex: who.Name()}, Limit: mostFound + 1,
	})
	if err != nil {
		return nil, err
	}
	if len(docs) <= mostFound {
		granted := map[string]bool{}
		for _, doc := range docs {
			found, err := readFinding(doc)
			if err != nil {
				return nil, err
			}
			granted[found.PolicyNumber] = true
		}
		var asked []string
		for _, policyNumber := range policyNumbers {
			if granted[policyNumber] {
				asked = append(asked, policyNumber)
			}
		}
		policyNumbers = asked
	}
	lists := make([]*List, len(policyNumbers))
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(readTogether)
	for i, policyNumber := range policyNumbers {
		reading.Go(func() (err error) {
			lists[i], err = l.Of(ctx, policyNumber)
			return err
		})
	}
	if err := reading.Wait(); err != nil {
		return nil, err
	}
	var seen []*List
	for _, list := range lists {
		if list.Has(who, ReadRight) && list.Owner != who.Name() {
			seen = append(seen, list)
		}
	}
	return seen, nil
}
