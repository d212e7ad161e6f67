package book

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/go-json-experiment/json"
)

// examples creates the records of the examples in the OpenAPI document, so that the records which the document and
// its pages name exist. Only the identifiers and numbers that the exchange issues differ. The records are the same
// for every seed. The row of the premium bordereau is not created, because the receipt makes it.
func (b *Book) examples(ctx context.Context) error {
	c := b.chain(ctx, "example", 0)
	c.rng = rand.New(rand.NewPCG(0, 0))
	for _, name := range read().Examples {
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
		b.shared[name] = c.request(name, "/"+name, body)
		// The claim of the example is for a peril that the policy's endorsement adds.
		if endorse, is := r.Action("endorse"); is && endorse.Example != nil {
			c.request("", "/"+name+"/"+b.shared[name].Text("id")+":endorse", b.linked(endorse.Example))
		}
	}
	return c.err
}

// exampleClaim brings the claim of the examples to what the example of its row in the claims bordereau says.
func (c *chain) exampleClaim(row Record) {
	claim := c.shared["claim"]
	c.replace("/claim/"+claim.Text("id"), claim, Record{"reserve": row["GrosslLossReserve"]})
	paid, is := row["paid"].(float64)
	if !is || c.err != nil {
		return
	}
	reported, err := time.Parse(time.RFC3339, claim.Text("fnol"))
	if err != nil {
		c.err = fmt.Errorf("the example of claim has no fnol: %w", err)
	}
	c.vars["claim"], c.vars["amount"], c.vars["on"], c.vars["settled"] = claim, int(paid), reported.AddDate(0, 0, 18), 0
	c.tell("settle")
}

// linked returns an example whose references are to the records that were created.
func (b *Book) linked(example []byte) Record {
	var body Record
	if json.Unmarshal(example, &body) != nil {
		return Record{}
	}
	for name, to := range read().References {
		of := b.shared[to[0]].Text(to[1])
		switch body[name].(type) {
		case string:
			body[name] = of
		case []any:
			body[name] = []string{of}
		}
	}
	return body
}
