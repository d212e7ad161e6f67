// Package creation tries and makes records of several services that may refer to each other. Nothing of it is atomic:
// each record is made by the ordinary operation of its service, under an Idempotency-Key of its own, so that a request
// that stopped half way goes on when it is sent again.
package creation

import (
	"context"
	"fmt"
	"maps"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/reference"
)

// Maker tries and makes records.
type Maker struct {
	// Peer returns the client of a service.
	Peer func(name string) *peer.Client
	// Owners maps the resources that can be created to their services.
	Owners map[string]string
	// Header holds what each creation takes from the header of the request.
	Header http.Header
}

// Creation is a record to be made.
type Creation struct {
	// Ref is the name by which others refer to it; empty if none does.
	Ref, Resource string
	// Key is the Idempotency-Key of the creation.
	Key string
	// Body may refer to values of others. Refers are these references.
	Body   jsontext.Value
	Refers []reference.Reference
	// Wrong says that the creation itself, or one that it refers to, is refused.
	Wrong bool
	// Made says that an earlier request with the same key has made the record.
	Made bool
	// Values are those of the record, by the names of their members; nil as long as they are not known.
	Values map[string]string
}

// Response is the response to a creation that succeeded.
type Response struct {
	Status   int
	Header   http.Header
	Warnings []jsontext.Value
}

// Create makes a record, whose values it notes. byName are the creations by their names. Errors: *Refused for a problem
// that the service has returned, problem.Outage.
func (m *Maker) Create(ctx context.Context, of *Creation, byName map[string]*Creation) (Response, error) {
	body, err := reference.Resolve(of.Body, func(r reference.Reference) string { return byName[r.To].Values[r.Member] })
	if err != nil {
		return Response{}, err
	}
	header := maps.Clone(m.Header)
	if header == nil {
		header = http.Header{}
	}
	header["Idempotency-Key"] = []string{of.Key}
	service := m.Owners[of.Resource]
	reply, err := m.Peer(service).Do(ctx, peer.Call{
		Method: http.MethodPost, Path: "/" + of.Resource, Header: header, Body: body,
	})
	switch {
	case err != nil:
		return Response{}, err
	case reply.Status != http.StatusCreated && reply.Status != http.StatusOK:
		return Response{}, refusal(service, reply)
	}
	var record struct {
		ID           string           `json:"id"`
		PolicyNumber string           `json:"policyNumber"`
		ClaimNumber  string           `json:"claimNumber"`
		Warnings     []jsontext.Value `json:"warnings"`
	}
	if err := json.Unmarshal(reply.Body, &record); err != nil {
		return Response{}, problem.Outage(fmt.Errorf("creation by %s: %w", service, err))
	}
	of.Values = map[string]string{
		reference.ID: record.ID, reference.PolicyNumber: record.PolicyNumber, reference.ClaimNumber: record.ClaimNumber,
	}
	return Response{reply.Status, reply.Header, record.Warnings}, nil
}
