package rest

import (
	"context"
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"insurance.example/exchange/pkg/problem"
)

// The outcomes of a check in a trial.
const (
	passed       = "passed"
	failed       = "failed"
	notEvaluated = "not evaluated" // a check that it builds on failed
)

// Verdict is the answer of a trial.
type Verdict struct {
	// Admissible: a create with the same body would be accepted now.
	Admissible bool           `json:"admissible"`
	Checks     []Outcome      `json:"checks"`
	Warnings   []Warning      `json:"warnings"`
	Facts      map[string]any `json:"facts"`
}

// Outcome is the outcome of one check.
type Outcome struct {
	Check   string              `json:"check"`
	Outcome string              `json:"outcome"`
	Status  int                 `json:"status,omitzero"`
	Problem string              `json:"problem,omitzero"`
	Title   string              `json:"title,omitzero"`
	Detail  string              `json:"detail,omitzero"`
	Errors  []problem.Violation `json:"errors,omitempty"`
}

// trial answers the body of a create with the outcome of every check, the warnings and the facts that were read. It
// writes nothing.
func (r *Records[T]) trial(c *gin.Context) error {
	body, err := readBody(c)
	if err != nil {
		return err
	}
	v, err := r.decode(body)
	if err != nil {
		return err
	}
	d := &Draft[T]{Value: v, Now: r.server.Now()}
	if _, err := r.issue(d); err != nil {
		return err
	}
	answer := Verdict{Admissible: true, Warnings: []Warning{}, Facts: map[string]any{}}
	if err := r.try(c.Request.Context(), d, &answer); err != nil {
		return err
	}
	answer.Warnings = append(answer.Warnings, d.warnings...)
	for fact, value := range d.facts {
		answer.Facts[fact.(named).name()] = value
	}
	return writeJSON(c, http.StatusOK, answer)
}

// try runs every check, in order. An outage ends the trial: what could not be asked has no outcome.
func (r *Records[T]) try(ctx context.Context, d *Draft[T], answer *Verdict) error {
	led := true
	for _, check := range r.Checks {
		if !led {
			answer.Checks = append(answer.Checks, Outcome{Check: check.Name, Outcome: notEvaluated})
			continue
		}
		outcome, err := outcomeOf(check.Name, check.Run(ctx, d))
		if err != nil {
			return err
		}
		answer.add(outcome)
		led = outcome.Outcome == passed || !check.Leads
	}
	outcome, err := outcomeOf("value sets and unlisted rules", r.rules(ctx, d, func(Check[T]) bool { return true }))
	if err != nil {
		return err
	}
	answer.add(outcome)
	return nil
}

func (a *Verdict) add(outcome Outcome) {
	a.Checks = append(a.Checks, outcome)
	a.Admissible = a.Admissible && outcome.Outcome == passed
}

// outcomeOf tells what an error of a check means; an error that is no refusal is answered as it is.
func outcomeOf(name string, err error) (Outcome, error) {
	var p *problem.Error
	switch {
	case err == nil:
		return Outcome{Check: name, Outcome: passed}, nil
	case !errors.As(err, &p) || p.Kind.Status() >= http.StatusInternalServerError:
		return Outcome{}, err
	}
	return Outcome{
		Check: name, Outcome: failed, Status: p.Kind.Status(), Problem: problem.URI(p.Kind), Title: p.Kind.Title(),
		Detail: p.Detail, Errors: p.Violations,
	}, nil
}

func writeJSON(c *gin.Context, status int, value any) error {
	body, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return err
	}
	c.Data(status, mediaType, body)
	return nil
}
