package shared

import (
	"context"
	"fmt"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// An operator reads what all organisations have, as the exchange itself does. But most keys are led by the owner of
// their document, so that each organisation has a part of every index: what an operator finds by them is found in each
// part, and put in one order.

// mostOwners is the greatest number of organisations whose parts of an index an operator reads. In an exchange of more,
// such a find is refused; all else that an operator reads does not depend on their number.
const mostOwners = 1024

// led reports whether a query names an index whose keys are led by the owner.
func (c *collection) led(q docstore.Query) bool {
	if c.public {
		return false
	}
	for _, index := range c.spec.Indexes {
		if _, named := q.Equal[index.Name]; named && !index.Global {
			return true
		}
		for _, r := range q.Ranges {
			if r.Index == index.Name && !index.Global {
				return true
			}
		}
	}
	return false
}

// sourcesOfAll returns the parts of a query for an operator: one for each organisation that has documents, and one for
// the documents without an owner.
func (c *collection) sourcesOfAll(ctx context.Context, _ organisation.ID, q docstore.Query) ([]*source, error) {
	all := []*source{{owner: organisation.Sole(), query: q, atOnce: min(q.Limit, readAtOnce)}}
	for name := ""; ; {
		next, err := c.OwnerAfter(ctx, everybody, name)
		if err != nil || next == "" {
			return all, err
		}
		if len(all) > mostOwners {
			return nil, fmt.Errorf("%w: more than %d organisations have records, too many to look for this in all of "+
				"them", docstore.ErrUnavailable, mostOwners)
		}
		owner, err := organisation.Owner(next)
		if err != nil {
			return nil, err
		}
		all = append(all, &source{owner: owner, query: q, atOnce: min(q.Limit, readAtOnce)})
		name = next
	}
}
