package composite

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
)

// refusalOperations are those by which an organisation refuses what another one shares with it.
func (e *environment) refusalOperations() []rest.Extension {
	of := func(method, id, summary string, serve func(*gin.Context, string) (any, error)) rest.Extension {
		return rest.Extension{
			Path: rest.ExtensionPrefix + "/access/refused/{organisation}", Method: method, ID: id, Summary: summary,
			Writes: method != http.MethodGet, Response: reflect.TypeFor[beyond.RefusedShares](),
			Parameters: []string{"organisation"}, Refuses: []problem.Kind{problem.NotFound},
			Serve: func(c *gin.Context, _ any) (any, error) {
				name := c.Param("organisation")
				if !e.organisations {
					return nil, errUnshared
				}
				if !shared.MayParticipate(name) {
					return nil, problem.New(problem.BadParameter, "").InParameter("organisation",
						"is no name of an organisation: 1 to 64 letters, digits, dots, underscores and hyphens")
				}
				if name == request.OrganisationFrom(c.Request.Context()).Name() {
					return nil, problem.New(problem.BadParameter, "").InParameter("organisation",
						"is the organisation of the caller, which shares nothing with itself")
				}
				return serve(c, name)
			},
		}
	}
	refuse := of(http.MethodPut, "refuseShares", "Refuse what an organisation shares with that of the caller",
		func(c *gin.Context, name string) (any, error) {
			is, err := e.refuse(c.Request.Context(), name, true)
			return shownRefusal(name, is), err
		})
	refuse.Details = "What it shares, now and later, is not seen by the caller's organisation any more, as if it " +
		"were not shared. The other organisation is not told: its requests and access lists are answered as before. " +
		"Once the response is 200 the refusal holds everywhere; after a 503 the same request completes it. An " +
		"organisation refuses the shares of up to " + strconv.Itoa(shared.MostRefused) + " others at a time."
	refuse.Refuses = append(refuse.Refuses, problem.TooManyRefusals)
	return []rest.Extension{
		refuse,
		of(http.MethodGet, "readRefusal", "Whether the caller's organisation refuses what another one shares with it",
			func(c *gin.Context, name string) (any, error) {
				is, err := e.refusal(c.Request.Context(), name)
				return shownRefusal(name, is), err
			}),
		of(http.MethodDelete, "endRefusal", "End a refusal; the response is what it was",
			func(c *gin.Context, name string) (any, error) {
				was, err := e.refusal(c.Request.Context(), name)
				if err == nil || was.Sequence > 0 { // what has ended may have ended only in part
					if _, failed := e.refuse(c.Request.Context(), name, false); failed != nil {
						err = failed
					}
				}
				return shownRefusal(name, was), err
			}),
	}
}

func shownRefusal(name string, r internalapi.Refusal) *beyond.RefusedShares {
	return &beyond.RefusedShares{Organisation: name, SetBy: r.By, SetAt: r.At}
}

// refusal returns what the caller's organisation refuses of another one. Errors: problem.NotFound, problem.Outage.
func (e *environment) refusal(ctx context.Context, name string) (internalapi.Refusal, error) {
	is, found, err := peer.Get[internalapi.Refusal](ctx, e.peer("coverage"),
		internalapi.RefusedPath+url.PathEscape(name))
	switch {
	case err == nil && !found:
		err = problem.Outage(errors.New("coverage keeps no refusals"))
	case err == nil && !is.Refused:
		err = problem.New(problem.NotFound, "What this organisation shares is not refused.")
	}
	return is, err
}

// refuse changes everywhere whether the caller's organisation refuses what another one shares. Coverage decides the
// order of changes. A change that stops half way leaves services that differ, and repeating it completes it. Errors:
// problem.TooManyRefusals, problem.Outage.
func (e *environment) refuse(ctx context.Context, name string, refused bool) (internalapi.Refusal, error) {
	change := internalapi.Refusal{Refused: refused, By: request.CallerFrom(ctx).Subject, At: scalar.Instant(e.now())}
	step := change
	for _, service := range append([]string{"coverage"}, sharers...) {
		body, err := json.Marshal(change)
		if err != nil {
			return step, err
		}
		reply, err := e.peer(service).Do(ctx, peer.Call{
			Method: http.MethodPut, Path: internalapi.RefusedPath + url.PathEscape(name), Body: body,
		})
		if err == nil && reply.Status == http.StatusConflict {
			return step, problem.New(problem.TooManyRefusals, fmt.Sprintf("Your organisation refuses the shares of %d "+
				"others, as many as it may. End one of these refusals first.", shared.MostRefused))
		}
		if err == nil && reply.Status != http.StatusOK {
			err = problem.Outage(fmt.Errorf("%s keeps no refusals (%d)", service, reply.Status))
		}
		if err == nil {
			err = json.Unmarshal(reply.Body, &step)
		}
		if err != nil {
			return step, err
		}
		if change.Sequence == 0 {
			change.Sequence = step.Sequence
		}
	}
	return step, nil
}
