package bordereau

import (
	"context"
	"slices"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"insurance.example/exchange/services/desk/contract"
	"insurance.example/exchange/services/desk/period"
	"insurance.example/exchange/services/desk/source"
	"insurance.example/exchange/services/desk/underway"
)

// mostKnown is how many policies, and receipts, of a bordereau are kept in memory while it is made.
const mostKnown = 1_000

// reading is what is known while the lines of a period are made.
type reading struct {
	desk     *Desk
	of       *contract.Kept
	period   period.Period
	policies *simplelru.LRU[string, *policy]
	// read says what was read. stored says that a version is made of it.
	read   read
	stored bool
	// work notes what was read for the version; nil where none is made.
	work *underway.Work
	// at is the instant as of which policies, their holders and what was added to claims are shown.
	at time.Time
	// anew is the version that is made again; nil for a new one. unkept is a policy of which it was not kept what it
	// was then.
	anew   *version
	unkept string
}

// policy is what is known of a policy: nil where it belongs to another contract or to none.
type policy struct {
	line   string
	record source.Policy
	holder source.Party
}

func (d *Desk) reading(k *contract.Kept, p period.Period, at time.Time) reading {
	c := reading{desk: d, of: k, period: p, at: at, read: read{
		Rule: k.Rule(), Assigned: k.Assigned(), Left: k.Left(), Taken: contract.Taken{},
		Until: k.Until,
	}}
	c.policies, _ = simplelru.NewLRU[string, *policy](mostKnown, nil)
	return c
}

// know looks up which policies belong to the contract, and what a bordereau shows of those, as far as that is not known
// yet.
func (c *reading) know(ctx context.Context, numbers []string) error {
	var unknown []string
	for _, number := range numbers {
		if !c.policies.Contains(number) && !slices.Contains(unknown, number) {
			unknown = append(unknown, number)
		}
	}
	return c.lookUp(ctx, unknown)
}

// lookUp is know, of numbers that are not known and differ.
func (c *reading) lookUp(ctx context.Context, numbers []string) error {
	if len(numbers) == 0 {
		return nil
	}
	attached, err := c.desk.source.Attachments(ctx, numbers)
	if err != nil {
		return err
	}
	var ours []string
	for _, number := range numbers {
		c.policies.Add(number, nil)
		a, known := attached[number]
		if !known {
			continue
		}
		belongs, err := c.belongs(ctx, contract.Policy{Number: number, Line: a.Line, Inception: a.InceptionDate})
		if err != nil {
			return err
		}
		if belongs == contract.ByRule {
			c.read.Taken.Add(a.Line, a.InceptionDate)
		}
		if belongs != contract.Elsewhere {
			ours = append(ours, number)
		}
	}
	records, err := c.desk.source.Policies(ctx, c.at, ours)
	if err != nil {
		return err
	}
	var holders []string
	for _, number := range ours {
		if id := string(records[number].Value.PolicyholderID); id != "" && !slices.Contains(holders, id) {
			holders = append(holders, id)
		}
	}
	parties, err := c.desk.source.Parties(ctx, c.at, holders)
	if err != nil {
		return err
	}
	for _, number := range ours {
		if _, kept := records[number]; !kept {
			c.unkept = number
		}
		record := records[number].Value
		c.policies.Add(number, &policy{attached[number].Line, record, parties[string(record.PolicyholderID)].Value})
	}
	return nil
}

// belongs returns how a policy belongs to the contract or, where a version is made again, belonged to it then.
func (c *reading) belongs(ctx context.Context, p contract.Policy) (contract.Belonging, error) {
	switch {
	case c.anew != nil:
		return c.desk.contracts.Belonged(ctx, c.of, p, c.anew.seen())
	case c.stored:
		return c.desk.contracts.Decide(ctx, c.of, p, c.desk.Reported)
	}
	return c.desk.contracts.Belongs(ctx, c.of, p)
}

// seen returns what a version has seen of assignments.
func (v *version) seen() contract.Seen {
	seen := contract.Seen{Assigned: v.Read.Assigned, At: v.Head.PreparedAt.Time()}
	if v.Read.Rule == "" {
		seen.Assigned = -1
	}
	return seen
}

// lacks implements maker.
func (c *reading) lacks() string { return c.unkept }

func text(of *string) string {
	if of == nil {
		return ""
	}
	return *of
}
