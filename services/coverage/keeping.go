package coverage

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/pkg/jsonobject/jsonmember"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
)

// keeping has a renewal have the access list of the policy it renews, if its body says so. The renewal is there first,
// shown to its owner alone. The gateway then has the list written everywhere, because claims and premium, which keep it
// as well, call coverage and are not called by it. Until that is done the caller gets no success.
func keeping[T any](e *environment, renewal rest.Action[T]) rest.Action[T] {
	return renewal.Then(
		func(body any) bool {
			keep := body.(*coverage.Renewal).KeepParticipants
			return e.access.On() && keep != nil && *keep
		},
		"for keepParticipants, by which a renewal that was made in part is completed",
		func(ctx context.Context, of string, made T, header http.Header) error {
			id, err := uuid.Parse(of)
			if err != nil {
				return err
			}
			renewed, err := e.policies().Get(ctx, request.OrganisationFrom(ctx), id)
			if err != nil {
				return err
			}
			from, err := jsonmember.Text(renewed.Body, policyNumberIndex)
			if err != nil {
				return err
			}
			to := rest.Text(policyOf(made).PolicyNumber)
			participants, err := e.access.ToKeep(ctx, from, to)
			if err != nil || participants == nil {
				return err
			}
			list := beyond.Access{PolicyNumber: to, Participants: []beyond.Participant{}}
			for _, p := range participants {
				list.Participants = append(list.Participants, beyond.Participant(p))
			}
			text, err := json.Marshal(list)
			header.Set(request.KeepsHeader, string(text))
			return err
		})
}
