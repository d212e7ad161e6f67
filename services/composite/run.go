package composite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/reference"
)

// run runs the operations in their order. It stops at the first that fails, and returns its problem with what was done
// and what was not. answer is the header of the response.
func (b *batch) run(ctx context.Context, answer http.Header) (beyond.BatchDone, error) {
	done := beyond.BatchDone{Completed: make([]beyond.BatchResult, 0, len(b.steps))}
	for i, s := range b.steps {
		result, err := b.create(ctx, s, answer)
		if err == nil {
			done.Completed = append(done.Completed, result)
			continue
		}
		var p *problem.Error
		if !errors.As(err, &p) {
			p = problem.Outage(err)
		}
		for i := range done.Completed { // a problem document is short
			done.Completed[i].Warnings = nil
		}
		notRun := []beyond.BatchPlace{}
		for _, other := range b.steps[i+1:] {
			notRun = append(notRun, other.BatchPlace)
		}
		return done, p.With("completed", done.Completed).With("failed", s.BatchPlace).With("notRun", notRun)
	}
	return done, nil
}

// made is what the response to a creation says.
type made struct {
	ID           scalar.ID     `json:"id"`
	PolicyNumber string        `json:"policyNumber"`
	ClaimNumber  string        `json:"claimNumber"`
	Warnings     []scalar.JSON `json:"warnings"`
}

// create runs one operation, unless an earlier request has.
func (b *batch) create(ctx context.Context, s *step, answer http.Header) (beyond.BatchResult, error) {
	result := beyond.BatchResult{Operation: s.Operation, Ref: s.Ref, Status: http.StatusOK}
	if !s.made {
		if err := b.send(ctx, s, &result, answer); err != nil {
			return result, err
		}
	}
	result.ID = scalar.ID(s.values[reference.ID])
	result.PolicyNumber, result.ClaimNumber = s.values[reference.PolicyNumber], s.values[reference.ClaimNumber]
	result.Location = "/" + s.resource + "/" + string(result.ID)
	return result, nil
}

// send sends the creation to its service, and notes the values of the record.
func (b *batch) send(ctx context.Context, s *step, result *beyond.BatchResult, answer http.Header) error {
	body, err := reference.Resolve(s.body, func(r reference.Reference) string { return b.named[r.To].values[r.Member] })
	if err != nil {
		return err
	}
	header := maps.Clone(b.header)
	header["Idempotency-Key"] = []string{s.key}
	reply, err := b.peer(s.service).Do(ctx, peer.Call{
		Method: http.MethodPost, Path: "/" + s.resource, Header: header, Body: body,
	})
	switch {
	case err != nil:
		return err
	case reply.Status != http.StatusCreated && reply.Status != http.StatusOK:
		return relayed(s, reply)
	}
	var record made
	if err := json.Unmarshal(reply.Body, &record); err != nil {
		return problem.Outage(fmt.Errorf("creation by %s: %w", s.service, err))
	}
	s.values = map[string]string{
		reference.ID: string(record.ID), reference.PolicyNumber: record.PolicyNumber,
		reference.ClaimNumber: record.ClaimNumber,
	}
	result.Status, result.Warnings = reply.Status, record.Warnings
	if applied := reply.Header["Preference-Applied"]; len(applied) > 0 {
		answer["Preference-Applied"] = applied
	}
	return nil
}

// relayedKind is the kind of a problem that a service has returned.
type relayedKind struct {
	slug, title string
	status      int
}

func (k *relayedKind) Slug() string  { return k.slug }
func (k *relayedKind) Title() string { return k.title }
func (k *relayedKind) Status() int   { return k.status }

// relayed returns the problem that an operation has got, with its pointers into the batch.
func relayed(s *step, reply peer.Reply) error {
	var document struct {
		Type       string `json:"type"`
		Title      string `json:"title"`
		Detail     string `json:"detail"`
		ExistingID string `json:"existingId"`
		Errors     []struct {
			Pointer string `json:"pointer"`
			Reason  string `json:"reason"`
		} `json:"errors"`
		MoreErrors int `json:"moreErrors"`
	}
	slug := ""
	err := json.Unmarshal(reply.Body, &document)
	if err == nil {
		slug = strings.TrimPrefix(document.Type, problem.URI(&relayedKind{}))
	}
	if slug == "" || reply.Status < http.StatusBadRequest {
		return problem.Outage(fmt.Errorf("creation by %s: response with status %d (%w)", s.service, reply.Status, err))
	}
	p := problem.New(&relayedKind{slug, document.Title, reply.Status}, document.Detail)
	for _, e := range document.Errors {
		p.At("/operations/"+strconv.Itoa(s.Operation)+"/body"+e.Pointer, e.Reason)
	}
	p.More += document.MoreErrors
	if document.ExistingID != "" {
		p.With("existingId", document.ExistingID)
	}
	return p
}
