package composite

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/patience"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/query"
)

// longestPart is how long a service may take for its parts. One that does not respond must not take the time of all.
const longestPart = 3 * time.Second

// The parts of a view that are single records.
const (
	coveragePart     = "coverage"
	policyholderPart = "policyholder"
)

// The parts of a view that can be asked for alone, by the service that has them.
var (
	ofCoverage = []string{internalapi.InsuredPart, internalapi.RenewalsBeforePart, internalapi.RenewalsAfterPart}
	ofClaims   = []string{internalapi.ClaimsPart, internalapi.ClaimRowsPart}
	ofPremium  = []string{internalapi.ReceiptsPart, internalapi.RowsPart}
	parts      = slices.Concat(ofCoverage, ofClaims, ofPremium)
)

// view is a view of a policy under way.
type view struct {
	*environment
	query.PartQuery
	number string
	// shown is the view. Each service is asked at the same time, and sets its own parts; mu guards Unavailable.
	shown beyond.PolicyView
	mu    sync.Mutex
	// there says that coverage has the policy.
	there bool
}

// serveView serves GET /x/policy/{policyNumber}.
func (e *environment) serveView(c *gin.Context, _ any) (any, error) {
	asked, err := query.ReadPart(c.Request.URL.RawQuery, internalapi.MostSkipped, parts...)
	if err != nil {
		return nil, err
	}
	v := &view{environment: e, PartQuery: asked, number: c.Param("policyNumber")}
	v.shown.PolicyNumber = v.number
	group, ctx := errgroup.WithContext(c.Request.Context())
	group.Go(func() error { return v.readPolicy(ctx) })
	group.Go(func() error { v.readClaims(ctx); return nil })
	group.Go(func() error { v.readPremium(ctx); return nil })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	order := append([]string{coveragePart, policyholderPart}, parts...)
	slices.SortFunc(v.shown.Unavailable, func(a, b string) int {
		return slices.Index(order, a) - slices.Index(order, b)
	})
	if missing := len(v.shown.Unavailable); missing == len(order) || missing > 0 && asked.Part != "" {
		return nil, problem.Outage(errors.New("no part that was asked for is available"))
	}
	if !v.there && !v.shows() {
		return nil, problem.Outage(errors.New("coverage does not say whether there is such a policy"))
	}
	return &v.shown, nil
}

// shows reports whether a part has a record under the policy. There is such a policy then, whatever coverage says.
func (v *view) shows() bool {
	return slices.ContainsFunc([]*beyond.ViewedPart{v.shown.Claims, v.shown.ClaimRows, v.shown.Receipts, v.shown.Rows},
		func(p *beyond.ViewedPart) bool { return p != nil && len(p.Records) > 0 })
}

// readPolicy reads what coverage and parties have. Errors: there is no such policy.
func (v *view) readPolicy(ctx context.Context) error {
	var of internalapi.PolicyRecords
	path, lacks := v.path(internalapi.PolicyRecordsPath, ofCoverage), []string{v.Part}
	switch {
	case v.Part == "":
		lacks = append([]string{coveragePart, policyholderPart}, ofCoverage...)
	case !slices.Contains(ofCoverage, v.Part):
		// Only whether there is such a policy.
		path, lacks = internalapi.PolicyPath+url.PathEscape(v.number), nil
	}
	kind, err := v.read(ctx, "coverage", path, &of)
	if kind == problem.URI(problems.PolicyNotFound) {
		return problem.New(problems.PolicyNotFound, "No policy has this policyNumber.")
	}
	if err != nil {
		v.leaveOut(lacks...)
		return nil //nolint:nilerr // the view says what it lacks
	}
	v.there = true
	another := of.Owner != "" && !request.OrganisationFrom(ctx).Sees(of.Owner)
	if another && of.Insured != nil {
		for i, r := range of.Insured.Records {
			if of.Insured.Records[i].Record, err = internalapi.Unidentified(r.Record); err != nil {
				return err
			}
		}
	}
	v.shown.Insured = v.viewed(internalapi.InsuredPart, of.Insured)
	v.shown.RenewalsBefore = v.viewed(internalapi.RenewalsBeforePart, of.RenewalsBefore)
	v.shown.RenewalsAfter = v.viewed(internalapi.RenewalsAfterPart, of.RenewalsAfter)
	if v.Part != "" {
		return nil
	}
	v.shown.Coverage = viewedRecord(of.Coverage)
	v.shown.EffectiveDate, v.shown.CoverEnds = of.EffectiveDate, of.CoverEnds
	v.shown.Replaces, v.shown.ReplacedBy = of.Replaces, of.ReplacedBy
	if of.PolicyholderID == "" {
		return nil
	}
	var holder internalapi.ShownRecord
	if another {
		// The policyholder is its owner's, and seen with the policy.
		if ctx, err = request.ForOwner(ctx, of.Owner); err != nil {
			return err
		}
	}
	if _, err := v.read(ctx, "parties", internalapi.PartyRecordPath+url.PathEscape(string(of.PolicyholderID)),
		&holder); err != nil {
		v.leaveOut(policyholderPart)
		return nil //nolint:nilerr // the view says what it lacks
	}
	if another {
		if holder.Record, err = internalapi.Unidentified(holder.Record); err != nil {
			return err
		}
	}
	v.shown.Policyholder = viewedRecord(holder)
	return nil
}

func (v *view) readClaims(ctx context.Context) {
	var of internalapi.PolicyClaims
	if v.readParts(ctx, "claims", internalapi.PolicyClaimsPath, ofClaims, &of) {
		v.shown.Claims = v.viewed(internalapi.ClaimsPart, of.Claims)
		v.shown.ClaimRows = v.viewed(internalapi.ClaimRowsPart, of.ClaimRows)
	}
}

func (v *view) readPremium(ctx context.Context) {
	var of internalapi.PolicyPremium
	if v.readParts(ctx, "premium", internalapi.PolicyPremiumPath, ofPremium, &of) {
		v.shown.Receipts = v.viewed(internalapi.ReceiptsPart, of.Receipts)
		v.shown.Rows = v.viewed(internalapi.RowsPart, of.Rows)
	}
}

// readParts reads those of a service's parts that are asked for, and reports whether it has.
func (v *view) readParts(ctx context.Context, service, operation string, of []string, to any) bool {
	wanted := slices.DeleteFunc(slices.Clone(of), func(part string) bool { return !v.Wants(part) })
	if len(wanted) == 0 {
		return false
	}
	if _, err := v.read(ctx, service, v.path(operation, of), to); err != nil {
		v.leaveOut(wanted...)
		return false
	}
	return true
}

// path returns the path of an internal operation that returns these parts of the policy.
func (v *view) path(operation string, of []string) string {
	path := operation + url.PathEscape(v.number)
	if slices.Contains(of, v.Part) {
		path += "?" + partOf(v.Part, v.Skip)
	}
	return path
}

func partOf(part string, skip int) string { return "part=" + part + "&skip=" + strconv.Itoa(skip) }

// read reads the response of a service. kind is the type of the problem that it refuses with, if it does: an older
// release refuses what it does not know as not found.
func (e *environment) read(ctx context.Context, service, path string, to any) (kind string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience.Times(longestPart))
	defer cancel()
	reply, err := e.peer(service).Do(ctx, peer.Call{Method: http.MethodGet, Path: path})
	if err != nil {
		return "", err
	}
	if reply.Status != http.StatusOK {
		var refusal struct {
			Type string `json:"type"`
		}
		_ = json.Unmarshal(reply.Body, &refusal) // a body that is no problem says nothing
		return refusal.Type, errors.New(service + " does not return it")
	}
	return "", json.Unmarshal(reply.Body, to)
}

// leaveOut names parts as left out.
func (v *view) leaveOut(parts ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.shown.Unavailable = append(v.shown.Unavailable, parts...)
}

// viewed returns a part as the view has it, with a link to the rest; nil for one that is not asked for.
func (v *view) viewed(name string, of *internalapi.RecordPart) *beyond.ViewedPart {
	if of == nil || !v.Wants(name) {
		return nil
	}
	viewed := &beyond.ViewedPart{Records: make([]beyond.ViewedRecord, 0, len(of.Records))}
	for _, r := range of.Records {
		viewed.Records = append(viewed.Records, *viewedRecord(r))
	}
	if of.More {
		viewed.Rest = rest.ExtensionPrefix + "/policy/" + url.PathEscape(v.number) + "?" +
			partOf(name, v.Skip+len(of.Records))
	}
	return viewed
}

// viewedRecord returns a record as a view has it.
func viewedRecord(r internalapi.ShownRecord) *beyond.ViewedRecord {
	viewed := &beyond.ViewedRecord{Link: "/" + r.Resource + "/" + string(r.ID), Resource: r.Resource, Record: r.Record,
		Left: r.Left}
	if r.Resource == "claim" {
		var claim struct {
			ClaimNumber string `json:"claimNumber"`
		}
		if json.Unmarshal(r.Record, &claim) == nil && claim.ClaimNumber != "" {
			viewed.Receipts = "/receipt?claimNumber=" + url.QueryEscape(claim.ClaimNumber)
		}
	}
	return viewed
}
