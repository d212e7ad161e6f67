package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The exit statuses.
const (
	succeeded   = 0
	refused     = 1 // by the exchange, or by this machine (a file that cannot be written)
	misused     = 2
	outage      = 3
	interrupted = 130 // as shells say of a command that Ctrl-C ended
)

// problem is a problem document (RFC 7807).
type problem struct {
	Type     string         `json:"type,omitzero"`
	Title    string         `json:"title,omitzero"`
	Status   int            `json:"status,omitzero"`
	Detail   string         `json:"detail,omitzero"`
	Instance string         `json:"instance,omitzero"`
	Errors   []violation    `json:"errors,omitzero"`
	Further  jsontext.Value `json:",embed"`
}

// words says in one line what is wrong, for the file of rejected records.
func (p problem) words() string {
	words := p.Title
	if len(p.Errors) == 0 && p.Detail != "" {
		words += ": " + p.Detail
	}
	for i, v := range p.Errors {
		separator := "; "
		if i == 0 {
			separator = ": "
		}
		words += separator
		if v.Pointer != "" {
			words += v.Pointer + " "
		}
		words += v.words()
	}
	return words
}

type violation struct {
	Pointer   string `json:"pointer,omitzero"`
	Parameter string `json:"parameter,omitzero"`
	Reason    string `json:"reason,omitzero"`

	allowed string // what would be right there, in words
}

// refusal is the answer of an exchange that did not do what it was asked to.
type refusal struct {
	status  int
	problem problem
	foreign bool // the answer is no problem document, as those of an exchange are
}

func newRefusal(a answer) *refusal {
	r := &refusal{status: a.status}
	// Something between us and the exchange may answer in another form.
	if err := json.Unmarshal(a.body, &r.problem); err != nil || r.problem.Title == "" {
		r.foreign = true
		r.problem = problem{Title: strings.ToLower(http.StatusText(a.status)), Status: a.status, Instance: a.header.Get("X-Request-Id")}
	}
	return r
}

func (r *refusal) Error() string { return fmt.Sprintf("%s (%d)", r.problem.Title, r.status) }

// passing reports whether the answer says nothing about the request: another one would have fared the same.
func (r *refusal) passing() bool { return r.status == http.StatusUnauthorized || unavailable(r.status) }

// words says what is wrong and what would be right.
func (v violation) words() string {
	if v.allowed == "" {
		return v.Reason
	}
	return v.Reason + "; " + v.allowed
}

// explain writes what the title leaves out.
func (r *refusal) explain(w io.Writer) {
	p := r.problem
	if p.Detail != "" {
		fmt.Fprintf(w, "  %s\n", p.Detail)
	}
	for _, v := range p.Errors {
		where := v.Pointer
		if v.Parameter != "" {
			where = "parameter " + v.Parameter
		}
		if where == "" {
			where = "the body"
		}
		fmt.Fprintf(w, "  - %s: %s\n", where, v.words())
	}
	var further map[string]jsontext.Value
	if json.Unmarshal(p.Further, &further) == nil {
		for _, name := range slices.Sorted(maps.Keys(further)) {
			fmt.Fprintf(w, "  %s: %s\n", name, further[name])
		}
	}
	if r.status == http.StatusUnauthorized {
		fmt.Fprintln(w, "  Give a bearer token with --token-file or EXCHANGE_TOKEN; for an exchange on this machine, its data folder with --data.")
	}
	if r.foreign {
		fmt.Fprintln(w, "  That is not how an exchange answers: what is there may be something else. Is --url right?")
	}
	if p.Instance != "" {
		fmt.Fprintf(w, "  request id: %s\n", p.Instance)
	}
}

// misuse is the error of a command line that cannot be carried out.
type misuse struct{ message string }

func (m *misuse) Error() string { return m.message }

// Misuse is the error of a command line that cannot be carried out; its exit status is 2.
func Misuse(message string) error { return &misuse{message} }

func usage(format string, args ...any) error { return Misuse(fmt.Sprintf(format, args...)) }

// hinted is an error with a line that says how to go on.
type hinted struct {
	error
	hint string
}

func (h *hinted) Unwrap() error { return h.error }

// Report writes an error of a command for a person, and returns the exit status: 0 where there is none, 1 for a refusal
// and for what failed on this machine, 2 for a wrong command line, 3 for an exchange that does not answer or cannot
// now, 130 after Ctrl-C.
func Report(w io.Writer, err error) (status int) {
	if err == nil {
		return succeeded
	}
	fmt.Fprintln(w, "exchange:", message(err))
	status = refused
	if r, is := errors.AsType[*refusal](err); is {
		r.explain(w)
		if r.status >= 500 || r.status == http.StatusTooManyRequests {
			status = outage
		}
	}
	if lost, is := errors.AsType[*unreachable](err); is {
		fmt.Fprintf(w, "  %s\n", lost.advice)
		status = outage
	}
	if _, is := errors.AsType[*misuse](err); is {
		status = misused
	}
	if errors.Is(err, context.Canceled) {
		status = interrupted
	}
	if h, is := errors.AsType[*hinted](err); is {
		fmt.Fprintln(w, h.hint)
	}
	return status
}

func message(err error) string {
	if errors.Is(err, context.Canceled) {
		return "stopped"
	}
	return err.Error()
}
