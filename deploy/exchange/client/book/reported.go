package book

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"insurance.example/exchange/contracts/desk"
)

// The contracts under which the policies of a book are reported: those of cars, and the rest.
const (
	cars = "CARS"
	rest = "BOOK"
)

// Report puts policies under contracts, which begin two months before the present one: of these, the first is reported
// and the second is due. It compares a broker's statement with what the present month has so far, and returns in words
// what there is. Policies that are under a contract stay there. An exchange that has no desk has nothing of this.
// Errors: those of Send, Make, Read and Upload.
func (b *Book) Report(ctx context.Context, policyNumbers []string) (words string, err error) {
	c := b.chain(ctx, fmt.Sprintf("desk-%d", b.Seed), 0)
	about := c.find("/x/about")
	unassigned, has := c.list("/x/bordereau/unassigned?limit=200", "after", "policies")
	if !has || c.err != nil {
		return "", c.err
	}
	now, err := time.Parse(time.RFC3339, about.Text("now"))
	c.err = cmp.Or(c.err, err)
	c.vars["currency"] = cmp.Or(about.Text("currency"), "EUR")
	c.vars["unit"] = cmp.Or(about.Text("amountUnit"), desk.Major)
	c.vars["first"] = time.Date(now.Year(), now.Month()-2, 1, 0, 0, 0, 0, time.UTC)
	c.tell("contracts")
	// Contracts that are there say which month is the first.
	first, err := time.Parse("2006-01", c.contract(rest).Text("firstPeriod"))
	c.err = cmp.Or(c.err, err)
	for _, of := range unassigned {
		if slices.Contains(policyNumbers, of.Text("policyNumber")) {
			c.vars["contract"], c.vars["policy"] = rest, of
			if of.Text("line") == "motorCoverage" {
				c.vars["contract"] = cars
			}
			c.tell("join")
		}
	}
	// What is made last says that an earlier run has made everything. Others may have worked with it since.
	whole := len(versions(c.find(c.bordereau(rest, desk.Premium, month(first))))) > 0
	if !whole {
		c.state(month(first.AddDate(0, 2, 0)))
	}
	for _, contract := range []string{cars, rest} {
		for _, kind := range []string{desk.Claims, desk.Premium} {
			c.prepare(c.bordereau(contract, kind, month(first)), !whole)
		}
	}
	return c.text(read().Parts["reported"].(string)), c.err
}

// state compares what a broker says of the cars with what a month has: one amount is another one, and one row is of a
// policy that is not under the contract.
func (c *chain) state(month string) {
	said, _ := c.list(c.bordereau(cars, desk.Premium, month)+"/lines?limit=200", "skip", "lines")
	others, _ := c.list(c.bordereau(rest, desk.Premium, month)+"/lines?limit=200", "skip", "lines")
	if len(said) == 0 || len(others) == 0 {
		return
	}
	gross, _ := said[0]["gross"].(float64)
	said[0]["gross"], others[0]["lineId"] = gross+90, ""
	c.compare("CARS-BROKER", append(said, others[0]), Record{
		"contract": reference(c.Seed, cars), "kind": desk.Premium, "period": month, "receipts": true,
	})
}

// list returns the records of a list, whose pages name the value of a parameter for the next one, and whether there is
// such a list.
func (c *chain) list(list, parameter, member string) (all []Record, has bool) {
	for path := list; ; {
		page := c.find(path)
		if page == nil {
			return all, false
		}
		records, _ := page[member].([]any)
		for _, one := range records {
			of, _ := one.(map[string]any)
			all = append(all, of)
		}
		next, more := page["next"]
		if !more {
			return all, true
		}
		path = fmt.Sprintf("%s&%s=%v", list, parameter, next)
	}
}
