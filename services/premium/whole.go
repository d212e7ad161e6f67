package premium

import (
	"context"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/query"
)

// policyIndex is the name of the index by which the receipts and rows of a policy are found.
const policyIndex = "policyNumber"

// mountInternal adds the operations for other services to a router.
func (e *environment) mountInternal(router gin.IRouter) {
	router.GET(internalapi.PolicyPremiumPath+":policyNumber", e.ofPolicy)
	e.access.Mount(router, internalapi.AccessPath, internalapi.RefusedPath)
	router.GET(internalapi.ReceiptsPath+":after", e.allReceipts)
	e.mountCompared(router)
}

// receiptsPart is some receipts, each with what is left of it.
type receiptsPart struct {
	Records []shownReceipt `json:"records"`
	More    bool           `json:"more"`
}

type shownReceipt struct {
	query.Shown
	// Left is nil for a refund.
	Left *scalar.Int `json:"left,omitzero"`
}

// ofPolicy serves the internal operation that returns the receipts and rows of a policy.
func (e *environment) ofPolicy(c *gin.Context) {
	ctx, policyNumber := c.Request.Context(), c.Param("policyNumber")
	asked, err := query.ReadPart(c.Request.URL.RawQuery, internalapi.MostSkipped, internalapi.ReceiptsPart,
		internalapi.RowsPart)
	var parts struct {
		Receipts *receiptsPart `json:"receipts,omitzero"`
		Rows     *query.Part   `json:"rows,omitzero"`
	}
	if err == nil && asked.Wants(internalapi.ReceiptsPart) {
		parts.Receipts, err = e.receiptsOf(ctx, policyNumber, asked.Skip)
	}
	if err == nil && asked.Wants(internalapi.RowsPart) {
		var rows query.Part
		rows, err = e.rows.Part(ctx, policyIndex, policyNumber, asked.Skip, internalapi.LengthOfPart)
		parts.Rows = &rows
	}
	rest.Respond(c, parts, err)
}

// receiptsOf returns receipts of a policy with what is left of each. Where they are all that it has, they have the
// refunds as well.
func (e *environment) receiptsOf(ctx context.Context, policyNumber string, skip int) (*receiptsPart, error) {
	page, err := e.receipts.Part(ctx, policyIndex, policyNumber, skip, internalapi.LengthOfPart)
	if err != nil {
		return nil, err
	}
	receipts, refunded := make([]premium.Receipt, len(page.Records)), map[scalar.ID]scalar.Int{}
	for i, shown := range page.Records {
		if err := json.Unmarshal(shown.Record, &receipts[i]); err != nil {
			return nil, err
		}
		refunded[receipts[i].Reverses] += amountOf(&receipts[i])
	}
	reading, reader := errgroup.WithContext(ctx)
	reading.SetLimit(query.Together)
	part := &receiptsPart{Records: make([]shownReceipt, len(page.Records)), More: page.More}
	for i, shown := range page.Records {
		part.Records[i].Shown = shown
		if receipts[i].Reverses != "" {
			continue
		}
		left := amountOf(&receipts[i]) - refunded[receipts[i].ID]
		part.Records[i].Left = &left
		if skip > 0 || page.More {
			reading.Go(func() (err error) {
				left, err = e.left(reader, &receipts[i])
				return err
			})
		}
	}
	return part, reading.Wait()
}
