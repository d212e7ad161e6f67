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
	cars     = "CARS"
	rest     = "BOOK"
	carsLine = "motorCoverage"
	// carsBroker is who sends a statement of the cars.
	carsBroker = "CARS-BROKER"
)

// reporting is the policies of a book that are being put under contracts.
type reporting struct {
	*chain
	currency, unit string
	// first is the first month of the contracts. Two months later is the one in which they were made.
	first time.Time
}

// Report puts policies under contracts, which begin two months before the present one: of these, the first is reported
// and the second is due. It compares a broker's statement with what the present month has so far, and returns in words
// what there is. Policies that are under a contract stay there. An exchange that has no desk has nothing of this.
// Errors: those of Send, Make, Read and Upload.
func (b *Book) Report(ctx context.Context, policyNumbers []string) (words string, err error) {
	r := &reporting{chain: b.chain(ctx, fmt.Sprintf("desk-%d", b.Seed), 0)}
	about := r.find("/x/about")
	without, has := r.without(policyNumbers)
	if !has || r.err != nil {
		return "", r.err
	}
	r.agreeAll(about)
	for _, of := range without {
		contract := rest
		if of.Text("line") == carsLine {
			contract = cars
		}
		r.assign(reference(b.Seed, contract), of.Text("policyNumber"))
	}
	// What is made last says that an earlier run has made everything. Others may have worked with it since.
	whole := len(versions(r.find(r.period(rest, desk.Premium, 0)))) > 0
	if !whole {
		r.state()
	}
	for _, contract := range []string{cars, rest} {
		for _, kind := range []string{desk.Claims, desk.Premium} {
			r.prepare(r.period(contract, kind, 0), !whole)
		}
	}
	return fmt.Sprintf("The contracts %s and %s have a month that is reported, one that is due and one that is open.\n"+
		"The statement of the broker %s is compared with the last one of %[1]s: two rows differ on purpose.",
		reference(b.Seed, cars), reference(b.Seed, rest), reference(b.Seed, carsBroker)), r.err
}

// period returns the path of a month, from 0, of a contract.
func (r *reporting) period(contract, kind string, n int) string {
	return bordereau(reference(r.Seed, contract), kind, monthOf(r.first.AddDate(0, n, 0)))
}

// without returns which of some policies are under no contract, and whether the exchange has a desk.
func (r *reporting) without(policyNumbers []string) (found []Record, has bool) {
	has = r.each("/x/bordereau/unassigned?limit=200", "after", "policies", func(of Record) {
		if slices.Contains(policyNumbers, of.Text("policyNumber")) {
			found = append(found, of)
		}
	})
	return found, has
}

// each calls a function with each record of a list, whose pages name the value of a parameter for the next one. It
// reports whether there is such a list.
func (r *reporting) each(list, parameter, member string, do func(Record)) bool {
	for path := list; ; {
		page := r.find(path)
		if page == nil {
			return false
		}
		records, _ := page[member].([]any)
		for _, one := range records {
			of, _ := one.(map[string]any)
			do(of)
		}
		next, more := page["next"]
		if !more {
			return true
		}
		path = fmt.Sprintf("%s&%s=%v", list, parameter, next)
	}
}

// agreeAll makes the contracts by what the exchange says about itself. Those that are there say which month is the
// first.
func (r *reporting) agreeAll(about Record) {
	now, err := time.Parse(time.RFC3339, about.Text("now"))
	r.err = cmp.Or(r.err, err)
	r.currency, r.unit = cmp.Or(about.Text("currency"), "EUR"), cmp.Or(about.Text("amountUnit"), desk.Major)
	r.first = time.Date(now.Year(), now.Month()-2, 1, 0, 0, 0, 0, time.UTC)
	of := map[string][]string{cars: {carsLine}}
	for _, l := range lines {
		if l.resource != carsLine {
			of[rest] = append(of[rest], l.resource)
		}
	}
	for _, name := range []string{cars, rest} {
		terms := r.terms(name, r.first, 1700, of[name])
		terms["currency"], terms["amountUnit"], terms["commissionPercentage"] = r.currency, r.unit, "15"
		// No month is longer, so that the one before is due and never overdue.
		terms["dueDays"] = 32
		r.agree(reference(r.Seed, name), terms)
	}
	terms, _ := r.find("/x/contract/" + reference(r.Seed, rest))["contract"].(map[string]any)
	if r.err == nil {
		r.first, r.err = time.Parse("2006-01", Record(terms).Text("firstPeriod"))
	}
}

// state compares what a broker says of the cars with what the month has: one amount is another one, and one row is of a
// policy that is not under the contract.
func (r *reporting) state() {
	said, others := r.rows(cars), r.rows(rest)
	if len(said) == 0 || len(others) == 0 {
		return
	}
	said[0].gross += 90
	others[0].line = ""
	against := Record{
		"contract": reference(r.Seed, cars), "kind": desk.Premium, "period": monthOf(r.first.AddDate(0, 2, 0)),
		"receipts": true,
	}
	r.compare(reference(r.Seed, carsBroker), r.currency, append(said, others[0]), against)
}

// rows returns the rows of a statement that agrees with the premium of the present month of a contract.
func (r *reporting) rows(contract string) (all []row) {
	r.each(r.period(contract, desk.Premium, 2)+"/lines?limit=200", "skip", "lines", func(line Record) {
		on, err := time.Parse(time.DateOnly, line.Text("effectiveDate"))
		r.err = cmp.Or(r.err, err)
		gross, _ := line["gross"].(float64)
		all = append(all, row{line.Text("lineId"), line.Text("policyNumber"), line.Text("receiptType"), on, gross})
	})
	return all
}
