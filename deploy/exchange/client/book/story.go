package book

import (
	"fmt"
	"maps"
	"slices"

	"insurance.example/exchange/contracts/desk"
)

// The contracts of a year, by what is insured.
const (
	motor    = "MOTOR"
	property = "PROPERTY"
	travel   = "TRAVEL"
)

// contract is a contract of a year.
type contract struct {
	name, line string
	quarterly  bool
	// terms are what only this contract has.
	terms Record
}

var contracts = []contract{
	{motor, "motorCoverage", false, Record{
		"currency": "EUR", "settlementCurrency": "GBP", "originalPerSettlement": "1.22", "commissionPercentage": "15",
		"classOfBusiness": "Motor", "riskCode": "MF",
	}},
	{property, "propertyCoverage", false, Record{
		"currency": "GBP", "commissionPercentage": "17.5", "brokeragePercentage": "2.5",
		"classOfBusiness": "Property", "riskCode": "B2",
		"limits": []any{Record{"name": "Premium of the year", "amount": 6700, "currency": "GBP"}},
	}},
	{travel, "travelCoverage", true, Record{
		"currency": "CHF", "commissionPercentage": "20", "classOfBusiness": "Travel", "riskCode": "KT",
	}},
}

// policy is a policy of a year.
type policy struct {
	name, contract string
	// written is the premium of the year.
	written int
	// instalments says that a twelfth of it is paid each month.
	instalments bool
	// joins is the month in which it is assigned to its contract.
	joins int
}

// late is the policy that is assigned to its contract late.
var late = policy{name: "forgotten", contract: motor, written: 600, joins: 4}

var policies = []policy{
	{name: "fleet", contract: motor, written: 1200, instalments: true},
	{name: "lorries", contract: motor, written: 3000, instalments: true},
	late,
	{name: "warehouse", contract: property, written: 4800, instalments: true},
	{name: "bakery", contract: property, written: 1800, instalments: true},
	{name: "staff", contract: travel, written: 1080, instalments: true},
	{name: "school", contract: travel, written: 540, instalments: true},
}

// events are what happens in the months of a year besides the instalments.
var events = map[int]func(y *year){
	1: func(y *year) { y.notify(1, "water", "warehouse", 1000) },
	2: func(y *year) { y.pay(2, "forgotten", "new policy", 600) },
	3: func(y *year) { y.settle(y.claims["water"], 400, y.work(3)) },
	4: func(y *year) {
		y.join(late)
		y.tell(4, "policy %s is assigned to %s only now; its receipt of %s is a line of this month, late",
			y.numberOf("forgotten"), reference(y.Seed, motor), y.named(2))
		y.pay(4, "lorries", "new policy", 250)
		y.tell(4, "policy %s has paid 250 twice on one day: both are lines, and possible-duplicate is found",
			y.numberOf("lorries"))
		y.notify(4, "journey", "staff", 300)
	},
	5: func(y *year) {
		y.act("claim", y.claims["water"], ":reopen", Record{})
		y.tell(5, "claim %s is opened again after 400 of its reserve of 1000 was paid: 600 are outstanding, and "+
			"stale-reserve is found", y.claims["water"].Text("claimNumber"))
		y.settle(y.claims["journey"], 300, y.work(5))
	},
	6: func(y *year) { y.adjust(6, "warehouse", 60) },
	7: func(y *year) {
		id := y.claims["water"].Text("id")
		if now := y.find("/claim/" + id); now != nil && !y.whole {
			y.replace("claim", now, Record{"reserve": 250})
		}
		y.tell(7, "the reserve of claim %s is set to 250, so that 650 are incurred",
			y.claims["water"].Text("claimNumber"))
	},
	8: func(y *year) { y.notify(8, "fire", "bakery", 5000) },
	9: func(y *year) { y.notify(9, "collision", "lorries", 2000) },
	10: func(y *year) {
		y.tell(10, "more than 90 %% of the limit of %s is written, which is found", reference(y.Seed, property))
	},
	11: func(y *year) {
		y.request("receipt", "/receipt/"+y.paid["fleet"].Text("id")+":refund",
			Record{"receiptType": y.one("receipt", "receiptType", "other")})
		y.tell(11, "the instalment of %s of policy %s is paid back: %[1]s stays as it was approved, and -100 is a "+
			"line of this month, which is still open", y.named(10), y.numberOf("fleet"))
	},
}

// termsOf returns what the i-th contract says.
func (y *year) termsOf(i int, c contract) Record {
	terms := y.terms(fmt.Sprint(i+1), y.month(0), 1800, []string{c.line})
	terms["numberOfInstalments"] = YearMonths
	if c.quarterly {
		terms["frequency"], terms["firstPeriod"] = desk.Quarterly, y.quarter(0)
	}
	maps.Copy(terms, c.terms)
	return terms
}

// insure creates the i-th policy of the year, with its policyholder and what it insures.
func (y *year) insure(i int, p policy) Record {
	of := p.line()
	holder := y.create("commercial", Record{
		"name":               fmt.Sprintf("%s %s (fictional) Ltd", pick(y.rng, lastNames), pick(y.rng, trades)),
		"registrationNumber": y.number("Y", i), "registeredAddress": y.address(),
	})
	body := of.write(y.chain, i, holder)
	body["policyholderId"], body["inceptionDate"], body["expiryDate"] = holder["id"], instant(y.month(0)),
		instant(y.month(YearMonths))
	return y.create(of.resource, y.priced(of, body, p.written))
}

// line returns the line of the policy.
func (p policy) line() line {
	of := slices.IndexFunc(contracts, func(c contract) bool { return c.name == p.contract })
	return lines[slices.IndexFunc(lines, func(l line) bool { return l.resource == contracts[of].line })]
}

func policyOf(name string) policy {
	return policies[slices.IndexFunc(policies, func(p policy) bool { return p.name == name })]
}

func (y *year) numberOf(policy string) string { return y.policies[policy].Text("policyNumber") }

// record records what happens in a month. A refund is of an instalment before.
func (y *year) record(n int) {
	if happens := events[n]; happens != nil {
		happens(y)
	}
	for _, p := range policies {
		if p.instalments {
			y.pay(n, p.name, "new policy", p.written/YearMonths)
		}
	}
}

func (y *year) pay(n int, policy, kind string, amount int) {
	y.paid[policy] = y.receipt("policyNumber", y.policies[policy], kind, amount, y.work(n))
}

// adjust adds cover to a policy, which is paid at once.
func (y *year) adjust(n int, policy string, more int) {
	p := policyOf(policy)
	of := p.line()
	body := of.amend(y.chain, y.policies[policy])
	body["endorsementType"] = y.endorsement(of, "addition")
	y.act(of.resource, y.policies[policy], ":endorse", y.priced(of, body, p.written+more))
	y.pay(n, policy, "mid term adjustment", more)
}

// notify creates a claim on a policy, for a loss on the day before.
func (y *year) notify(n int, claim, policy string, reserve int) {
	body := Record{
		"policyNumber": y.numberOf(policy), "lossDate": instant(y.work(n).AddDate(0, 0, -1)),
		"fnol": instant(y.work(n)), "claimType": y.any("claim", "claimType"), "location": pick(y.rng, towns).name,
		"reserve": reserve, "description": notReal,
	}
	policyOf(policy).line().causes(body, y.policies[policy])
	y.claims[claim] = y.create("claim", body)
}

// state compares what a broker says of a month of the motor contract with what is reported: one row is right, in one
// two digits have changed places, and one is of a policy of another contract.
func (y *year) state(n int) {
	contract, broker := reference(y.Seed, motor), reference(y.Seed, "BROKER")
	y.tell(n, "the statement of the broker %s has 205 for 250 of policy %s, and a row of policy %s, which is not "+
		"under %s", broker, y.numberOf("lorries"), y.numberOf("bakery"), contract)
	if y.whole {
		return
	}
	var said []row
	for _, of := range []struct {
		policy string
		gross  float64
	}{{"fleet", 100}, {"lorries", 205}, {"bakery", 150}} {
		said = append(said, row{"", y.numberOf(of.policy), "new policy", y.work(n), of.gross})
	}
	y.compare(broker, "EUR", said, Record{"contract": contract, "kind": desk.Premium, "period": y.named(n)})
}
