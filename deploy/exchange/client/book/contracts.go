package book

import (
	"fmt"
	"time"

	"insurance.example/exchange/contracts/desk"
)

// someDays is the number of days that seeds choose from: each of the first someDays seeds has a day of its own.
const someDays = 36500

func reference(seed uint64, name string) string { return fmt.Sprintf("SEED%d-%s", seed, name) }

// terms returns what the contracts of a book have in common: their term is a year from the first day of a month, and
// they report each month from then on. The rule of a contract takes only policies that began on one day of a century:
// its own are assigned to it, so that it neither takes policies of other contracts nor overlaps with them.
func (b *Book) terms(number string, first time.Time, century int, lines []string) Record {
	from := time.Date(century, 1, 1+int(b.Seed%someDays), 0, 0, 0, 0, time.UTC)
	return Record{
		"agreementNumber": fmt.Sprintf("SEED %d/%s", b.Seed, number),
		"coverholderName": "Alder Underwriting (fictional)", "inception": day(first),
		"expiry": day(first.AddDate(1, 0, 0)), "lines": lines,
		"risksFrom": day(from), "risksBefore": day(from.AddDate(0, 0, 1)), "amountUnit": desk.Major,
		"frequency": desk.Monthly, "firstPeriod": monthOf(first), "signOff": desk.OnePerson,
	}
}

// monthOf returns how the month of an instant is named in a bordereau.
func monthOf(at time.Time) string { return at.Format("2006-01") }

// agree makes a contract, unless the caller has one with the reference.
func (c *chain) agree(reference string, terms Record) {
	if c.err != nil {
		return
	}
	var made bool
	made, c.err = c.exchange.Make(c.ctx, "/x/contract/"+reference, terms)
	c.found("contract", made)
}

// assign assigns a policy to a contract.
func (c *chain) assign(contract, policyNumber string) {
	c.carryOut("", "/x/contract/"+contract+"/policy/"+policyNumber, "", nil)
}

// bordereau returns the path of a period.
func bordereau(contract, kind, period string) string {
	return "/x/bordereau/" + contract + "/" + kind + "/" + period
}

// versions returns the versions of a period.
func versions(of Record) []any {
	all, _ := of["versions"].([]any)
	return all
}

// prepare prepares the bordereau of a period unless it has a version, and approves that if it is asked to.
func (c *chain) prepare(path string, approve bool) {
	live := c.find(path)
	all := versions(live)
	if c.err != nil {
		return
	}
	var version Record
	if len(all) > 0 {
		version, _ = all[0].(map[string]any)
		c.found(reported, false)
	} else {
		is := desk.Original
		if live["liveLines"] == 0.0 {
			is = desk.Nil
		}
		version = c.change(reported, path+":prepare", Record{"type": is})
	}
	if approve && version["state"] != desk.Approved {
		c.change("", fmt.Sprintf("%s/versions/%v:approve", path, version["number"]),
			Record{"digest": version["digest"]})
	}
}

// reported is what a version is counted as.
const reported = "bordereau version"
