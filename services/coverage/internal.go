package coverage

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/internalapi/reporting"
	"insurance.example/exchange/contracts/internalapi/sharing"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
)

// lapser is a function that makes the policy with an id lapse.
type lapser func(ctx context.Context, id string) error

func (l openedLine[T]) lapser() lapser {
	return func(ctx context.Context, id string) error { return l.records.Apply(ctx, id, lapse[T](), []byte("{}")) }
}

// mountInternal adds the operations for other services to a router.
func (e *environment) mountInternal(router gin.IRouter) {
	router.GET(internalapi.PolicyPath+":policyNumber", func(c *gin.Context) {
		doc, line, err := e.policy(c.Request.Context(), c.Param("policyNumber"))
		if err != nil {
			rest.Respond(c, nil, err)
			return
		}
		facts, err := e.descriptions.of(doc, line)
		if err != nil {
			rest.Respond(c, nil, err)
			return
		}
		c.Data(http.StatusOK, "application/json", facts)
	})
	router.GET(internalapi.PolicyRecordsPath+":policyNumber", e.whole)
	e.access.Mount(router, sharing.AccessPath)
	e.access.MountReading(router, sharing.AccessPath, func(ctx context.Context, number string) (string, error) {
		doc, _, err := e.policy(ctx, number)
		return doc.Owner, err
	})
	e.access.MountSeen(router, sharing.SeenPath, sharing.MostAsked)
	router.GET(reporting.AttachmentsPath+":policyNumbers", e.attachments)
	// A billing system reports non-payment here. No public operation makes a policy lapse.
	router.POST(internalapi.NonPaymentPath+":policyNumber", func(c *gin.Context) {
		doc, line, err := e.policy(c.Request.Context(), c.Param("policyNumber"))
		if err == nil {
			err = line.lapser()(c.Request.Context(), doc.ID.String())
		}
		if err != nil {
			rest.Respond(c, nil, err)
			return
		}
		c.Status(http.StatusNoContent)
	})
}

// policy returns the policy with a number, and its line.
func (e *environment) policy(ctx context.Context, policyNumber string) (docstore.Document, opened, error) {
	docs, err := e.policies().Find(ctx, request.OrganisationFrom(ctx),
		docstore.Query{Equal: docstore.Keys{policyNumberIndex: policyNumber}, Limit: 1, WithState: true})
	if err != nil {
		return docstore.Document{}, nil, err
	}
	if len(docs) == 0 {
		return docstore.Document{}, nil, problem.New(problems.PolicyNotFound, "")
	}
	name, err := rest.ResourceOf(docs[0])
	return docs[0], e.lines[name], err
}
