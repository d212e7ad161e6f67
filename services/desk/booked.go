package desk

import (
	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/query"
)

// mountBooked adds the operations to a router by which the book learns what policies belong to.
func (o *office) mountBooked(router gin.IRouter) {
	router.GET(internalapi.BookedContractsPath, func(c *gin.Context) {
		booked, err := o.bookedContracts(c)
		rest.Respond(c, booked, err)
	})
	router.GET(internalapi.BookedAssignmentsPath+":after", func(c *gin.Context) {
		booked, err := o.bookedAssignments(c)
		rest.Respond(c, booked, err)
	})
}

func (o *office) bookedContracts(c *gin.Context) (booked internalapi.BookedContracts, err error) {
	all, err := o.contracts.All(c.Request.Context())
	booked.Contracts = []internalapi.BookedContract{}
	for _, k := range all {
		var until map[string]scalar.DateTime // absent where there are none
		for line, at := range k.Until {
			if until == nil {
				until = map[string]scalar.DateTime{}
			}
			until[line] = scalar.Instant(at)
		}
		booked.Contracts = append(booked.Contracts, internalapi.BookedContract{Reference: k.Reference, Lines: k.Lines,
			From: scalar.Instant(k.From), Before: scalar.Instant(k.Before), Until: until, TimeZone: k.Zone.String(),
			Currency: k.Currency, AmountUnit: k.AmountUnit, CommissionPercentage: k.CommissionPercentage,
			Frequency: k.Frequency, QuarterBegins: k.QuarterBegins, Inception: k.Inception,
			YearOfAccount: *k.YearOfAccount})
	}
	return booked, err
}

func (o *office) bookedAssignments(c *gin.Context) (booked internalapi.BookedAssignments, err error) {
	at, err := query.Places{Oldest: internalapi.Oldest, Limit: query.DefaultLimit, Most: query.MaxLimit}.
		Read(c.Param("after"), c.Request.URL.RawQuery)
	if err != nil {
		return booked, err
	}
	assigned, next, err := o.contracts.Assigned(c.Request.Context(), at.After, at.Limit)
	booked.Assignments = []internalapi.BookedAssignment{}
	for _, a := range assigned {
		booked.Assignments = append(booked.Assignments,
			internalapi.BookedAssignment{PolicyNumber: a.PolicyNumber, Contract: a.Contract})
	}
	booked.Next = next
	return booked, err
}
