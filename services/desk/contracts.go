package desk

import (
	"context"
	"net/http"
	"reflect"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/condition"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/services/desk/contract"
)

const (
	contractsPath = rest.ExtensionPrefix + "/contract"
	contractPath  = contractsPath + "/{contract}"
)

// afterParameter is the parameter by which a list goes on.
var afterParameter = rest.Parameter{Name: "after", Means: "The next of the page before; absent for the first page."}

// ownerParameter is the parameter that says whose contract a reference names.
var ownerParameter = rest.Parameter{Name: "owner", Means: "The organisation whose contract it is, where several " +
	"share the exchange. Without it the contract is the caller's own or, if it has none of this reference, the only " +
	"one that it sees; of several none is taken (409, ambiguous)."}

// contractOperations are the operations about contracts.
func (o *office) contractOperations() []rest.Extension {
	shown := reflect.TypeFor[desk.ContractVersion]()
	return o.inSight(rest.Extension{
		Path: contractsPath, Method: http.MethodGet, ID: "listContracts", Summary: "The contracts, by reference",
		Parameters: []string{"limit"}, Query: []rest.Parameter{afterParameter},
		Response: reflect.TypeFor[desk.ContractList](), Serve: o.listContracts,
	}, rest.Extension{
		Path: contractPath, Method: http.MethodGet, ID: "readContract",
		Summary: "A contract, as it is now or was at an instant", Response: shown, Tagged: true,
		Parameters: []string{"contract"},
		Query:      []rest.Parameter{{Name: "at", Format: "date-time", Means: "The instant; now without it."}},
		Refuses:    []problem.Kind{problem.NotFound}, Serve: o.readContract,
	}, rest.Extension{
		Path: contractPath, Method: http.MethodPut, Writes: true, ID: "putContract",
		Summary: "Make a contract, or replace it",
		Details: "Where organisations share the exchange, its counterparty is one of them: it reads the contract and " +
			"what is approved under it, and acknowledges; with preview also what is not approved yet. Every " +
			"version is kept, and none is removed. A policy belongs to the contract by its line and " +
			"by the inceptionDate with which it was first recorded, or because it is assigned. A rule that " +
			"leaves out a policy which is in a version that is pending or approved is refused. There are 500 " +
			"contracts at most.",
		Body: reflect.TypeFor[desk.ContractTerms](), Response: shown, Tagged: true, Parameters: []string{"contract"},
		Refuses: []problem.Kind{
			problem.Invalid, problems.ContractOverlap, problems.ContractInUse, problems.TooManyContracts,
		},
		Serve: o.putContract,
	}, rest.Extension{
		Path: contractPath + "/policy/{policyNumber}", Method: http.MethodPut, Writes: true, ID: "assignPolicy",
		Summary:  "Assign a policy to a contract, whatever the rules of contracts say",
		Response: reflect.TypeFor[desk.PolicyAssignment](), Parameters: []string{"contract", "policyNumber"},
		Refuses: []problem.Kind{problem.NotFound, problems.PolicyNotFound, problems.ContractInUse},
		Serve:   o.assign,
	})
}

// pageOf returns the place after which a list begins, and how many items it has. Errors: problem.BadParameter.
func pageOf(c *gin.Context) (after string, limit int, err error) {
	limit = rest.DefaultLimit
	if text, given := c.GetQuery("limit"); given {
		if wrong := query.Whole(text, 1, rest.MaxLimit, &limit); wrong != "" {
			err = problem.New(problem.BadParameter, "").InParameter("limit", wrong)
		}
	}
	return c.Query("after"), limit, err
}

func (o *office) listContracts(c *gin.Context, _ any) (any, error) {
	after, limit, err := pageOf(c)
	if err != nil {
		return nil, err
	}
	all, err := o.contracts.InSightAll(c.Request.Context())
	if err != nil {
		return nil, err
	}
	page := desk.ContractList{Contracts: []desk.ContractVersion{}}
	last := ""
	for _, k := range all {
		if k.Place() <= after {
			continue
		}
		if len(page.Contracts) == limit {
			page.Next = last
			break
		}
		last = k.Place()
		page.Contracts = append(page.Contracts, shownIn(k.As, k.Kept))
	}
	return page, nil
}

func (o *office) readContract(c *gin.Context, _ any) (any, error) {
	ctx, reference := c.Request.Context(), c.Param("contract")
	text, past := c.GetQuery("at")
	if !past {
		return tagged(c)(o.contracts.Get(ctx, reference))
	}
	at, wrong := query.Instant(text, query.InstantForm)
	if wrong != "" {
		return nil, problem.New(problem.BadParameter, "").InParameter("at", wrong)
	}
	return tagged(c)(o.contracts.At(ctx, reference, at))
}

// tagged returns a contract with its entity tag.
func tagged(c *gin.Context) func(*contract.Kept, error) (any, error) {
	return func(k *contract.Kept, err error) (any, error) {
		if err != nil {
			return nil, err
		}
		c.Header("ETag", k.Tag())
		return shownIn(c.Request.Context(), k), nil
	}
}

// shownIn returns a contract as the reader sees it in whose context it was read.
func shownIn(as context.Context, k *contract.Kept) desk.ContractVersion {
	version := k.Shown()
	contract.Hide(as, &version)
	return version
}

func (o *office) putContract(c *gin.Context, body any) (any, error) {
	reference := c.Param("contract")
	if wrong := contract.ReferenceWrong(reference); wrong != "" {
		return nil, problem.New(problem.BadParameter, "").InParameter("contract", wrong)
	}
	return tagged(c)(o.contracts.Put(c.Request.Context(), reference, *body.(*desk.ContractTerms),
		func(tag string) error { return condition.Judge(c.Request.Header, tag) }, o.desk.Taken))
}

func (o *office) assign(c *gin.Context, _ any) (any, error) {
	ctx, reference, number := c.Request.Context(), c.Param("contract"), c.Param("policyNumber")
	if _, err := o.contracts.Get(ctx, reference); err != nil {
		return nil, err
	}
	attached, err := o.source.Attachments(ctx, []string{number})
	if err != nil {
		return nil, err
	}
	a, known := attached[number]
	if !known && request.OrganisationFrom(ctx).Name() != "" {
		_, seen, err := o.source.Access(ctx, number)
		if err != nil {
			return nil, err
		}
		if seen {
			return nil, problem.New(problem.RightMissing,
				"Another organisation owns the policy, and alone reports it.").With("right", shared.OwnerRight)
		}
	}
	if !known {
		return nil, problem.New(problems.PolicyNotFound, "No policy has this policyNumber.")
	}
	return o.contracts.Assign(ctx, reference, contract.Policy{Number: number, Line: a.Line, Inception: a.InceptionDate},
		o.desk.Reported)
}

// unassigned serves the list of policies that have receipts or claims and belong to no contract.
func (o *office) unassigned(c *gin.Context, _ any) (any, error) {
	after, limit, err := pageOf(c)
	if err != nil {
		return nil, err
	}
	return o.desk.Unassigned(c.Request.Context(), after, limit)
}
