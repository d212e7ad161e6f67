// Package source reads what a bordereau is made of from the services that have it: receipts, policies and parties.
package source

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/parties"
	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/visible"
)

// Most is how many records are asked for at a time.
const Most = 200

// Source reads from the other services, in the name of the caller of a request.
type Source struct{ premium, coverage, claims, parties *peer.Client }

// New returns a source.
func New(client func(service string) *peer.Client) *Source {
	return &Source{premium: client("premium"), coverage: client("coverage"), claims: client("claims"),
		parties: client("parties")}
}

// errOlder says why a service does not know an operation. What it does not return must not count as nothing.
var errOlder = errors.New("a service is of a release that cannot be asked for what bordereaux are made of")

// get returns the response of an operation that responds to every path. Errors: as peer.Get; problem.Outage where the
// service does not know the operation.
func get[T any](ctx context.Context, from *peer.Client, path string) (T, error) {
	value, found, err := peer.Get[T](ctx, from, path)
	if err == nil && !found {
		err = problem.Outage(errOlder)
	}
	return value, err
}

// Receipts returns up to Most receipts in the order of their ids, those after an id; the empty one is before all.
func (s *Source) Receipts(ctx context.Context, after string) (internalapi.Receipts, error) {
	if after == "" {
		after = internalapi.Oldest
	}
	return get[internalapi.Receipts](ctx, s.premium,
		internalapi.ReceiptsPath+url.PathEscape(after)+"?limit="+strconv.Itoa(Most))
}

// Claims returns up to Most claims as they were at an instant, in the order of their ids, those after an id; the empty
// one is before all.
func (s *Source) Claims(ctx context.Context, at time.Time, after string) (internalapi.Claims, error) {
	if after == "" {
		after = internalapi.Oldest
	}
	return s.claimsAfter(ctx, at, after, Most)
}

func (s *Source) claimsAfter(ctx context.Context, at time.Time, after string, limit int) (internalapi.Claims, error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}, "at": {written(at)}}
	return get[internalapi.Claims](ctx, s.claims, internalapi.ClaimsPath+url.PathEscape(after)+"?"+query.Encode())
}

func written(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

// Claim returns a claim as it was at an instant; nil if it was not there.
func (s *Source) Claim(ctx context.Context, at time.Time, id uuid.UUID) (*internalapi.ReportedClaim, error) {
	page, err := s.claimsAfter(ctx, at, docstore.IDBefore(id).String(), 1)
	if err != nil || len(page.Claims) == 0 || string(page.Claims[0].Record.ID) != id.String() {
		return nil, err
	}
	return &page.Claims[0], nil
}

// PolicyOfClaim returns the number of the policy of a claim. known reports whether there is a claim with the id.
func (s *Source) PolicyOfClaim(ctx context.Context, id string) (policyNumber string, known bool, err error) {
	found, err := read[claims.Claim](ctx, s.claims, []string{id})
	of, is := found[id]
	if !is || string(of.ID) != id || of.PolicyNumber == nil {
		return "", is && string(of.ID) == id, err
	}
	return *of.PolicyNumber, true, err
}

// Access returns the access list of a policy, where organisations share the exchange. seen reports whether the caller
// sees the policy.
func (s *Source) Access(ctx context.Context, policyNumber string) (list internalapi.Kept, seen bool, err error) {
	return peer.Get[internalapi.Kept](ctx, s.coverage, internalapi.AccessPath+url.PathEscape(policyNumber))
}

// Attachments returns by what policies belong to contracts, by their numbers, up to Most.
func (s *Source) Attachments(ctx context.Context, numbers []string) (map[string]internalapi.Attachment, error) {
	by := map[string]internalapi.Attachment{}
	if len(numbers) == 0 {
		return by, nil
	}
	attachments, err := get[internalapi.Attachments](ctx, s.coverage, internalapi.AttachmentsPath+joined(numbers))
	if err != nil {
		return nil, err
	}
	for _, a := range attachments.Policies {
		by[a.PolicyNumber] = a
	}
	return by, nil
}

// Policy is what a bordereau shows of a policy.
type Policy struct {
	coverage.Policy
	GrossWrittenPremium  scalar.Decimal `json:"grossWrittenPremium,omitzero"`
	IndemnityLimitPolicy *scalar.Int    `json:"indemnityLimitPolicy,omitzero"`
	// CoverEnds may be of any type in a policy that somebody wrote it into before there was such a member.
	CoverEnds scalar.JSON `json:"coverEnds,omitzero"`
}

// EndOfCover returns the instant at which cover ends by a cancellation or lapse that has said it, else the zero value.
func (p *Policy) EndOfCover() scalar.DateTime {
	var ends scalar.DateTime
	if json.Unmarshal(p.CoverEnds, &ends) != nil {
		return scalar.DateTime{}
	}
	return ends
}

// Past is a record as it was at an instant.
type Past[T any] struct {
	internalapi.PastRecord
	Value T
}

// Policies returns policies by their numbers as they were at an instant. A number that names nothing has none, and
// neither has a policy of which it was not kept what it was.
func (s *Source) Policies(ctx context.Context, at time.Time, numbers []string) (map[string]Past[Policy], error) {
	return readAt[Policy](ctx, s.coverage, at, numbers)
}

// Party is what a bordereau shows of a party of any kind.
type Party struct {
	FirstName         string           `json:"firstName,omitzero"`
	LastName          string           `json:"lastName,omitzero"`
	Name              string           `json:"name,omitzero"`
	Address           *parties.Address `json:"address,omitzero"`
	RegisteredAddress *parties.Address `json:"registeredAddress,omitzero"`
}

// Insured returns the name of a party as it is written in one cell; empty if it has none that a reader sees.
func (p Party) Insured() string {
	for _, name := range []string{p.Name, strings.TrimSpace(p.FirstName + " " + p.LastName)} {
		if visible.In(name) {
			return name
		}
	}
	return ""
}

// Where returns the address of a party; the zero Address if it has none.
func (p Party) Where() parties.Address {
	for _, a := range []*parties.Address{p.Address, p.RegisteredAddress} {
		if a != nil {
			return *a
		}
	}
	return parties.Address{}
}

// Parties returns parties by their ids as they were at an instant, as Policies does.
func (s *Source) Parties(ctx context.Context, at time.Time, ids []string) (map[string]Past[Party], error) {
	return readAt[Party](ctx, s.parties, at, ids)
}

// ReceiptsAt returns receipts by their ids as they were at an instant, as Policies does.
func (s *Source) ReceiptsAt(ctx context.Context, at time.Time, ids []string) (map[string]Past[premium.Receipt], error) {
	return readAt[premium.Receipt](ctx, s.premium, at, ids)
}

// read returns the records of a service that names name.
func read[T any](ctx context.Context, from *peer.Client, names []string) (map[string]T, error) {
	records := map[string]T{}
	return records, look(ctx, from, internalapi.RecordsPath, "", names, func(r internalapi.PastRecord, record T) {
		records[r.Name] = record
	})
}

// Numbers are what the exchange has issued to a record, or to the one that it belongs to.
type Numbers struct {
	PolicyNumber string `json:"policyNumber"`
	ClaimNumber  string `json:"claimNumber"`
}

// NumbersOf returns the numbers of records of a service, by their ids.
func NumbersOf(ctx context.Context, from *peer.Client, ids []string) (map[string]Numbers, error) {
	return read[Numbers](ctx, from, ids)
}

// readAt returns the records of a service that names name, as they were at an instant.
func readAt[T any](
	ctx context.Context, from *peer.Client, at time.Time, names []string,
) (map[string]Past[T], error) {
	records := map[string]Past[T]{}
	return records, look(ctx, from, internalapi.RecordsAtPath, asOf(at), names,
		func(r internalapi.PastRecord, record T) {
			records[r.Name] = Past[T]{r, record}
		})
}

// look calls a function with the records of a service that names name. It asks again for those that a response had no
// room for. Without an instant the records have no versions.
func look[T any](
	ctx context.Context, from *peer.Client, path, query string, names []string,
	do func(internalapi.PastRecord, T),
) error {
	for len(names) > 0 {
		some := names[:min(len(names), Most)]
		page, err := get[internalapi.PastRecords](ctx, from, path+joined(some)+query)
		if err != nil {
			return err
		}
		for _, r := range page.Records {
			var record T
			if err := json.Unmarshal(r.Record, &record); err != nil {
				return err
			}
			do(r, record)
		}
		if page.Looked <= 0 {
			break // it has none of these
		}
		names = names[min(page.Looked, len(some)):]
	}
	return nil
}

func joined(names []string) string {
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = url.PathEscape(name)
	}
	return strings.Join(escaped, ",")
}

// ReceiptTypes returns the types of receipts by their ids.
func (s *Source) ReceiptTypes(ctx context.Context, ids []string) (map[string]string, error) {
	receipts, err := read[premium.Receipt](ctx, s.premium, ids)
	types := map[string]string{}
	for id, r := range receipts {
		if r.ReceiptType != nil {
			types[id] = *r.ReceiptType
		}
	}
	return types, err
}

// FirstReceipt returns the id of the first receipt of a policy; empty if it has none.
func (s *Source) FirstReceipt(ctx context.Context, policyNumber string) (id string, err error) {
	of, err := get[internalapi.PolicyPremium](ctx, s.premium, internalapi.PolicyPremiumPath+
		url.PathEscape(policyNumber)+"?part="+internalapi.ReceiptsPart)
	if err != nil || of.Receipts == nil || len(of.Receipts.Records) == 0 {
		return "", err
	}
	return string(of.Receipts.Records[0].ID), nil
}

// FirstClaim returns the id of the first claim against a policy; empty if it has none.
func (s *Source) FirstClaim(ctx context.Context, policyNumber string) (id string, err error) {
	of, err := get[internalapi.PolicyClaims](ctx, s.claims, internalapi.PolicyClaimsPath+
		url.PathEscape(policyNumber)+"?part="+internalapi.ClaimsPart)
	if err != nil || of.Claims == nil || len(of.Claims.Records) == 0 {
		return "", err
	}
	return string(of.Claims.Records[0].ID), nil
}
