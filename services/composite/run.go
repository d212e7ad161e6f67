package composite

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/creation"
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

// create runs one operation, unless an earlier request has.
func (b *batch) create(ctx context.Context, s step, answer http.Header) (beyond.BatchResult, error) {
	result := beyond.BatchResult{Operation: s.Operation, Ref: s.BatchPlace.Ref, Status: http.StatusOK}
	if !s.Made {
		response, err := b.Create(ctx, s.Creation, b.named)
		if err != nil {
			return result, relayed(s, err)
		}
		result.Status = response.Status
		for _, warning := range response.Warnings {
			result.Warnings = append(result.Warnings, scalar.JSON(warning))
		}
		if applied := response.Header["Preference-Applied"]; len(applied) > 0 {
			answer["Preference-Applied"] = applied
		}
	}
	result.ID = scalar.ID(s.Values[reference.ID])
	result.PolicyNumber, result.ClaimNumber = s.Values[reference.PolicyNumber], s.Values[reference.ClaimNumber]
	result.Location = "/" + s.Resource + "/" + string(result.ID)
	return result, nil
}

// relayed returns the problem that an operation has got, with its pointers into the batch.
func relayed(s step, err error) error {
	refused, is := errors.AsType[*creation.Refused](err)
	if !is {
		return err
	}
	p := problem.New(refused.Kind, refused.Detail)
	for _, e := range refused.Errors {
		p.At("/operations/"+strconv.Itoa(s.Operation)+"/body"+e.Pointer, e.Reason)
	}
	p.More += refused.More
	if refused.ExistingID != "" {
		p.With("existingId", refused.ExistingID)
	}
	return p
}
