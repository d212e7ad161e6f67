package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/history"
)

// always is what every policy covers at any time, so that claims of the callers are judged by the term alone.
const always = "Breach of privacy"

// causes are what policies may cover besides.
var causes = []string{
	"Business interruption", "Reputational damage", "Errors and omissions", "Fidelity, fraud and Theft",
}

// covers returns what a version covers that sets a limit.
func covers(limit int) []string { return []string{always, causes[limit%len(causes)]} }

// begins and expires are the ends of the term of all policies, which nothing moves.
var begins, expires = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)

// someDay returns an instant in the term of the policies, or near it: one of a few, so that several endorsements have
// the same.
func (c *caller) someDay() time.Time { return begins.AddDate(0, c.random.IntN(14)-1, 0) }

// endorse endorses a policy, with an effective date or without. Each limit is sent once.
func (c *caller) endorse(ctx context.Context, p *policy, limit int) {
	scope, err := json.Marshal(covers(limit))
	if err != nil {
		panic(err)
	}
	body := fmt.Sprintf(`{"endorsementType":"addition","indemnityLimitPolicy":%d,"scope":%s`, limit, scope)
	if c.random.IntN(4) > 0 {
		body += `,"effectiveDate":"` + c.someDay().Format(time.RFC3339) + `"`
	}
	r := &replacement{}
	p.endorsements[limit] = r
	got, heard := c.reach("coverage", c.random).send(ctx, fmt.Sprintf("endorse policy %d as %d", p.number, limit),
		http.MethodPost, policyPath+"/"+p.id+":endorse", body+"}")
	switch {
	case !heard || got.status == http.StatusServiceUnavailable: // Whether it was made is not known.
	case got.status == http.StatusOK:
		r.made = true
	case got.status == http.StatusConflict, got.status == http.StatusBadRequest:
		r.refused = true
	default:
		c.complain("endorse: %d %s", got.status, got.body)
	}
}

// judged is what claims against a policy are judged by, as the model has it: what it covers from when on, in the order
// in which it was written, and when cover ends.
type judged struct {
	from   []time.Time
	covers [][]string
	ends   time.Time
}

// admits reports whether a loss is admitted.
func (j *judged) admits(at time.Time, cause string) bool {
	if at.Before(begins) || !at.Before(expires) || !j.ends.IsZero() && !at.Before(j.ends) {
		return false
	}
	last := 0
	for i, from := range j.from {
		if !from.After(at) {
			last = i
		}
	}
	return slices.Contains(j.covers[last], cause)
}

// model follows the history of a policy. It shares no code with the services.
func model(events []history.Entry, versions []storedPolicy) (*judged, error) {
	j := &judged{}
	for i, event := range events {
		var sent struct{ EffectiveDate time.Time }
		if len(event.Change) > 0 {
			if err := json.Unmarshal(event.Change, &sent); err != nil {
				return nil, err
			}
		}
		last := len(j.from) - 1
		switch {
		case event.Event == "created":
			j.from, j.covers = []time.Time{begins}, [][]string{versions[i].Scope}
		case event.Event == "replaced", event.Event == "endorse" && sent.EffectiveDate.IsZero():
			j.covers[last] = versions[i].Scope
		case event.Event == "endorse":
			if sent.EffectiveDate.Before(j.from[last]) {
				return nil, fmt.Errorf("event %d counts from %v, and the one before from %v", i+1, sent.EffectiveDate,
					j.from[last])
			}
			j.from, j.covers = append(j.from, sent.EffectiveDate), append(j.covers, versions[i].Scope)
		case !sent.EffectiveDate.IsZero():
			j.ends = sent.EffectiveDate
		default:
			j.ends = event.At
		}
	}
	return j, nil
}

// checkDates compares what coverage says that claims are judged by with the model, for every policy and each cause, at
// and around every instant at which something begins or ends.
func (x *exchange) checkDates(reader *replica, complain func(string, ...any)) error {
	for _, p := range x.book.policies.policies {
		var page history.History
		if err := reader.read(rest.ExtensionPrefix+"/history"+policyPath+"/"+p.id+"?limit="+strconv.Itoa(rest.MaxLimit),
			&page); err != nil {
			return err
		}
		versions, err := x.versionsOf(p)
		if err != nil {
			return err
		}
		j, err := model(page.History, versions)
		if err != nil {
			complain("policy %d: %v", p.number, err)
			continue
		}
		instants := append([]time.Time{begins, expires}, j.from...)
		if !j.ends.IsZero() {
			instants = append(instants, j.ends)
		}
		for _, instant := range instants {
			for _, at := range []time.Time{instant.Add(-time.Nanosecond), instant, instant.AddDate(0, 0, 7)} {
				if err := p.compareAt(reader, j, at, complain); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// compareAt compares the verdicts on losses at an instant.
func (p *policy) compareAt(reader *replica, j *judged, at time.Time, complain func(string, ...any)) error {
	var says struct {
		InceptionDate, ExpiryDate, EndedAt time.Time
		Covers                             []string
	}
	if err := reader.read("/internal/policy/"+p.policyNumber+"?at="+url.QueryEscape(at.Format(time.RFC3339Nano)),
		&says); err != nil {
		return err
	}
	inForce := !at.Before(says.InceptionDate) && at.Before(says.ExpiryDate) &&
		(says.EndedAt.IsZero() || at.Before(says.EndedAt))
	for _, cause := range append([]string{always}, causes...) {
		is, want := inForce && slices.Contains(says.Covers, cause), j.admits(at, cause)
		if is != want {
			complain("policy %d: a loss by %s at %v is admitted: %v, and by the model: %v; it says %+v", p.number,
				cause, at, is, want, says)
		}
	}
	return nil
}
