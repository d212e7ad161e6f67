// Package share serves the operations by which a service keeps the access lists of policies beside its records.
package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/query"
)

// Lists are the access lists that a service keeps.
type Lists struct {
	deps  process.Deps
	of    []func() docstore.Collection
	lists *shared.Lists
}

// New returns the access lists of a service. of return the collections with records of policies, once they are open.
func New(deps process.Deps, of ...func() docstore.Collection) *Lists {
	return &Lists{deps: deps, of: of}
}

// Open opens the lists, where organisations share the exchange.
func (l *Lists) Open(ctx context.Context) (err error) {
	if l.deps.Organisations {
		l.lists, err = shared.OpenLists(ctx, l.deps.Store, l.deps.Now)
	}
	return err
}

// On reports whether policies can be shared.
func (l *Lists) On() bool { return l.deps.Organisations }

// ToKeep returns the participants that a policy takes over from the policy that it follows; nil if nobody is to be
// taken over, or if a caller has changed the list of the policy already. Errors: docstore.ErrUnavailable, also if a
// change of the other list is under way or was given up.
func (l *Lists) ToKeep(ctx context.Context, from, to string) ([]shared.Participant, error) {
	present, err := l.lists.Of(ctx, to)
	if err != nil || present != nil && present.Edition > 0 {
		return nil, err
	}
	list, err := l.lists.Of(ctx, from)
	switch {
	case err != nil:
		return nil, err
	case list != nil && list.Unfinished:
		return nil, fmt.Errorf("%w: the access list of %s is being changed", docstore.ErrUnavailable, from)
	case list != nil && (len(list.Participants) > 0 || present != nil):
		return list.Participants, nil
	}
	return nil, nil
}

// Mount adds the operations to a router that make a step of a change of a list, and a change of a refusal.
func (l *Lists) Mount(router gin.IRouter, listPath, refusalPath string) {
	if l.deps.Organisations {
		router.PUT(listPath+":policyNumber", func(c *gin.Context) {
			list, err := l.change(c)
			rest.Respond(c, list, err)
		})
		router.PUT(refusalPath+":organisation", func(c *gin.Context) {
			refusal, err := l.refuse(c)
			rest.Respond(c, refusal, err)
		})
	}
}

// Owner returns the organisation that owns a policy. Errors: there is no such policy for the caller.
type Owner func(ctx context.Context, policyNumber string) (string, error)

// MountReading adds the operations that return a list, and a refusal.
func (l *Lists) MountReading(router gin.IRouter, listPath, refusalPath string, owner Owner) {
	if l.deps.Organisations {
		router.GET(listPath+":policyNumber", func(c *gin.Context) {
			list, err := l.read(c, owner)
			rest.Respond(c, list, err)
		})
		router.GET(refusalPath+":organisation", func(c *gin.Context) {
			ctx := c.Request.Context()
			refusal, err := l.lists.Refusal(ctx, request.OrganisationFrom(ctx), c.Param("organisation"))
			if refusal == nil {
				refusal = &shared.Refusal{}
			}
			rest.Respond(c, refusal, err)
		})
	}
}

// refuse makes a change of what the organisation of the caller refuses. Errors: problem.TooManyRefusals.
func (l *Lists) refuse(c *gin.Context) (*shared.Refusal, error) {
	var change shared.Refusal
	if err := Read(c, largest, &change); err != nil {
		return nil, err
	}
	change.Organisation = c.Param("organisation")
	ctx := c.Request.Context()
	refusal, err := l.lists.Refuse(ctx, request.OrganisationFrom(ctx), change)
	if errors.Is(err, shared.ErrFull) {
		err = problem.New(problem.TooManyRefusals, "").Because(err)
	}
	return refusal, err
}

// MountSeen adds the operation that says which of at most so many policies are shared with the caller's organisation.
func (l *Lists) MountSeen(router gin.IRouter, path string, most int) {
	if l.deps.Organisations {
		router.POST(path, func(c *gin.Context) {
			seen, err := l.seen(c, most)
			rest.Respond(c, seen, err)
		})
	}
}

// oldest is the place before the first policy.
const oldest = "oldest"

// MountShared adds the operation that returns a page of the policies that are shared with the caller's organisation.
func (l *Lists) MountShared(router gin.IRouter, path string) {
	if l.deps.Organisations {
		router.GET(path+":after", func(c *gin.Context) {
			page, err := l.sharedAfter(c)
			rest.Respond(c, page, err)
		})
	}
}

// sharedPolicies are a page of policies, and the place after it where another page follows.
type sharedPolicies struct {
	policies `json:",inline"`
	Next     string `json:"next,omitzero"`
}

func (l *Lists) sharedAfter(c *gin.Context) (page sharedPolicies, err error) {
	after := uuid.Nil
	if text := c.Param("after"); text != oldest {
		if after, err = uuid.Parse(text); err != nil {
			return page, problem.New(problem.BadParameter, "").InParameter("after", "is no place of the list")
		}
	}
	ctx := c.Request.Context()
	lists, next, err := l.lists.After(ctx, request.OrganisationFrom(ctx), after)
	if page.policies = policiesOf(lists); next != uuid.Nil {
		page.Next = next.String()
	}
	return page, err
}

func policiesOf(lists []*shared.List) policies {
	of := policies{Policies: []policy{}}
	for _, list := range lists {
		of.Policies = append(of.Policies, policy{list.PolicyNumber, list.Owner})
	}
	return of
}

// LongestName is the length in bytes of the longest number of a policy, or reference of a contract, in a body that is
// read, with what JSON adds.
const LongestName = 256

// policies are some policies with their owners, as the caller reads them.
type policies struct {
	Policies []policy `json:"policies"`
}

type policy struct {
	PolicyNumber string `json:"policyNumber"`
	Owner        string `json:"owner"`
}

func (l *Lists) seen(c *gin.Context, most int) (seen policies, err error) {
	var asked struct {
		PolicyNumbers []string `json:"policyNumbers"`
	}
	if err := Read(c, most*LongestName, &asked); err != nil {
		return seen, err
	}
	if len(asked.PolicyNumbers) > most {
		return seen, problem.New(problem.Invalid, "").
			At("/policyNumbers", fmt.Sprintf("has more than %d elements", most))
	}
	ctx := c.Request.Context()
	lists, err := l.lists.Among(ctx, request.OrganisationFrom(ctx), asked.PolicyNumbers)
	return policiesOf(lists), err
}

// largest is the size in bytes of the largest body that is read. A list has 16 participants at most.
const largest = 64 << 10

// Read reads the body of a request of another service, up to a size in bytes. Errors: problem.Malformed.
func Read(c *gin.Context, largest int, into any) error {
	body, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, int64(largest)))
	if err != nil {
		return problem.New(problem.Malformed, "The body ended before it was whole, or is too large.").Because(err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return problem.New(problem.Malformed, "The body is not what the operation takes.").Because(err)
	}
	return nil
}

func (l *Lists) change(c *gin.Context) (*shared.List, error) {
	var change shared.Change
	if err := Read(c, largest, &change); err != nil {
		return nil, err
	}
	ctx := c.Request.Context()
	who := request.OrganisationFrom(ctx)
	if !who.Sees(change.Owner) {
		return nil, problem.New(problem.RightMissing, "The owner of a policy alone shares it.").
			With("right", shared.OwnerRight)
	}
	change.PolicyNumber = c.Param("policyNumber")
	list, err := l.lists.Make(ctx, change)
	if err == nil && change.Grant {
		list, err = l.grant(ctx, change)
	}
	if errors.Is(err, shared.ErrPassed) {
		err = problem.New(problem.Changed, "Another change of the access list came before.").Because(err)
	}
	return list, err
}

// grant has the participants of a list find what is under the policy, and notes that the change is finished here.
func (l *Lists) grant(ctx context.Context, change shared.Change) (*shared.List, error) {
	for _, of := range l.of {
		if err := docstore.SharingOf(of()).Stamp(ctx, request.OrganisationFrom(ctx), change.PolicyNumber); err != nil {
			return nil, err
		}
	}
	return l.lists.Finish(ctx, change)
}

func (l *Lists) read(c *gin.Context, owner Owner) (*shared.List, error) {
	ctx, number := c.Request.Context(), c.Param("policyNumber")
	of, err := owner(ctx, number)
	if err != nil {
		return nil, err
	}
	var list *shared.List
	if text, past := c.GetQuery("at"); past {
		at, wrong := query.Instant(text, query.InstantForm)
		if wrong != "" {
			return nil, problem.New(problem.BadParameter, "").InParameter("at", wrong)
		}
		list, err = l.lists.At(ctx, number, at)
	} else {
		list, err = l.lists.Of(ctx, number)
	}
	if list == nil && err == nil {
		list = &shared.List{PolicyNumber: number, Owner: of, Participants: []shared.Participant{}}
	}
	return list, err
}
