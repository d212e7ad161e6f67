package simulation

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/services/claims"
	"insurance.example/exchange/services/coverage"
	"insurance.example/exchange/services/premium"
)

// keepers are the specs of the collections of the services that keep access lists.
var keepers = sync.OnceValues(func() (map[string][]docstore.Spec, error) {
	all := map[string][]docstore.Spec{}
	for _, service := range []func() rest.Service{coverage.Service, claims.Service, premium.Service} {
		inspected, err := service().Inspected()
		if err != nil {
			return nil, err
		}
		for _, collection := range inspected.Collections {
			all[service().Name] = append(all[service().Name], collection.Spec)
		}
	}
	return all, nil
})

// finishSharing repeats the last change of each access list, which completes it, does what a comparison of the stamps
// with the lists says, and then has each organisation see what the list shows it, at each replica and in each way.
func (c *caller) finishSharing(ctx context.Context) {
	for _, p := range c.book.shared {
		last := p.changes[len(p.changes)-1].gives
		if !c.changeList(ctx, p, last, patience) {
			c.complain("the change of the access list of policy %d is not completed by repeating it", p.number)
		}
	}
	if findings := c.compareStamps(ctx); len(findings) > 0 {
		for _, p := range c.book.shared {
			c.changeList(ctx, p, p.changes[len(p.changes)-1].gives, patience)
		}
		for _, f := range c.compareStamps(ctx) {
			c.complain("after the list was put again as it is, %s of %s: %s, and not %s", f.Invariant, f.Collection,
				f.Found, f.Expected)
		}
	}
	for _, p := range c.book.shared {
		for _, who := range append(slices.Clone(sharedWith), sharer) {
			for _, r := range p.records {
				for _, path := range r.looks(p) {
					c.compareSeen(ctx, p, who, r, path)
				}
			}
		}
	}
}

// compareSeen compares what an organisation sees of a record with the list of the policy.
func (c *caller) compareSeen(ctx context.Context, p *sharedPolicy, who string, r sharedRecord, path string) {
	for range patience {
		since := time.Now()
		seen, heard := c.sees(ctx, p, who, r, path)
		if !heard {
			pause(ctx, time.Second)
			continue
		}
		if should := p.must(who, "read", since); seen != should {
			c.complain("in the end %s sees something of %s under policy %d by %s: %v, and not %v", who, r.path,
				p.number, path, seen, should)
		}
		return
	}
	c.complain("%s gets no response at %s", who, path)
}

// compareStamps compares what participants find in each service with its lists, as the command check does.
func (c *caller) compareStamps(ctx context.Context) (findings []docstore.Finding) {
	all, err := keepers()
	for _, service := range slices.Sorted(maps.Keys(all)) {
		comparison := shared.Comparison{
			Store: c.storeOf(service), Specs: all[service],
			Recent: func(time.Time) bool { return false },
			Report: func(f docstore.Finding) error { findings = append(findings, f); return nil },
			Count:  func(string, int) {},
		}
		if err == nil {
			err = comparison.Run(ctx)
		}
	}
	if err != nil {
		c.complain("the stamps are not compared: %v", err)
	}
	return findings
}
