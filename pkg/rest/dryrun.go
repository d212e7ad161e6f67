package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest/history"
)

// The outcomes of a check in a dry run.
const (
	passed       = "passed"
	failed       = "failed"
	notEvaluated = "not evaluated" // it needs something that an earlier check has found missing or wrong
)

// Verdict is the response of a dry run.
//
// The outcome of every check that a creation would meet. Nothing is written.
type Verdict struct {
	// Whether a creation with the same body would be accepted now.
	Admissible bool `json:"admissible"`
	// The outcome of each check, in the order of the checks.
	Checks []Outcome `json:"checks"`
	// What would be unusual about the record.
	Warnings []Warning `json:"warnings"`
	// What the checks looked up, by name.
	Facts map[string]any `json:"facts"`
}

// Outcome is the outcome of one check.
//
// The outcome of one check, with the problem that a creation would get.
type Outcome struct {
	// The condition of the check, in the words of the errors table.
	Check string `json:"check"`
	// The value is passed, failed, or not evaluated where an earlier check failed that this one depends on, or that
	// has found the same.
	Outcome string `json:"outcome"`
	// The status of the problem, where the check failed.
	Status int `json:"status,omitzero"`
	// The type of the problem, where the check failed.
	Problem string `json:"problem,omitzero"`
	// The title of the problem, where the check failed.
	Title string `json:"title,omitzero"`
	// What is wrong with this request, where the check failed.
	Detail string `json:"detail,omitzero"`
	// The id of the record that is there already, where the check failed because of it.
	ExistingID string `json:"existingId,omitzero"`
	// All that the check found wrong, place by place.
	Errors []problem.Violation `json:"errors,omitempty"`
}

// dryRun serves POST /x/{resource}/{dryrun}: the outcome of every check on the body of a creation, the warnings, and
// the facts that were read. It writes nothing.
func (r *Records[T]) dryRun(c *gin.Context) error {
	body, err := readBody(c)
	if err != nil {
		return err
	}
	d, verdict, err := r.attempt(c, body, nil)
	if err != nil {
		return err
	}
	if verdict.Admissible {
		r.note(c.Request.Context(), d)
	}
	verdict.Warnings = append(verdict.Warnings, d.warnings...)
	for _, known := range d.facts {
		if known.err == nil {
			verdict.Facts[known.name] = known.value
		}
	}
	return writeJSON(c, verdict)
}

// attempt evaluates the creation of a record from a body, and writes nothing. key is the Idempotency-Key that the
// record would be created with, nil for none.
func (r *Records[T]) attempt(c *gin.Context, body []byte, key *history.UsedKey) (*Draft[T], *Verdict, error) {
	v, err := r.decode(body)
	if err != nil {
		return nil, nil, r.names.asSent(err, body)
	}
	warnings, err := r.names.judge(c, body)
	if err != nil {
		return nil, nil, err
	}
	d := &Draft[T]{Value: v, Now: r.server.Now(), key: key}
	if _, err := r.issue(d); err != nil {
		return nil, nil, err
	}
	if err := r.mayCreate(c.Request.Context(), v); err != nil {
		return nil, nil, err
	}
	verdict := &Verdict{Admissible: true, Warnings: append([]Warning{}, warnings...), Facts: map[string]any{}}
	return d, verdict, r.try(c.Request.Context(), d, body, verdict)
}

// try runs every check, in order. An outage ends the dry run, because what could not be asked has no outcome.
func (r *Records[T]) try(ctx context.Context, d *Draft[T], body []byte, verdict *Verdict) error {
	for i := range r.Checks {
		c := &r.Checks[i]
		if err := verdict.add(c.Name, r.names.asSent(r.evaluate(ctx, c, d), body)); err != nil {
			return err
		}
	}
	return verdict.add("value sets and unlisted rules", r.names.asSent(r.rules(ctx, d, nil), body))
}

// add adds the outcome of a check that returned an error or nil. An error that is no refusal is returned as it is.
func (v *Verdict) add(check string, returned error) error {
	outcome, err := outcomeOf(check, returned)
	if err != nil {
		return err
	}
	v.Admissible = v.Admissible && outcome.Outcome == passed
	if count := len(outcome.Errors); count > 0 {
		outcome.Errors = slices.DeleteFunc(slices.Clone(outcome.Errors), v.told)
		if len(outcome.Errors) == 0 {
			outcome = Outcome{Check: check, Outcome: notEvaluated}
		}
	}
	v.Checks = append(v.Checks, outcome)
	return nil
}

// told reports whether an earlier check has found the same.
func (v *Verdict) told(violation problem.Violation) bool {
	return slices.ContainsFunc(v.Checks, func(o Outcome) bool { return slices.Contains(o.Errors, violation) })
}

// outcomeOf returns what an error of a check means. An error that is no refusal is returned as it is.
func outcomeOf(name string, err error) (Outcome, error) {
	var p *problem.Error
	var unevaluated *unevaluatedError
	switch {
	case errors.As(err, &unevaluated):
		return Outcome{Check: name, Outcome: notEvaluated}, nil
	case err == nil:
		return Outcome{Check: name, Outcome: passed}, nil
	case !errors.As(err, &p) || p.Kind.Status() >= http.StatusInternalServerError:
		return Outcome{}, err
	}
	existing := ""
	if id := p.Members["existingId"]; id != nil {
		existing = fmt.Sprint(id)
	}
	return Outcome{
		Check: name, Outcome: failed, Status: p.Kind.Status(), Problem: problem.URI(p.Kind), Title: p.Kind.Title(),
		Detail: p.Detail, ExistingID: existing, Errors: p.Violations,
	}, nil
}

func writeJSON(c *gin.Context, value any) error {
	body, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return err
	}
	send(c, http.StatusOK, body)
	return nil
}
