package composite

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/condition"
	"insurance.example/exchange/pkg/rest/query"
)

// accessOperations are the operations about access lists.
func (e *environment) accessOperations() []rest.Extension {
	path := rest.ExtensionPrefix + "/access/{policyNumber}"
	return []rest.Extension{{
		Path: path, Method: http.MethodGet, ID: "readAccessList",
		Summary: "With whom a policy is shared, now or at an instant",
		Details: "A participant sees its own entry, as it is now. Where organisations do not share the exchange, the " +
			"path is unknown.",
		Response: reflect.TypeFor[beyond.Access](), Tagged: true, Parameters: []string{"policyNumber"},
		Query: []rest.Parameter{{
			Name: "at", Format: "date-time", Means: "The instant, for the owner of the policy; now without it.",
		}},
		Refuses: []problem.Kind{problem.NotFound, problems.PolicyNotFound, problem.RightMissing},
		Serve:   e.readAccess,
	}, {
		Path: path, Method: http.MethodPut, Writes: true, ID: "shareAccessList",
		Summary: "Share a policy with other organisations, or end that",
		Details: "The owner of the policy alone changes the list. Once the response is 200 the list holds " +
			"everywhere. After a 503 the change may have been made in part: nobody has a right that neither the list " +
			"before nor the one of the change gives, and the same request completes it. What a participant creates " +
			"under the policy belongs to the policy's owner.",
		Body: reflect.TypeFor[beyond.AccessList](), Response: reflect.TypeFor[beyond.Access](), Tagged: true,
		Parameters: []string{"policyNumber"},
		Refuses:    []problem.Kind{problem.NotFound, problems.PolicyNotFound, problem.RightMissing, problem.Invalid},
		Serve:      e.changeAccess,
	}}
}

// sharers are the services that keep the lists, in the order in which they make a change. Coverage decides the order of
// changes: it is the first to take, and the last to give.
var sharers = []string{"claims", "premium"}

// mostParticipants is the greatest number of participants of a policy.
const mostParticipants = 16

var errUnshared = problem.New(problem.NotFound, "Organisations do not share this exchange (setting org-claim).")

// access returns the access list of a policy that the caller sees. Errors: problem.NotFound, problems.PolicyNotFound,
// problem.Outage.
func (e *environment) access(ctx context.Context, number, at string) (list internalapi.Kept, err error) {
	path := internalapi.AccessPath + url.PathEscape(number)
	if at != "" {
		path += "?at=" + url.QueryEscape(at)
	}
	reply, err := e.peer("coverage").Do(ctx, peer.Call{Method: http.MethodGet, Path: path})
	switch {
	case err != nil:
		return list, err
	case reply.Status == http.StatusNotFound && typeOf(reply) == problem.URI(problems.PolicyNotFound):
		return list, problem.New(problems.PolicyNotFound, "No policy has this policyNumber.")
	case reply.Status == http.StatusBadRequest && at != "":
		return list, problem.New(problem.BadParameter, "").InParameter("at",
			"must be an instant, such as 2026-01-31T00:00:00Z")
	case reply.Status != http.StatusOK:
		return list, problem.Outage(fmt.Errorf("coverage keeps no access lists (%d)", reply.Status))
	}
	return list, json.Unmarshal(reply.Body, &list)
}

// typeOf returns the type of the problem that a reply is, empty for none.
func typeOf(reply peer.Reply) string {
	var refusal struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(reply.Body, &refusal) // a body that is no problem says nothing
	return refusal.Type
}

func (e *environment) readAccess(c *gin.Context, _ any) (any, error) {
	if !e.organisations {
		return nil, errUnshared
	}
	ctx, number := c.Request.Context(), c.Param("policyNumber")
	at := c.Query("at")
	if _, asked := c.GetQuery("at"); asked {
		if _, wrong := query.Instant(at, query.InstantForm); wrong != "" {
			return nil, problem.New(problem.BadParameter, "").InParameter("at", wrong)
		}
	}
	list, err := e.access(ctx, number, at)
	if err != nil {
		return nil, err
	}
	who := request.OrganisationFrom(ctx)
	if !who.Sees(list.Owner) {
		if at != "" {
			return nil, notOwner("The owner of the policy alone sees what its access list was.")
		}
		return shownToParticipant(c, number, list)
	}
	return shownToOwner(c, number, list), nil
}

func notOwner(detail string) error {
	return problem.New(problem.RightMissing, detail).With("right", shared.OwnerRight)
}

// shownToOwner returns a list as the owner of the policy sees it, and sends its entity tag.
func shownToOwner(c *gin.Context, number string, list internalapi.Kept) *beyond.Access {
	c.Header("ETag", tagOf(list))
	access := &beyond.Access{
		PolicyNumber: number, Version: &list.Edition, Unfinished: list.Unfinished, Participants: []beyond.Participant{},
		SetBy: list.By, SetAt: list.At,
	}
	for _, p := range list.Participants {
		access.Participants = append(access.Participants, beyond.Participant(p))
	}
	return access
}

// tagOf returns the entity tag of a list, which is another one while a change is unfinished.
func tagOf(list internalapi.Kept) string {
	tag := strconv.FormatInt(int64(list.Edition), 10)
	if list.Unfinished {
		tag += "-unfinished"
	}
	return `"` + tag + `"`
}

// shownToParticipant returns a list as a participant sees it: its own entry. The entity tag does not say whether the
// list has changed for others.
func shownToParticipant(c *gin.Context, number string, list internalapi.Kept) (any, error) {
	who := request.OrganisationFrom(c.Request.Context())
	access := &beyond.Access{PolicyNumber: number, Participants: []beyond.Participant{}}
	for _, p := range list.Participants {
		if p.Organisation == who.Name() {
			access.Participants = append(access.Participants, beyond.Participant(p))
		}
	}
	text, err := json.Marshal(access.Participants)
	digest := fnv.New64a()
	_, _ = digest.Write(text)
	c.Header("ETag", `"`+strconv.FormatUint(digest.Sum64(), 36)+`"`)
	return access, err
}

// mostChanges is how often a change is begun again because another one came before.
const mostChanges = 4

func (e *environment) changeAccess(c *gin.Context, body any) (any, error) {
	if !e.organisations {
		return nil, errUnshared
	}
	ctx, number := c.Request.Context(), c.Param("policyNumber")
	who := request.OrganisationFrom(ctx)
	wanted, err := participantsOf(body.(*beyond.AccessList), who.Name())
	if err != nil {
		return nil, err
	}
	for range mostChanges {
		list, err := e.access(ctx, number, "")
		if err != nil {
			return nil, err
		}
		if !who.Sees(list.Owner) {
			return nil, notOwner("The owner of the policy alone shares it.")
		}
		if err := meets(c.Request.Header, list); err != nil {
			return nil, err
		}
		list, err = e.share(ctx, number, list, wanted)
		if !errors.Is(err, errPassed) {
			if err != nil {
				return nil, err
			}
			return shownToOwner(c, number, list), nil
		}
	}
	return nil, problem.Outage(errors.New("the access list changes too often"))
}

// meets judges the conditions of a change. One that completes a change may name the list that was there before that.
func meets(header http.Header, list internalapi.Kept) error {
	err := condition.Judge(header, tagOf(list))
	if err == nil || !list.Unfinished {
		return err
	}
	list.Unfinished = false
	return condition.Judge(header, tagOf(list))
}

// participantsOf returns the participants of a body, in the order of their names. own is the name of the caller's
// organisation. Errors: problem.Invalid.
func participantsOf(body *beyond.AccessList, own string) ([]internalapi.Participant, error) {
	wrong := problem.New(problem.Invalid, "")
	if body.Participants == nil {
		wrong.At("/participants", "is required; an empty list ends the sharing")
	}
	if len(body.Participants) > mostParticipants {
		return nil, wrong.At("/participants", fmt.Sprintf("has more than %d elements", mostParticipants))
	}
	wanted := []internalapi.Participant{}
	for i, p := range body.Participants {
		at := "/participants/" + strconv.Itoa(i)
		switch {
		case p.Organisation == "":
			wrong.At(at+"/organisation", "is required")
		case !shared.MayParticipate(p.Organisation):
			wrong.At(at+"/organisation",
				"is no name of an organisation: 1 to 64 letters, digits, dots, underscores and hyphens")
		case p.Organisation == own:
			wrong.At(at+"/organisation", "is the owner of the policy, which has all rights")
		case slices.ContainsFunc(wanted, func(q internalapi.Participant) bool {
			return q.Organisation == p.Organisation
		}):
			wrong.At(at+"/organisation", "is in the list twice")
		}
		rights := rightsOf(p.Rights, at, wrong)
		wanted = append(wanted, internalapi.Participant{Organisation: p.Organisation, Rights: rights})
	}
	if len(wrong.Violations) > 0 {
		return nil, wrong
	}
	slices.SortFunc(wanted, func(a, b internalapi.Participant) int {
		return strings.Compare(a.Organisation, b.Organisation)
	})
	return wanted, nil
}

// rights are all rights, in their order.
var rights = []string{shared.ReadRight, shared.ClaimsRight, shared.PremiumRight}

// rightsOf returns the rights of a participant in their order, and notes what is wrong with them.
func rightsOf(given []string, at string, wrong *problem.Error) []string {
	for i, right := range given {
		place := at + "/rights/" + strconv.Itoa(i)
		if !slices.Contains(rights, right) {
			wrong.At(place, "is no right; the rights are "+strings.Join(rights, ", "))
		} else if slices.Contains(given[:i], right) {
			wrong.At(place, "is there twice")
		}
	}
	if !slices.Contains(given, shared.ReadRight) {
		wrong.At(at+"/rights", "must have "+shared.ReadRight)
	}
	return slices.DeleteFunc(slices.Clone(rights), func(right string) bool { return !slices.Contains(given, right) })
}

// errPassed means that another change came before.
var errPassed = errors.New("another change of the access list came before")

// share makes a change of a list everywhere. First each service takes away what the change takes, and then each gives
// what it gives. So a change that stops half way leaves nothing that it was to take, and repeating it completes it.
// Errors: errPassed, problem.Outage.
func (e *environment) share(
	ctx context.Context, number string, list internalapi.Kept, wanted []internalapi.Participant,
) (internalapi.Kept, error) {
	change := internalapi.Step{
		Owner: list.Owner, Participants: wanted, By: request.CallerFrom(ctx).Subject, At: scalar.Instant(e.now()),
	}
	first := change
	first.After = &list.Sequence
	begun, err := e.step(ctx, "coverage", number, first)
	if err != nil {
		return begun, err
	}
	change.Sequence = begun.Sequence
	for _, service := range sharers {
		if _, err := e.step(ctx, service, number, change); err != nil {
			return begun, err
		}
	}
	change.Grant = true
	for _, service := range sharers {
		if _, err := e.step(ctx, service, number, change); err != nil {
			return begun, err
		}
	}
	return e.step(ctx, "coverage", number, change)
}

// step has one service make one step of a change.
func (e *environment) step(
	ctx context.Context, service, number string, change internalapi.Step,
) (list internalapi.Kept, err error) {
	body, err := json.Marshal(change)
	if err != nil {
		return list, err
	}
	reply, err := e.peer(service).Do(ctx, peer.Call{
		Method: http.MethodPut, Path: internalapi.AccessPath + url.PathEscape(number), Body: body,
	})
	switch {
	case err != nil:
		return list, err
	case reply.Status == http.StatusPreconditionFailed:
		return list, errPassed
	case reply.Status != http.StatusOK:
		return list, problem.Outage(fmt.Errorf("%s does not keep the access list (%d)", service, reply.Status))
	}
	return list, json.Unmarshal(reply.Body, &list)
}
