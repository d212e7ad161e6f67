package book

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/go-json-experiment/json"
)

// exampleOrder lists the resources in an order in which each follows the resources that it refers to.
var exampleOrder = []string{
	"personal", "commercial", "insuranceEntity", "beneficiary", "policyWording", "product",
	"vehicle", "driver", "business", "traveller", "property", "debtor", "pet",
	"motorCoverage", "cyberLiabilityCoverage", "travelCoverage", "propertyCoverage", "tradeCreditCoverage",
	"businessInterruptionCoverage", "petCoverage",
	"claim", "receipt", "claimsBordereau", "premiumBordereau",
}

// references maps each member that refers to another record to the resource and the member whose value it has.
var references = map[string]struct{ resource, member string }{
	"policyholderId": {"personal", "id"}, "vehicleId": {"vehicle", "id"}, "driverId": {"driver", "id"},
	"businessId": {"business", "id"}, "propertyId": {"property", "id"}, "propertyRef": {"property", "id"},
	"debtorId": {"debtor", "id"}, "petId": {"pet", "id"}, "wordingId": {"policyWording", "id"},
	"wording":      {"policyWording", "id"},
	"travellerIds": {"traveller", "id"}, "propertyIds": {"property", "id"},
	"policyNumber": {"motorCoverage", "policyNumber"}, "claimNumber": {"claim", "claimNumber"},
	"policyholder": {"personal", "id"},
}

// examples creates the records of the examples in the OpenAPI document, so that the records which the document and
// its pages name exist. Only the identifiers and numbers that the exchange issues differ. The records are the same
// for every seed. The row of the premium bordereau is not created, because the receipt makes it.
func (b *Book) examples(ctx context.Context) error {
	c := b.chain(ctx, "example", 0)
	c.rng = rand.New(rand.NewPCG(0, 0))
	for _, name := range exampleOrder {
		r, known := b.catalog.Find(name)
		if !known || r.Example == nil {
			return fmt.Errorf("the exchange's OpenAPI document has no example of %s", name)
		}
		body := b.linked(r.Example)
		switch name {
		case "premiumBordereau":
			b.shared[name] = body
			continue
		case "claimsBordereau":
			c.exampleClaim(body)
			body["fnol"] = b.shared["claim"]["fnol"]
		case "receipt":
			if amount, is := body["paymentAmount"].(float64); is {
				b.received(body, body.Text("receiptType"), int(amount))
			}
		}
		b.shared[name] = c.create(name, body)
		// The claim of the example is for a peril that the policy's endorsement adds.
		for _, action := range r.Actions {
			if action.Name == "endorse" && action.Example != nil {
				c.act(name, b.shared[name], ":endorse", b.linked(action.Example))
			}
		}
	}
	return c.err
}

// exampleClaim brings the claim of the examples to what the example of its row in the claims bordereau says.
func (c *chain) exampleClaim(row Record) {
	claim := c.shared["claim"]
	c.replace("claim", claim, Record{"reserve": row["GrosslLossReserve"]})
	if paid, is := row["paid"].(float64); is {
		reported, err := time.Parse(time.RFC3339, claim.Text("fnol"))
		if err != nil && c.err == nil {
			c.err = fmt.Errorf("the example of claim has no fnol: %w", err)
		}
		c.settle(claim, int(paid), reported.AddDate(0, 0, 18))
	}
}

// linked returns an example whose references are to the records that were created.
func (b *Book) linked(example []byte) Record {
	var body Record
	if json.Unmarshal(example, &body) != nil {
		return Record{}
	}
	for name, to := range references {
		switch body[name].(type) {
		case string:
			body[name] = b.shared[to.resource].Text(to.member)
		case []any:
			body[name] = []string{b.shared[to.resource].Text(to.member)}
		}
	}
	return body
}
