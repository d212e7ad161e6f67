package book

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
)

// exampleOrder is the resources in an order in which each comes after those that it refers to.
var exampleOrder = []string{
	"personal", "commercial", "insuranceEntity", "beneficiary", "policyWording", "product",
	"vehicle", "driver", "business", "traveller", "property", "debtor", "pet",
	"motorCoverage", "cyberLiabilityCoverage", "travelCoverage", "propertyCoverage", "tradeCreditCoverage",
	"businessInterruptionCoverage", "petCoverage",
	"claim", "receipt", "claimsBordereau", "premiumBordereau",
}

// references are the members that refer to another record, and the resource and the member whose value they have.
var references = map[string]struct{ resource, member string }{
	"policyholderId": {"personal", "id"}, "vehicleId": {"vehicle", "id"}, "driverId": {"driver", "id"},
	"businessId": {"business", "id"}, "propertyId": {"property", "id"}, "propertyRef": {"property", "id"},
	"debtorId": {"debtor", "id"}, "petId": {"pet", "id"}, "wordingId": {"policyWording", "id"}, "wording": {"policyWording", "id"},
	"travellerIds": {"traveller", "id"}, "propertyIds": {"property", "id"},
	"policyNumber": {"motorCoverage", "policyNumber"}, "claimNumber": {"claim", "claimNumber"}, "policyholder": {"personal", "id"},
}

// examples makes the records of the OpenAPI document's examples, so that what they and the pages made from them name is
// there: the first person, the first vehicle and so on. Identifiers and numbers that the exchange issues differ. They
// are the same for every seed.
func (b *Book) examples(ctx context.Context) error {
	c := b.chain(ctx, "example", 0)
	for _, name := range exampleOrder {
		r, known := b.catalog.Find(name)
		if !known || r.Example == nil {
			return fmt.Errorf("the exchange's OpenAPI document has no example of %s", name)
		}
		b.shared[name] = c.create(name, b.linked(r.Example))
		// The claim of the example is for a peril that the policy's endorsement adds.
		for _, action := range r.Actions {
			if action.Name == "endorse" && action.Example != nil {
				c.act(name, b.shared[name], ":endorse", b.linked(action.Example))
			}
		}
	}
	return c.err
}

// linked returns an example with the references to what was made.
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
