package coverage

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/query"
)

// mostAttachments is how many policies are asked for at a time.
const mostAttachments = 200

// attachments serves the internal operation that returns by what policies belong to contracts.
func (e *environment) attachments(c *gin.Context) {
	all, err := query.Named(c.Request.Context(), "policyNumbers", c.Param("policyNumbers"), mostAttachments,
		query.Together, e.attachment)
	attachments := internalapi.Attachments{Policies: slices.DeleteFunc(all, func(a internalapi.Attachment) bool {
		return a.PolicyNumber == ""
	})}
	rest.Respond(c, attachments, err)
}

// attachment returns by what a policy belongs to contracts; the zero value if no policy has the number.
func (e *environment) attachment(ctx context.Context, number string) (a internalapi.Attachment, err error) {
	who := request.OrganisationFrom(ctx)
	docs, err := e.policies().Find(ctx, who,
		docstore.Query{Equal: docstore.Keys{policyNumberIndex: number}, Limit: 1, WithState: true, Own: true})
	if err != nil || len(docs) == 0 {
		return a, err
	}
	body := docs[0].Body
	if docs[0].Version > 1 {
		// A policy whose first version was not kept counts as it is now.
		switch first, err := e.policies().Former(ctx, who, docs[0].ID, 1); {
		case err == nil:
			body = first.Body
		case !errors.Is(err, docstore.ErrNotFound):
			return a, err
		}
	}
	var first coverage.Policy
	if err := json.Unmarshal(body, &first); err != nil {
		return a, fmt.Errorf("stored policy %s: %w", docs[0].ID, err)
	}
	line, err := rest.ResourceOf(docs[0])
	return internalapi.Attachment{PolicyNumber: number, Line: line, InceptionDate: first.InceptionDate}, err
}
