// Package parties is the service for the parties: those who insure, are insured, or are paid.
package parties

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/query"
)

// Service returns the service.
func Service() rest.Service {
	return rest.Service{
		Name: "parties", Summary: "The parties of the Insurance Exchange Service",
		Foreign: settings.All(),
		Sets:    func(path string) (rest.Sets, error) { return valuesets.Load(path) },
		Declare: declare,
	}
}

// exists is a function that reports whether a resource has a record with an id.
type exists func(ctx context.Context, id string) (bool, error)

func declare(s *rest.Server, _ process.Deps) (rest.Parts, error) {
	kinds := map[string]exists{}
	add(kinds, rest.Add(s, personal()))
	add(kinds, rest.Add(s, commercial()))
	add(kinds, rest.Add(s, insuranceEntity()))
	add(kinds, rest.Add(s, beneficiary()))
	return rest.Parts{
		Internal: func(router gin.IRouter) {
			router.GET(internalapi.PartyPath+":id", func(c *gin.Context) { find(c, kinds) })
			router.GET(internalapi.PartyRecordPath+":id", func(c *gin.Context) { read(c, s, kinds) })
		},
		LookedUp: func(doc docstore.Document) (string, any, error) {
			resource, err := rest.ResourceOf(doc)
			return internalapi.PartyPath + doc.ID.String(),
				internalapi.Party{ID: doc.ID.String(), Resource: resource}, err
		},
	}, nil
}

func add[T any](kinds map[string]exists, records *rest.Records[*T]) {
	kinds[records.Name] = func(ctx context.Context, id string) (bool, error) {
		_, found, err := records.Get(ctx, id)
		return found, err
	}
}

// find serves the internal operation that looks up a party of any kind by its id.
func find(c *gin.Context, kinds map[string]exists) {
	id := c.Param("id")
	resource, err := resourceOf(c.Request.Context(), id, kinds)
	if err != nil {
		rest.Respond(c, nil, err)
		return
	}
	c.JSON(http.StatusOK, internalapi.Party{ID: id, Resource: resource})
}

// read serves the internal operation that returns a party of any kind by its id.
func read(c *gin.Context, s *rest.Server, kinds map[string]exists) {
	ctx, id := c.Request.Context(), c.Param("id")
	resource, err := resourceOf(ctx, id, kinds)
	var record query.Shown
	if err == nil {
		record, _, err = s.Show(ctx, resource, id)
	}
	rest.Respond(c, record, err)
}

// resourceOf returns the resource of the party with an id. Errors: there is none.
func resourceOf(ctx context.Context, id string, kinds map[string]exists) (string, error) {
	for resource, has := range kinds {
		found, err := has(ctx, id)
		if err != nil || found {
			return resource, err
		}
	}
	return "", problem.New(problem.NotFound, "There is no such party.")
}
