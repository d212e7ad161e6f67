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
	policy := c.create(of.resource, body)
	premium := between(c.rng, 200, 4800, 20)
	paid := c.receipt("policyNumber", policy, "new policy", premium, inception)
	if i%2 == 0 {
		c.claim(of, i, policy, inception) // before a cancellation, after which claims are refused
	}
	c.row(i, holder, policy, premium, inception, expiry)
	c.fate(of, i, policy, paid, premium, expiry)
	return c.err
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

func (c *chain) fate(of line, i int, policy, paid Record, premium int, expiry time.Time) {
	fate := (i%len(lines) + i/len(lines)) % fates // each line has every fate in turn
	switch {
	case fate == endorsed && of.amend != nil:
		body := of.amend(c, policy)
		body["endorsementType"] = c.endorsement(of, "addition")
		c.act(of.resource, policy, ":endorse", body)
		c.receipt("policyNumber", policy, "mid term adjustment", between(c.rng, 20, 180, 10), c.AsOf)
	case fate == endorsed, fate == extended:
		c.act(of.resource, policy, ":endorse", Record{
			"endorsementType": c.endorsement(of, "policy extension"), "expiryDate": instant(expiry.AddDate(0, 1, 0)),
		})
	case fate == renewed && of.amend != nil:
		next := c.act(of.resource, policy, ":renew", Record{})
		c.receipt("policyNumber", next, "policy renewal", premium+between(c.rng, 0, 100, 10), c.AsOf)
	case fate == cancelled:
		c.act(of.resource, policy, ":cancel",
			Record{"reason": pick(c.rng, []string{"sold", "other cover found", "moved abroad"})})
		c.act("receipt", paid, ":refund", Record{"receiptType": c.one("receipt", "receiptType", "other")})
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

func (c *chain) receipt(by string, of Record, kind string, amount int, on time.Time) Record {
	return c.create("receipt", Record{
		"receiptType": c.one("receipt", "receiptType", kind), "receiptDate": day(on), "paymentAmount": amount,
		"premiumPaymentMethod": c.any("receipt", "premiumPaymentMethod"), by: of[by],
	})
}

// row makes a row of the premium bordereau for every third policy.
func (c *chain) row(i int, holder, policy Record, premium int, inception, expiry time.Time) {
	if i%3 != 0 {
		return
	}
	c.create("premiumBordereau", Record{
		"treatyReference": c.treaty(), "policyholder": holder["id"], "policyNumber": policy["policyNumber"],
		"inceptionDate": instant(inception), "expiryDate": instant(expiry), "grossWrittenPremium": premium,
		"netPremium":      premium * 85 / 100,
		"transactionType": c.one("premiumBordereau", "transactionType", "new policy"),
	})
}

// treaty returns the treaty of the examples, so that a list filtered by it has several rows.
func (c *chain) treaty() string { return c.shared["premiumBordereau"].Text("treatyReference") }

// claim creates a claim. Claims in turn stay open, are closed, are reopened, and are closed again.
func (c *chain) claim(of line, i int, policy Record, inception time.Time) {
	loss := inception.AddDate(0, 0, between(c.rng, 35, 59, 1)).Add(time.Duration(between(c.rng, 0, 23, 1)) * time.Hour)
	body := Record{
		"policyNumber": policy["policyNumber"], "lossDate": instant(loss),
		"fnol":      instant(loss.AddDate(0, 0, between(c.rng, 1, 20, 1))),
		"claimType": c.any("claim", "claimType"), "location": pick(c.rng, towns).name,
		"reserve":     between(c.rng, 500, 9000, 500),
		"description": "A loss that never happened, for trying out.",
	}
	if covered, is := policy[of.perils].([]any); is && len(covered) > 0 {
		body["lossCause"] = covered[0]
	}
	claim := c.create("claim", body)
	c.act("claim", claim, "/documents",
		Record{"url": fmt.Sprintf("https://files.example/%d/%d.jpg", c.Seed, i), "type": "photo"})
	turn := (i / 2) % 4
	if turn > 0 {
		amount := between(c.rng, 300, 6000, 100)
		c.settle(claim, amount)
		c.receipt("claimNumber", claim, "claim payment", amount, c.AsOf)
	}
	if turn > 1 {
		c.act("claim", claim, ":reopen", Record{})
	}
	if turn > 2 {
		c.settle(claim, between(c.rng, 100, 900, 100))
	}
	c.create("claimsBordereau", Record{
		"treatyReference": c.treaty(), "policyNumber": policy["policyNumber"], "fnol": body["fnol"],
		"GrosslLossReserve": body["reserve"],
		"claimStatus": c.one("claimsBordereau", "claimStatus",
			[]string{"open", "closed", "reopened", "closed"}[turn]),
	})
}

func (c *chain) settle(claim Record, amount int) {
	c.act("claim", claim, ":settle", Record{"paymentAmount": amount, "paymentMethod": "electronic transfer"})
}
