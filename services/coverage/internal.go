package coverage

import (
	"context"
	"fmt"
	"net/http"
	"time"

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
	"insurance.example/exchange/pkg/rest/history"
)

// lapse makes the policy with an id lapse, by the internalapi.NonPayment in the body of a request.
func (l openedLine[T]) lapse(c *gin.Context, id string) error {
	return l.records.Apply(c, id, lapse[T]())
}

// mountInternal adds the operations for other services to a router.
func (e *environment) mountInternal(router gin.IRouter) {
	router.GET(internalapi.PolicyPath+":policyNumber", func(c *gin.Context) {
		facts, err := e.described(c)
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
	e.access.MountShared(router, internalapi.SharedPath)
	router.GET(internalapi.AttachmentsPath+":policyNumbers", e.attachments)
	// A billing system reports non-payment here. No public operation makes a policy lapse.
	router.POST(internalapi.NonPaymentPath+":policyNumber", func(c *gin.Context) {
		doc, line, err := e.policy(c.Request.Context(), c.Param("policyNumber"))
		if err == nil {
			err = line.lapse(c, doc.ID.String())
		}
		if err != nil {
			rest.Respond(c, nil, err)
			return
		}
		c.Status(http.StatusNoContent)
	})
}

// described returns the description of the policy that a request names, at the instant of its query, as JSON.
func (e *environment) described(c *gin.Context) ([]byte, error) {
	var at time.Time
	var err error
	if raw := c.Request.URL.RawQuery; raw != "" {
		if at, err = history.Instant(raw); err != nil {
			return nil, err
		}
	}
	doc, line, err := e.policy(c.Request.Context(), c.Param("policyNumber"))
	if err != nil {
		return nil, err
	}
	return e.descriptions.of(c.Request.Context(), doc, line, at)
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

// descriptions caches what the service has sent to other services about what was written last of policies. A
// description follows from one stored version of its policy, which never changes. So it is valid as long as the policy
// has that version.
type descriptions struct {
	known *lru.Cache[uuid.UUID, description]
}

// description is the JSON of an internalapi.Policy, the version of the policy, and since when that counts.
type description struct {
	version int64
	since   time.Time
	text    []byte
}

// described is how many descriptions are cached. Each takes some hundred bytes.
const described = 10_000

func newDescriptions() (*descriptions, error) {
	cache, err := lru.New[uuid.UUID, description](described)
	return &descriptions{cache}, err
}

// of returns the description of a policy of a line at an instant, as JSON; the zero time is for what was written last.
func (d *descriptions) of(
	ctx context.Context, doc docstore.Document, line opened, at time.Time,
) ([]byte, error) {
	last := func(since time.Time) bool { return at.IsZero() || !at.Before(since) }
	if of, ok := d.known.Get(doc.ID); ok && of.version == doc.Version && last(of.since) {
		return of.text, nil
	}
	facts, since, err := line.describe(ctx, doc, at)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(facts)
	if err != nil {
		return nil, fmt.Errorf("describing policy %s: %w", doc.ID, err)
	}
	if last(since) {
		d.known.Add(doc.ID, description{doc.Version, since, text})
	}
	return text, nil
}
