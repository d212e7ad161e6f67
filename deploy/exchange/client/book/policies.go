package book

import (
	"context"
	"fmt"
	"time"
)

// The fates of a policy. A fate is what happens to a policy after its creation. Policies have the fates in turn.
const (
	endorsed = iota
	extended
	renewed
	cancelled
	fates = cancelled + 3 // two in six policies stay as they are
)

// The policies that have records which disagree on purpose, as some do in every real book.
const (
	unpaid = 0 // nobody has paid its endorsement
	behind = 2 // its claim was settled after its row in the claims bordereau was written
)

// policy creates the i-th policy, its policyholder, what it insures, its claim and its receipts, and carries out its
// actions. i determines the line and the actions, so that a book of Smallest policies has all of them.
func (b *Book) policy(ctx context.Context, i int) error {
	c := b.chain(ctx, fmt.Sprintf("%d-%s-%d", b.Seed, day(b.AsOf), i), uint64(i)+1)
	of := lines[i%len(lines)]
	inception := b.AsOf.AddDate(0, 0, -between(c.rng, 60, 300, 1))
	expiry := inception.AddDate(1, 0, 0)
	holder := c.policyholder(of, i)
	body := of.write(c, i, holder)
	body["policyholderId"], body["inceptionDate"], body["expiryDate"] = holder["id"], instant(
		inception), instant(expiry)
	premium := between(c.rng, 200, 4800, 20)
	policy := c.create(of.resource, c.priced(of, body, premium))
	// A policy that is cancelled later is paid in two parts, of which the second is given back.
	later := 0
	if of.fate(i) == cancelled {
		later = premium / 2
	}
	paid := c.premium(policy, "new policy", premium-later, inception)
	if later > 0 {
		paid = c.premium(policy, "new policy", later, inception.AddDate(0, 0, 30))
	}
	if i%2 == 0 {
		c.claim(of, i, policy, inception) // before a cancellation, after which claims are refused
	}
	c.carry(of, i, policy, paid, premium, expiry)
	return c.err
}

// fate returns the fate of the i-th policy, so that each line has every fate in turn.
func (line) fate(i int) int { return (i%len(lines) + i/len(lines)) % fates }

// priced returns a body with the premium that is written, if policies of the line have such a member.
func (c *chain) priced(of line, body Record, premium int) Record {
	r, _ := c.catalog.Find(of.resource)
	if _, has := r.Member("grossWrittenPremium"); has {
		body["grossWrittenPremium"] = premium
	}
	return body
}

func (c *chain) policyholder(of line, i int) Record {
	if of.company {
		return c.create("commercial", Record{
			"name":               fmt.Sprintf("%s %s (fictional) Ltd", pick(c.rng, lastNames), pick(c.rng, trades)),
			"registrationNumber": c.number("F", i), "registeredAddress": c.address(),
		})
	}
	return c.create("personal", Record{
		"firstName": pick(c.rng, firstNames), "lastName": pick(c.rng, lastNames), "dob": c.birth(),
		"address": c.address(),
		"idType":  c.one("personal", "idType", "passport"), "idNumber": c.number("F", i),
	})
}

// carry carries out the fate of a policy.
func (c *chain) carry(of line, i int, policy, paid Record, premium int, expiry time.Time) {
	fate := of.fate(i)
	switch {
	case fate == endorsed && of.amend != nil:
		body, more := of.amend(c, policy), between(c.rng, 20, 180, 10)
		body["endorsementType"] = c.endorsement(of, "addition")
		c.act(of.resource, policy, ":endorse", c.priced(of, body, premium+more))
		if i == unpaid {
			c.differ("policy %s: of the premium of %d written, %d was received; nobody has paid the endorsement",
				policy.Text("policyNumber"), premium+more, premium)
			return
		}
		c.premium(policy, "mid term adjustment", more, c.AsOf)
	case fate == endorsed, fate == extended:
		c.act(of.resource, policy, ":endorse", Record{
			"endorsementType": c.endorsement(of, "policy extension"), "expiryDate": instant(expiry.AddDate(0, 1, 0)),
		})
	case fate == renewed && of.amend != nil:
		again := premium + between(c.rng, 0, 100, 10)
		next := c.act(of.resource, policy, ":renew", c.priced(of, Record{}, again))
		c.premium(next, "policy renewal", again, c.AsOf)
	case fate == cancelled:
		c.act(of.resource, policy, ":cancel",
			Record{"reason": pick(c.rng, []string{"sold", "other cover found", "moved abroad"})})
		c.act("receipt", paid, ":refund", Record{"receiptType": c.one("receipt", "receiptType", "other")})
		if amount, is := paid["paymentAmount"].(float64); is {
			c.received(policy, paid.Text("receiptType"), -int(amount))
		}
	}
}

// endorsement returns an endorsement type.
func (c *chain) endorsement(of line, preferred string) string {
	r, _ := c.catalog.Find(of.resource)
	if endorse, is := r.Action("endorse"); is {
		for _, m := range endorse.Members {
			if m.Path == "endorsementType" && len(m.Values) > 0 && c.err == nil {
				for _, value := range m.Values {
					if value == preferred {
						return value
					}
				}
				return m.Values[0]
			}
		}
	}
	return preferred
}

// premium creates a receipt of premium, which makes or changes a row of the premium bordereau.
func (c *chain) premium(policy Record, kind string, amount int, on time.Time) Record {
	receipt := c.receipt("policyNumber", policy, kind, amount, on)
	c.received(policy, receipt.Text("receiptType"), amount)
	return receipt
}

func (c *chain) receipt(by string, of Record, kind string, amount int, on time.Time) Record {
	return c.create("receipt", Record{
		"receiptType": c.one("receipt", "receiptType", kind), "receiptDate": day(on), "paymentAmount": amount,
		"premiumPaymentMethod": c.any("receipt", "premiumPaymentMethod"), by: of[by],
	})
}

// claim creates a claim. Claims in turn stay open, are closed, are reopened, and are closed again.
func (c *chain) claim(of line, i int, policy Record, inception time.Time) {
	loss := inception.AddDate(0, 0, between(c.rng, 35, 59, 1)).Add(time.Duration(between(c.rng, 0, 23, 1)) * time.Hour)
	body := Record{
		"policyNumber": policy["policyNumber"], "lossDate": instant(loss),
		"fnol":      instant(loss.AddDate(0, 0, between(c.rng, 1, 20, 1))),
		"claimType": c.any("claim", "claimType"), "location": pick(c.rng, towns).name,
		"reserve":     between(c.rng, 500, 9000, 500),
		"description": notReal,
	}
	of.causes(body, policy)
	claim := c.create("claim", body)
	c.act("claim", claim, "/documents",
		Record{"url": fmt.Sprintf("https://files.example/%d/%d.jpg", c.Seed, i), "type": "photo"})
	turn, paid := (i/2)%4, 0
	if turn > 0 {
		paid += c.settle(claim, between(c.rng, 300, 6000, 100), c.AsOf)
	}
	if turn > 1 {
		c.act("claim", claim, ":reopen", Record{})
	}
	if turn > 2 {
		paid += c.settle(claim, between(c.rng, 100, 900, 100), c.AsOf)
	}
	row := Record{
		"treatyReference": c.treaty(), "policyNumber": policy["policyNumber"], "fnol": body["fnol"],
		"GrosslLossReserve": body["reserve"], "paid": paid,
		"claimStatus": c.one("claimsBordereau", "claimStatus",
			[]string{"open", "closed", "reopened", "closed"}[turn]),
	}
	if i == behind {
		c.differ("claim %s: it is %s and %d was paid, but its row in the claims bordereau still says open and 0",
			claim.Text("claimNumber"), row["claimStatus"], paid)
		row["paid"], row["claimStatus"] = 0, c.one("claimsBordereau", "claimStatus", "open")
	}
	c.create("claimsBordereau", row)
}

// notReal describes a loss.
const notReal = "A loss that never happened, for trying out."

// causes gives a claim a cause that its policy covers, if policies of the line say what they cover.
func (l line) causes(claim, policy Record) {
	if covered, is := policy[l.perils].([]any); is && len(covered) > 0 {
		claim["lossCause"] = covered[0]
	}
}

// settle settles a claim, records the receipt of the payment, and returns the amount.
func (c *chain) settle(claim Record, amount int, on time.Time) int {
	c.act("claim", claim, ":settle", Record{"paymentAmount": amount, "paymentMethod": "electronic transfer"})
	c.receipt("claimNumber", claim, "claim payment", amount, on)
	return amount
}
