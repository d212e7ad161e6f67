package creation

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
)

// kind is the kind of a problem that a service has returned.
type kind struct {
	slug, title string
	status      int
}

func (k *kind) Slug() string  { return k.slug }
func (k *kind) Title() string { return k.title }
func (k *kind) Status() int   { return k.status }

// Refused is the error of a creation that its service refuses.
type Refused struct {
	Kind   problem.Kind
	Detail string
	// Errors are what is wrong with the body, and More how many were left out.
	Errors []problem.Violation
	More   int
	// ExistingID is the id of the record that is there already, if that is what is wrong.
	ExistingID string
}

func (r *Refused) Error() string { return r.Kind.Title() }

// refusal returns the error of a creation that a service has not made. Errors: *Refused, problem.Outage.
func refusal(service string, reply peer.Reply) error {
	var document struct {
		Type       string              `json:"type"`
		Title      string              `json:"title"`
		Detail     string              `json:"detail"`
		ExistingID string              `json:"existingId"`
		Errors     []problem.Violation `json:"errors"`
		MoreErrors int                 `json:"moreErrors"`
	}
	slug := ""
	err := json.Unmarshal(reply.Body, &document)
	if err == nil {
		slug = strings.TrimPrefix(document.Type, problem.URI(&kind{}))
	}
	if slug == "" || reply.Status < http.StatusBadRequest {
		return problem.Outage(fmt.Errorf("creation by %s: response with status %d (%w)", service, reply.Status, err))
	}
	return &Refused{
		Kind: &kind{slug, document.Title, reply.Status}, Detail: document.Detail, Errors: document.Errors,
		More: document.MoreErrors, ExistingID: document.ExistingID,
	}
}
