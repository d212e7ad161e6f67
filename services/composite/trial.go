package composite

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
)

// try tries the operations: those of one service together, as far as the operations that they refer to are tried
// before.
// It writes nothing. Errors: a service does not respond, or has no trial.
func (b *batch) try(ctx context.Context) error {
	trial := internalapi.Trial{Known: map[string]map[string]string{}, Assumed: map[string]scalar.JSON{}}
	for {
		service, together := b.next()
		if len(together) == 0 {
			return nil
		}
		asked := internalapi.Trial{Known: trial.Known, Assumed: b.assumedFor(service, trial.Assumed)}
		for _, s := range together {
			asked.Operations = append(asked.Operations, internalapi.TrialOperation{
				Ref: s.Ref, Resource: s.resource, Key: s.key, Body: s.body,
			})
		}
		outcomes, err := b.ask(ctx, service, asked)
		if err != nil {
			return err
		}
		for i, outcome := range outcomes {
			b.learn(together[i], outcome)
			if s := together[i]; s.values != nil && s.Ref != "" {
				trial.Known[s.Ref] = s.values
			}
			for path, fact := range outcome.Assumed {
				trial.Assumed[path] = fact
			}
		}
	}
}

// next returns operations of one service that can be tried together: nothing that they refer to is still to be tried,
// but operations among them.
func (b *batch) next() (service string, together []*step) {
	among := map[string]bool{}
	for _, s := range b.steps {
		if s.wrong || s.values != nil || service != "" && s.service != service {
			continue
		}
		ready := true
		for _, r := range s.refers {
			to := b.named[r.To]
			s.wrong = s.wrong || to.wrong
			ready = ready && (to.values != nil || among[r.To])
		}
		if s.wrong || !ready {
			continue
		}
		service = s.service
		together = append(together, s)
		if s.Ref != "" {
			among[s.Ref] = true
		}
	}
	return service, together
}

// assumedFor returns what a service needs of what is assumed: its own records, and what the others say to it.
func (b *batch) assumedFor(service string, all map[string]scalar.JSON) map[string]scalar.JSON {
	some := map[string]scalar.JSON{}
	for path, fact := range all {
		resource, _, _ := strings.Cut(path[1:], "/")
		if owner, isRecord := b.owners[resource]; !isRecord || owner == service {
			some[path] = fact
		}
	}
	return some
}

// ask has a service try operations.
func (b *batch) ask(ctx context.Context, service string, asked internalapi.Trial) ([]internalapi.TrialOutcome, error) {
	body, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	reply, err := b.peer(service).Do(ctx, peer.Call{
		Method: http.MethodPost, Path: internalapi.TrialPath, Header: b.header, Body: body,
	})
	if err != nil {
		return nil, err
	}
	switch reply.Status {
	case http.StatusOK:
	case http.StatusNotFound:
		// A release from before there were trials. It must not write what cannot be tried.
		return nil, problem.New(problem.Unavailable, "The service of "+asked.Operations[0].Resource+
			" is of a release that cannot try operations. Nothing was written. Send the batch again once it is "+
			"replaced, or the operations one by one.").WithHeader("Retry-After", "60")
	case http.StatusRequestEntityTooLarge:
		return nil, problem.New(problem.TooLarge, "The batch is too large. Send fewer operations in one.")
	default:
		return nil, problem.Outage(fmt.Errorf("%s refuses a trial with status %d: %s", service, reply.Status,
			reply.Body))
	}
	var tried internalapi.TrialOutcomes
	if err := json.Unmarshal(reply.Body, &tried); err != nil {
		return nil, problem.Outage(fmt.Errorf("trial by %s: %w", service, err))
	}
	if len(tried.Outcomes) != len(asked.Operations) {
		return nil, problem.Outage(errors.New("trial by " + service + ": not one outcome for each operation"))
	}
	return tried.Outcomes, nil
}

// learn notes the outcome of the trial of an operation.
func (b *batch) learn(s *step, outcome internalapi.TrialOutcome) {
	switch outcome.Outcome {
	case internalapi.Admissible, internalapi.Made:
		s.made, s.values = outcome.Outcome == internalapi.Made, outcome.Values
	case internalapi.Untried:
		s.wrong = true
	default:
		b.refuse(s, "/body", outcome.Failed)
	}
}

// refuse notes that an operation would be refused: with the first problem, and all that is wrong. Its pointers are
// within the member of the operation that in points to.
func (b *batch) refuse(s *step, in string, failed []internalapi.TrialFailure) {
	s.wrong = true
	at := "/operations/" + strconv.Itoa(s.Operation)
	for i, f := range failed {
		if i == 0 {
			b.refusals = append(b.refusals, beyond.BatchRefusal{
				BatchPlace: s.BatchPlace, Type: f.Problem, Title: f.Title, Status: f.Status, Detail: f.Detail,
			})
		}
		for _, v := range f.Errors {
			b.refused.At(at+in+v.Pointer, v.Reason)
		}
		if len(f.Errors) == 0 {
			b.refused.At(at+in, "is refused: "+f.Title)
		}
	}
}

// refusalOf returns a problem in the form of a failed check.
func refusalOf(p *problem.Error) []internalapi.TrialFailure {
	f := internalapi.TrialFailure{Problem: problem.URI(p.Kind), Title: p.Kind.Title(), Status: p.Kind.Status()}
	for _, v := range p.Violations {
		f.Errors = append(f.Errors, internalapi.TrialViolation{Pointer: v.Pointer, Reason: v.Reason})
	}
	return []internalapi.TrialFailure{f}
}
