package creation

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
)

// TrialPath is the path of the internal operation that tries creations. Its callers know it from the contract of the
// service. A release that has no such operation responds with 404, so that it never writes what was to be tried.
const TrialPath = "/internal/trial"

// Trial is the body of POST /internal/trial: creations, each after those that it refers to.
type Trial struct {
	Operations []Operation `json:"operations"`
	// Known are the values of what other operations of the request make, by the name of the operation and the member.
	Known map[string]map[string]string `json:"known,omitempty"`
	// Assumed is what is assumed of the records that they make.
	Assumed peer.Facts `json:"assumed,omitempty"`
}

// Operation is one creation of a trial. Its body may refer to values of others.
type Operation struct {
	Ref      string         `json:"ref,omitzero"`
	Resource string         `json:"resource"`
	Key      string         `json:"key"`
	Body     jsontext.Value `json:"body"`
}

// The outcomes of a trial.
const (
	Admissible   = "admissible"
	RefusedTrial = "refused"
	Made         = "made"    // the same Idempotency-Key has made the record before
	Untried      = "untried" // it refers to what is not known, because the operation that makes it is refused
)

// Tried is the outcome of the trial of one creation.
type Tried struct {
	Outcome string `json:"outcome"`
	// Failed are the checks that refuse the record.
	Failed []Failure `json:"failed,omitempty"`
	// Values are what others can refer to: of the record that was made, or of one that is assumed.
	Values map[string]string `json:"values,omitempty"`
	// Assumed is what to assume of a record that is not made yet.
	Assumed peer.Facts `json:"assumed,omitempty"`
}

// Failure is a check that would refuse a record.
type Failure struct {
	Check      string              `json:"check"`
	Status     int                 `json:"status"`
	Problem    string              `json:"problem"`
	Title      string              `json:"title"`
	Detail     string              `json:"detail,omitzero"`
	ExistingID string              `json:"existingId,omitzero"`
	Errors     []problem.Violation `json:"errors,omitempty"`
}

// Try tries creations: those of one service together, as far as those that they refer to are tried before. It writes
// nothing. refuse is called with each that would be refused, and why. byName are the creations by their names. Errors:
// a service does not respond, or has no trial.
func (m *Maker) Try(
	ctx context.Context, all []*Creation, byName map[string]*Creation, refuse func(*Creation, []Failure),
) error {
	trial := Trial{Known: map[string]map[string]string{}, Assumed: peer.Facts{}}
	for {
		service, together := m.next(all, byName)
		if len(together) == 0 {
			return nil
		}
		request := Trial{Known: trial.Known, Assumed: m.assumedFor(service, trial.Assumed)}
		for _, of := range together {
			request.Operations = append(request.Operations, Operation{of.Ref, of.Resource, of.Key, of.Body})
		}
		outcomes, err := m.ask(ctx, service, request)
		if err != nil {
			return err
		}
		for i, outcome := range outcomes {
			of := together[i]
			switch outcome.Outcome {
			case Admissible, Made:
				of.Made, of.Values = outcome.Outcome == Made, outcome.Values
			case Untried:
				of.Wrong = true
			default:
				of.Wrong = true
				refuse(of, outcome.Failed)
			}
			if of.Values != nil && of.Ref != "" {
				trial.Known[of.Ref] = of.Values
			}
			for path, fact := range outcome.Assumed {
				trial.Assumed[path] = fact
			}
		}
	}
}

// next returns creations of one service that can be tried together: nothing that they refer to is still to be tried,
// but creations among them.
func (m *Maker) next(all []*Creation, byName map[string]*Creation) (service string, together []*Creation) {
	among := map[string]bool{}
	for _, of := range all {
		if of.Wrong || of.Values != nil || service != "" && m.Owners[of.Resource] != service {
			continue
		}
		ready := true
		for _, r := range of.Refers {
			to := byName[r.To]
			of.Wrong = of.Wrong || to.Wrong
			ready = ready && (to.Values != nil || among[r.To])
		}
		if of.Wrong || !ready {
			continue
		}
		service = m.Owners[of.Resource]
		together = append(together, of)
		if of.Ref != "" {
			among[of.Ref] = true
		}
	}
	return service, together
}

// assumedFor returns what a service needs of what is assumed: its own records, and what the others say to it.
func (m *Maker) assumedFor(service string, all peer.Facts) peer.Facts {
	some := peer.Facts{}
	for path, fact := range all {
		resource, _, _ := strings.Cut(path[1:], "/")
		if owner, isRecord := m.Owners[resource]; !isRecord || owner == service {
			some[path] = fact
		}
	}
	return some
}

// ask has a service try creations.
func (m *Maker) ask(ctx context.Context, service string, request Trial) ([]Tried, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	reply, err := m.Peer(service).Do(ctx, peer.Call{
		Method: http.MethodPost, Path: TrialPath, Header: m.Header, Body: body,
	})
	if err != nil {
		return nil, err
	}
	switch reply.Status {
	case http.StatusOK:
	case http.StatusNotFound:
		// A release from before there were trials. It must not write what cannot be tried.
		return nil, problem.New(problem.Unavailable, "The service of "+request.Operations[0].Resource+
			" is of a release that cannot try operations. Nothing was written. Send the request again once it is "+
			"replaced, or the operations one by one.").WithHeader("Retry-After", "60")
	case http.StatusRequestEntityTooLarge:
		return nil, problem.New(problem.TooLarge, "What is sent together is too large. Send fewer operations in one.")
	default:
		return nil, problem.Outage(fmt.Errorf("%s refuses a trial with status %d: %s", service, reply.Status,
			reply.Body))
	}
	var answer struct {
		Outcomes []Tried `json:"outcomes"`
	}
	if err := json.Unmarshal(reply.Body, &answer); err != nil {
		return nil, problem.Outage(fmt.Errorf("trial by %s: %w", service, err))
	}
	if len(answer.Outcomes) != len(request.Operations) {
		return nil, problem.Outage(errors.New("trial by " + service + ": not one outcome for each operation"))
	}
	return answer.Outcomes, nil
}
