package client

import (
	"cmp"
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

	"insurance.example/exchange/pkg/near"
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

// words returns in one line what is wrong, for the file of rejected records.
func (p problem) words() string {
	if len(p.Errors) == 0 && p.Detail == "" {
		return p.Title
	}
	var reasons []string
	for _, v := range p.Errors {
		reasons = append(reasons, strings.TrimLeft(v.Pointer+" "+v.words(), " "))
	}
	return p.Title + ": " + cmp.Or(strings.Join(reasons, "; "), p.Detail)
}

type violation struct {
	Pointer   string `json:"pointer,omitzero"`
	Parameter string `json:"parameter,omitzero"`
	Reason    string `json:"reason,omitzero"`

	allowed string // what would be right there, in words
}

// refusal is the error of a response that is no success.
type refusal struct {
	status  int
	problem problem
	foreign bool // the response is no problem document, so it may not come from an exchange
}

func newRefusal(got response) *refusal {
	r := &refusal{status: got.status}
	// A proxy before the exchange may respond in another form.
	if err := json.Unmarshal(got.body, &r.problem); err != nil || r.problem.Title == "" {
		r.foreign = true
		r.problem = problem{
			Title: strings.ToLower(http.StatusText(got.status)), Status: got.status,
			Instance: got.header.Get("X-Request-Id"),
		}
	}
	return r
}

func (r *refusal) Error() string { return fmt.Sprintf("%s (%d)", r.problem.Title, r.status) }

// passing reports whether the refusal has nothing to do with the content of the request, so that others would be
// refused too.
func (r *refusal) passing() bool { return r.status == http.StatusUnauthorized || unavailable(r.status) }

// words returns what is wrong and what would be right.
func (v violation) words() string {
	if v.allowed == "" {
		return v.Reason
	}
	return v.Reason + "; " + v.allowed
}

// explain writes the details that the title leaves out.
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
		fmt.Fprintln(w, "  Give a bearer token with --token-file or EXCHANGE_TOKEN; for an exchange on this "+
			"machine, its data folder with --data.")
	}
	if r.foreign {
		fmt.Fprintln(w,
			"  An exchange does not respond like this: the address may be of something else. Is --url right?")
	}
	if p.Instance != "" {
		fmt.Fprintf(w, "  request id: %s\n", p.Instance)
	}
}

// misuse is the error of a wrong command line.
type misuse struct{ message string }

func (m *misuse) Error() string { return m.message }

// Misuse returns the error of a wrong command line. Its exit status is 2.
func Misuse(message string) error { return &misuse{message} }

func usage(format string, args ...any) error { return Misuse(fmt.Sprintf(format, args...)) }

// hinted is an error with a line that says how to go on.
type hinted struct {
	error
	hint string
}

func (h *hinted) Unwrap() error { return h.error }

// Hinted returns an error with a line that says how to go on.
func Hinted(err error, hint string) error { return &hinted{err, hint} }

// Refused reports whether an error is the refusal of an exchange by a problem, which its slug names.
func Refused(err error, slug string) bool {
	refused, is := errors.AsType[*refusal](err)
	return is && refused.problem.Type == "/problems/"+slug
}

// Report writes an error of a command for a person and returns the exit status. It is 0 without an error, 1 for a
// refusal or a failure on this machine, 2 for a wrong command line, 3 for an exchange or a database that does not
// respond or is not available now, and 130 after Ctrl-C.
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
	if isA[*misuse](err) {
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

// didYouMean returns a remark with the similar names, or "" if there are none.
func didYouMean(name string, names []string) string {
	if like := near.Names(name, names); len(like) > 0 {
		return " (did you mean " + strings.Join(like, " or ") + "?)"
	}
	return ""
}

// mostShown is the greatest number of allowed values in a message.
const mostShown = 12

// allowedWords returns in words which values are allowed. If there are many, it names the similar ones and the number
// of all.
func allowedWords(given string, values []string) string {
	if len(values) <= mostShown {
		return "allowed: " + strings.Join(values, ", ")
	}
	names := near.Names(given, values)
	words := "allowed: "
	if len(names) > 0 {
		words = "near: "
	} else {
		names = values[:mostShown]
	}
	return words + strings.Join(names, ", ") + ", ... (exchange describe names all of them)"
}
