package coverage

import (
	"context"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"insurance.example/exchange/contracts/internalapi"
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
	e.access.Mount(router, internalapi.AccessPath, internalapi.RefusedPath)
	e.access.MountReading(router, internalapi.AccessPath, internalapi.RefusedPath,
		func(ctx context.Context, number string) (string, error) {
			doc, _, err := e.policy(ctx, number)
			return doc.Owner, err
		})
	e.access.MountSeen(router, internalapi.SeenPath, internalapi.MostAsked)
	router.GET(internalapi.AttachmentsPath+":policyNumbers", e.attachments)
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

// descriptions caches what the service has sent to other services about policies. A description follows from one stored
// version of its policy, which never changes. So it is valid as long as the policy has that version.
type descriptions struct {
	known *lru.Cache[uuid.UUID, description]
}

// description is the JSON of an internalapi.Policy, and the version of the policy.
type description struct {
	version int64
	text    []byte
}

// described is how many descriptions are cached. Each takes some hundred bytes.
const described = 10_000

func newDescriptions() (*descriptions, error) {
	known, err := lru.New[uuid.UUID, description](described)
	return &descriptions{known}, err
}

// of returns the description of a policy of a line, as JSON.
func (d *descriptions) of(doc docstore.Document, line opened) ([]byte, error) {
	if known, ok := d.known.Get(doc.ID); ok && known.version == doc.Version {
		return known.text, nil
	}
	facts, err := line.describe(doc)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(facts)
	if err != nil {
		return nil, fmt.Errorf("describing policy %s: %w", doc.ID, err)
	}
	d.known.Add(doc.ID, description{doc.Version, text})
	return text, nil
}
