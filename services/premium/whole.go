package premium

import (
	"context"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/internalapi"
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

// ofPolicy serves the internal operation that returns the receipts and rows of a policy.
func (e *environment) ofPolicy(c *gin.Context) {
	asked, err := query.ReadPart(c.Request.URL.RawQuery, internalapi.MostSkipped, internalapi.ReceiptsPart,
		internalapi.RowsPart)
	var parts struct {
		Receipts *query.Part `json:"receipts,omitzero"`
		Rows     *query.Part `json:"rows,omitzero"`
	}
	read := func(name string, from func(context.Context, string, string, int, int) (query.Part, error)) *query.Part {
		if err != nil || !asked.Wants(name) {
			return nil
		}
		var records query.Part
		records, err = from(c.Request.Context(), policyIndex, c.Param("policyNumber"), asked.Skip,
			internalapi.LengthOfPart)
		return &records
	}
	parts.Receipts = read(internalapi.ReceiptsPart, e.receipts.Part)
	parts.Rows = read(internalapi.RowsPart, e.rows.Part)
	rest.Respond(c, parts, err)
}
