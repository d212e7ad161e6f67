package desk

import (
	"context"
	"net/http"
	"reflect"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/condition"
	"insurance.example/exchange/services/desk/contract"
)

// supplementOperations are the operations about what a bordereau asks for and a claim does not have.
func (o *office) supplementOperations() []rest.Extension {
	const path = rest.ExtensionPrefix + "/supplement/claim/{id}"
	shown := reflect.TypeFor[desk.ClaimSupplementVersion]()
	return []rest.Extension{{
		Path: path, Method: http.MethodGet, ID: "readClaimSupplement", Parameters: []string{"id"},
		Summary: "What was added to a claim for its bordereaux", Response: shown, Tagged: true,
		Refuses: []problem.Kind{problem.NotFound},
		Serve: func(c *gin.Context, _ any) (any, error) {
			ctx, err := o.asOwner(c, shared.ReadRight)
			if err != nil {
				return nil, err
			}
			s, tag, err := o.desk.Supplement(ctx, c.Param("id"))
			return supplement(ctx, c, s, tag, err)
		},
	}, {
		Path: path, Method: http.MethodPut, Writes: true, ID: "putClaimSupplement", Parameters: []string{"id"},
		Summary: "Add to a claim what its bordereaux ask for",
		Details: "What is absent is reported as not provided. Every version is kept; a version of a bordereau shows " +
			"what there was when it was prepared. What is added belongs to the owner of the claim's policy; a " +
			"participant needs the right claims.",
		Body: reflect.TypeFor[desk.ClaimSupplement](), Response: shown, Tagged: true,
		Refuses: []problem.Kind{problem.RightMissing, problem.NotFound, problem.Invalid},
		Serve: func(c *gin.Context, body any) (any, error) {
			ctx, err := o.asOwner(c, shared.ClaimsRight)
			if err != nil {
				return nil, err
			}
			s, tag, err := o.desk.PutSupplement(ctx, c.Param("id"), *body.(*desk.ClaimSupplement),
				func(tag string) error { return condition.Judge(c.Request.Header, tag) })
			return supplement(ctx, c, s, tag, err)
		},
	}}
}

// asOwner returns the context of a request about a claim: what is added to it belongs to the owner of its policy, in
// whose name a participant with a right works. Errors: problem.RightMissing.
func (o *office) asOwner(c *gin.Context, right string) (context.Context, error) {
	ctx := c.Request.Context()
	who := request.OrganisationFrom(ctx).Name()
	id, err := uuid.Parse(c.Param("id"))
	if who == "" || err != nil {
		return ctx, nil //nolint:nilerr // what is no id names no claim
	}
	number, known, err := o.source.PolicyOfClaim(ctx, id.String())
	if err != nil || !known {
		return ctx, err
	}
	list, seen, err := o.source.Access(ctx, number)
	if err != nil || !seen || list.Owner == who {
		return ctx, err
	}
	for _, p := range list.Participants {
		if p.Organisation == who && slices.Contains(p.Rights, right) {
			return contract.AsReader(ctx, list.Owner)
		}
	}
	return nil, problem.New(problem.RightMissing, "Another organisation owns the policy of the claim, and shares it "+
		"without this right.").With("right", right)
}

// supplement returns a supplement as the caller sees it, with its entity tag.
func supplement(
	ctx context.Context, c *gin.Context, s desk.ClaimSupplementVersion, tag string, err error,
) (any, error) {
	if err != nil {
		return nil, err
	}
	c.Header("ETag", tag)
	contract.Hide(ctx, &s)
	return s, nil
}
