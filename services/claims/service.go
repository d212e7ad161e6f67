// Package claims is the service that owns the losses reported against policies of any line.
package claims

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/jsonobject"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/inspect"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/pkg/rest/share"
	"insurance.example/exchange/pkg/setting"
)

// Service returns the service.
func Service() rest.Service {
	var reportingWindow *time.Duration
	var mostDocuments int
	return rest.Service{
		Name: "claims", Summary: "The claims of the Insurance Exchange Service",
		Told:    []string{settings.ReportingWindow, settings.ClaimDocuments},
		Foreign: settings.All(), Peers: []string{"coverage"},
		Sets: func(path string) (rest.Sets, error) { return valuesets.Load(path) },
		Flags: func(flags *pflag.FlagSet) {
			reportingWindow = setting.SharedDuration(flags, settings.ReportingWindow,
				"a claim notified later than this after the loss carries a warning, such as 720h; if not set, no "+
					"claim does")
			setting.IntVar(flags, &mostDocuments, settings.ClaimDocuments, 1000, 1, jsonobject.MaxElements,
				"greatest number of documents of a claim")
		},
		Declare: func(s *rest.Server, deps process.Deps) (rest.Parts, error) {
			e := &environment{
				sets: s.Sets, zone: s.Zone, coverage: deps.Peer("coverage"), mostDocuments: mostDocuments,
			}
			if reportingWindow != nil {
				e.reportingWindow = *reportingWindow
			}
			if e.reportingWindow == 0 {
				deps.Unset(settings.ReportingWindow, "no claim carries a late-notification warning")
			}
			records := rest.Add(s, claim(e))
			e.claims = records
			rows := rest.Add(s, e.bordereau())
			access := share.New(deps, records.Stored, rows.Stored)
			return rest.Parts{
				Open: access.Open,
				Internal: func(router gin.IRouter) {
					router.GET(internalapi.ClaimPath+":claimNumber", func(c *gin.Context) { lookup(c, records) })
					access.Mount(router, internalapi.AccessPath, internalapi.RefusedPath)
					router.GET(internalapi.PolicyClaimsPath+":policyNumber", func(c *gin.Context) {
						ofPolicy(c, records, rows)
					})
					router.GET(internalapi.ClaimsPath+":after", func(c *gin.Context) {
						allClaims(c, records, deps.Now)
					})
				},
				LookedUp: func(doc docstore.Document) (string, any, error) { return lookedUp(doc, records) },
				Examine: func(ctx context.Context, x inspect.Examination) error {
					return examine(ctx, x, records, rows)
				},
			}, nil
		},
	}
}

// environment is what the declarations of the service use: its value sets and settings, and the service it calls.
type environment struct {
	sets rest.Sets
	// zone is that of the exchange.
	zone     *time.Location
	coverage *peer.Client
	// reportingWindow is the longest time from loss to notification for which a claim is not late. If zero, none is
	// late.
	reportingWindow time.Duration
	// mostDocuments is the greatest number of documents of a claim. It is no greater than that of the elements of a
	// list in a body, so that what is read can be sent back.
	mostDocuments int
	claims        *rest.Records[*claims.Claim]
}

// policy returns the policy with a number as it counts at an instant, by the effective dates of its endorsements. It
// returns the problem policy-not-found if there is none.
func (e *environment) policy(
	ctx context.Context, policyNumber string, at scalar.DateTime,
) (internalapi.Policy, error) {
	path := internalapi.PolicyPath + url.PathEscape(policyNumber)
	if !at.IsZero() {
		path += "?" + url.Values{"at": {at.String()}}.Encode()
	}
	facts, found, err := peer.Get[internalapi.Policy](ctx, e.coverage, path)
	if err == nil && !found {
		err = unknownPolicy(policyNumber)
	}
	return facts, err
}

// lookup serves the internal operation that returns the policy number of a claim.
func lookup(c *gin.Context, records *rest.Records[*claims.Claim]) {
	record, found, err := records.One(c.Request.Context(), "claimNumber", c.Param("claimNumber"))
	switch {
	case err != nil:
		rest.Respond(c, nil, err)
	case !found:
		rest.Respond(c, nil, problem.New(problems.ClaimNotFound, ""))
	default:
		facts := described(record.Value)
		facts.Owner = record.Owner()
		c.JSON(http.StatusOK, facts)
	}
}

// described returns what other services need to know about a claim.
func described(c *claims.Claim) internalapi.Claim {
	return internalapi.Claim{ClaimNumber: rest.Text(c.ClaimNumber), PolicyNumber: rest.Text(c.PolicyNumber)}
}

// lookedUp returns what lookup responds with, and its path, if a document has a claim.
func lookedUp(doc docstore.Document, records *rest.Records[*claims.Claim]) (path string, fact any, err error) {
	if resource, err := rest.ResourceOf(doc); err != nil || resource != records.Name {
		return "", nil, err
	}
	record, err := records.Decode(doc)
	if err != nil {
		return "", nil, err
	}
	facts := described(record.Value)
	return internalapi.ClaimPath + facts.ClaimNumber, facts, nil
}

// ofPolicy serves the internal operation that returns the claims against a policy, and its rows of the bordereau.
func ofPolicy(c *gin.Context, records *rest.Records[*claims.Claim], rows *rest.Records[*claims.Bordereau]) {
	asked, err := query.ReadPart(c.Request.URL.RawQuery, internalapi.MostSkipped, internalapi.ClaimsPart,
		internalapi.ClaimRowsPart)
	var parts struct {
		Claims    *query.Part `json:"claims,omitzero"`
		ClaimRows *query.Part `json:"claimRows,omitzero"`
	}
	if err == nil && asked.Wants(internalapi.ClaimsPart) {
		parts.Claims, err = partOf(c, records.Part, asked.Skip)
	}
	if err == nil && asked.Wants(internalapi.ClaimRowsPart) {
		parts.ClaimRows, err = partOf(c, rows.Part, asked.Skip)
	}
	rest.Respond(c, parts, err)
}

// partOf returns some of the records of the policy that the path names.
func partOf(
	c *gin.Context, from func(ctx context.Context, index, value string, skip, limit int) (query.Part, error), skip int,
) (*query.Part, error) {
	records, err := from(c.Request.Context(), "policyNumber", c.Param("policyNumber"), skip, internalapi.LengthOfPart)
	return &records, err
}
