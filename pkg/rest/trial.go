package rest

import (
	"context"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/creation"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/jsonobject/jsonmember"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/reference"
	"insurance.example/exchange/pkg/rest/history"
	"insurance.example/exchange/pkg/rest/query"
)

// serveTrial serves POST /internal/trial. It writes nothing.
func (s *Server) serveTrial(c *gin.Context) {
	outcomes, err := s.tryAll(c)
	Respond(c, map[string][]creation.Tried{"outcomes": outcomes}, err)
}

func (s *Server) tryAll(c *gin.Context) ([]creation.Tried, error) {
	if raw := c.Request.URL.RawQuery; raw != "" {
		return nil, query.None(raw)
	}
	text, err := readBody(c)
	if err != nil {
		return nil, err
	}
	t := creation.Trial{Known: map[string]map[string]string{}, Assumed: peer.Facts{}}
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, problem.New(problem.Malformed, "The body is no trial.").Because(err)
	}
	c.Request = c.Request.WithContext(peer.Assume(c.Request.Context(), t.Assumed))
	outcomes := make([]creation.Tried, 0, len(t.Operations))
	for _, operation := range t.Operations {
		outcome, err := s.tryOne(c, &t, operation)
		if err != nil {
			return nil, err
		}
		if outcome.Values != nil && operation.Ref != "" {
			t.Known[operation.Ref] = outcome.Values
		}
		for path, fact := range outcome.Assumed {
			t.Assumed[path] = fact
		}
		outcomes = append(outcomes, outcome)
	}
	return outcomes, nil
}

func (s *Server) tryOne(c *gin.Context, t *creation.Trial, operation creation.Operation) (creation.Tried, error) {
	of := s.named(operation.Resource)
	if of == nil {
		return creation.Tried{}, problem.New(problem.NotFound, "")
	}
	unknown := false
	lacks := problem.New(problem.Invalid, "")
	body, err := reference.Resolve(operation.Body, func(r reference.Reference) string {
		values, known := t.Known[r.To]
		unknown = unknown || !known
		if known && values[r.Member] == "" {
			lacks.At(string(r.Pointer), "refers to the "+r.Member+" of "+r.To+", which has none")
		}
		return values[r.Member]
	})
	switch {
	case err != nil:
		return creation.Tried{}, problem.New(problem.Malformed, "The body is no trial.").Because(err)
	case unknown:
		return creation.Tried{Outcome: creation.Untried}, nil
	case len(lacks.Violations) > 0:
		return refusedBy("a reference names nothing", lacks)
	}
	return of.tryCreation(c, operation.Key, body)
}

func (s *Server) named(resource string) resource {
	for _, r := range s.resources {
		if r.name() == resource {
			return r
		}
	}
	return nil
}

// refusedBy returns the outcome of a creation that an error refuses. An error that is no refusal is returned as it is.
func refusedBy(check string, err error) (creation.Tried, error) {
	outcome, err := outcomeOf(check, err)
	return creation.Tried{Outcome: creation.RefusedTrial, Failed: []creation.Failure{failureOf(outcome)}}, err
}

// failureOf returns a check that refuses a record as other services learn of it.
func failureOf(o Outcome) creation.Failure {
	return creation.Failure{
		Check: o.Check, Status: o.Status, Problem: o.Problem, Title: o.Title, Detail: o.Detail,
		ExistingID: o.ExistingID, Errors: o.Errors,
	}
}

func (l *StaticList) tryCreation(*gin.Context, string, []byte) (creation.Tried, error) {
	return creation.Tried{}, problem.New(problem.NotFound, "")
}

// tryCreation returns what would become of a creation with an Idempotency-Key. It writes nothing.
func (r *Records[T]) tryCreation(c *gin.Context, name string, body []byte) (creation.Tried, error) {
	ctx := c.Request.Context()
	key, err := r.server.keyOf(ctx, r.Name, name, body)
	if err != nil {
		return refusedBy("the body", err)
	}
	if doc, again, err := r.madeBefore(ctx, key); err != nil {
		return refusedBy("the Idempotency-Key", err)
	} else if again {
		values, err := valuesOf(doc)
		return creation.Tried{Outcome: creation.Made, Values: values}, err
	}
	d, verdict, err := r.attempt(c, body, key)
	if err != nil {
		return refusedBy("the body", err)
	}
	if !verdict.Admissible {
		failures := creation.Tried{Outcome: creation.RefusedTrial}
		for _, o := range verdict.Checks {
			if o.Outcome == failed {
				failures.Failed = append(failures.Failed, failureOf(o))
			}
		}
		return failures, nil
	}
	id, err := uuid.Parse(identity(d.Value).RecordID())
	if err != nil {
		return creation.Tried{}, err
	}
	doc, err := r.newDocument(ctx, id, d, key, history.Entry{Event: "created"})
	if err != nil {
		return refusedBy("the record", r.names.asSent(err, body))
	}
	values, err := valuesOf(doc)
	if err != nil {
		return creation.Tried{}, err
	}
	facts, err := r.server.factsOf(doc)
	if err == nil {
		facts[r.assumedAt(id.String())] = doc.Body
	}
	return creation.Tried{Outcome: creation.Admissible, Values: values, Assumed: facts}, err
}

// madeBefore returns the document that a request with the key has made, if there is one. Unlike replayed, it leaves a
// key that is no longer remembered where it is.
func (r *Records[T]) madeBefore(ctx context.Context, key *history.UsedKey) (docstore.Document, bool, error) {
	doc, found, err := r.createdWith(ctx, key)
	if err != nil || !found {
		return doc, false, err
	}
	state, err := history.Decode(doc.State)
	if err != nil {
		return doc, false, err
	}
	again, err := r.server.Repeats(state.Key, key)
	return doc, again, err
}

// valuesOf returns the values of a record that others can refer to.
func valuesOf(doc docstore.Document) (map[string]string, error) {
	values := map[string]string{}
	for _, member := range reference.Members() {
		text, err := jsonmember.Text(doc.Body, member)
		if err != nil {
			return nil, err
		}
		if text != "" {
			values[member] = text
		}
	}
	return values, nil
}

// factsOf returns what the service says to others about a record, by the path of the internal operation.
func (s *Server) factsOf(doc docstore.Document) (peer.Facts, error) {
	facts := peer.Facts{}
	if s.lookedUp == nil {
		return facts, nil
	}
	path, fact, err := s.lookedUp(doc)
	if err != nil || path == "" {
		return facts, err
	}
	facts[path], err = json.Marshal(fact, json.Deterministic(true))
	return facts, err
}

// assumedAt returns the path by which a record is assumed.
func (r *documents) assumedAt(id string) string { return "/" + r.resource + "/" + strings.ToLower(id) }

// assumed returns the record with an id that a context assumes, if there is one.
func (r *documents) assumed(ctx context.Context, id string) (jsontext.Value, bool) {
	facts := peer.Assumed(ctx)
	if facts == nil {
		return nil, false
	}
	body, is := facts[r.assumedAt(id)]
	return body, is
}

// assumedOwner returns the id of a record that a context assumes and that has a unique value.
func (r *Records[T]) assumedOwner(ctx context.Context, u *Unique[T], value string) (id string, held bool, err error) {
	for path, body := range peer.Assumed(ctx) {
		if !strings.HasPrefix(path, r.assumedAt("")) {
			continue
		}
		v := empty[T]()
		if err := json.Unmarshal(body, v, history.UniqueNames); err != nil {
			return "", false, err
		}
		if u.Value(v) == value {
			return identity(v).RecordID(), true, nil
		}
	}
	return "", false, nil
}
