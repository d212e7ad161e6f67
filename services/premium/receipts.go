package premium

import (
	"context"
	"fmt"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/query"
)

// receiptsPage is the response of the internal operation that returns receipts in an order that never changes.
type receiptsPage struct {
	Receipts []receiptOfPage `json:"receipts"`
	More     bool            `json:"more"`
}

type receiptOfPage struct {
	Record       jsontext.Value `json:"record"`
	PolicyNumber string         `json:"policyNumber,omitzero"`
	aside
	Awaited bool `json:"awaited,omitzero"`
}

// aside is what is kept with a receipt since its creation, so that it is told from what a receipt of an earlier release
// has under the same name.
type aside struct {
	EffectiveDate scalar.Date `json:"effectiveDate,omitzero"`
}

var receiptPlaces = query.Places{Oldest: internalapi.Oldest, Limit: rest.DefaultLimit, Most: rest.MaxLimit}

// allReceipts serves the internal operation that returns all receipts, page by page.
func (e *environment) allReceipts(c *gin.Context) {
	var page receiptsPage
	at, err := receiptPlaces.Read(c.Param("after"), c.Request.URL.RawQuery)
	if err == nil {
		page, err = e.receiptsAfter(c.Request.Context(), at.After, at.Limit)
	}
	rest.Respond(c, page, err)
}

func (e *environment) receiptsAfter(ctx context.Context, after uuid.UUID, limit int) (receiptsPage, error) {
	page := receiptsPage{Receipts: []receiptOfPage{}}
	docs, more, err := docstore.FindSettled(ctx, e.receipts.Stored(), request.OrganisationFrom(ctx), docstore.Query{
		After: after, Limit: limit, Bytes: rest.MaxPage, WithState: true, Own: true,
	})
	if err != nil {
		return page, err
	}
	page.More = more
	for _, doc := range docs {
		shown, _, err := e.receipts.Shown(doc)
		if err != nil {
			return page, err
		}
		origin, err := rest.OriginOf(doc)
		if err != nil {
			return page, err
		}
		var of row // where receipts are not aggregated, they are in none
		if pinned := origin.Pinned[rowIndex]; pinned != "" {
			if of, err = parseRow(pinned); err != nil {
				return page, err
			}
		}
		var kept aside
		if len(origin.Aside) > 0 {
			if err := json.Unmarshal(origin.Aside, &kept); err != nil {
				return page, fmt.Errorf("stored receipt %s: %w", doc.ID, err)
			}
		}
		page.Receipts = append(page.Receipts, receiptOfPage{shown.Record, of.PolicyNumber, kept, doc.Unsent})
	}
	return page, nil
}
