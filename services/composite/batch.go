package composite

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/creation"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/reference"
	"insurance.example/exchange/pkg/request"
)

// step is an operation of a batch under way.
type step struct {
	*creation.Creation
	beyond.BatchPlace
}

// batch is a batch under way.
type batch struct {
	*creation.Maker
	steps []step
	// named holds the operations by their names.
	named map[string]*creation.Creation
	// refused collects what is wrong with operations before any runs.
	refused  *problem.Error
	refusals []beyond.BatchRefusal
}

// serveBatch serves POST /x/batch.
func (e *environment) serveBatch(c *gin.Context, body any) (any, error) {
	key, err := keyOf(c.Request.Header)
	if err != nil {
		return nil, err
	}
	operations := body.(*beyond.Batch).Operations
	if p := counted(len(operations)); p != nil {
		return nil, p
	}
	b := &batch{
		Maker: &creation.Maker{Peer: e.peer, Owners: e.owners, Header: http.Header{}},
		named: map[string]*creation.Creation{},
		refused: problem.New(problems.BatchRefused,
			"Nothing was written. Mend what errors names, and send the batch again."),
	}
	if prefer := c.Request.Header["Prefer"]; len(prefer) > 0 {
		b.Header["Prefer"] = prefer
	}
	for i, operation := range operations {
		b.read(i, operation, partKey(key, i))
	}
	ctx := c.Request.Context()
	// What is wrong anyway is said even if a service cannot be asked about the rest.
	if err := b.try(ctx); err != nil && len(b.refusals) == 0 {
		return nil, err
	}
	if len(b.refusals) > 0 {
		return nil, b.refused.With("refused", b.refusals)
	}
	return b.run(ctx, c.Writer.Header())
}

// try tries all operations that can be read. It writes nothing. Errors: a service does not respond, or has no trial.
func (b *batch) try(ctx context.Context) error {
	places, all := map[*creation.Creation]step{}, []*creation.Creation{}
	for _, s := range b.steps {
		places[s.Creation] = s
		all = append(all, s.Creation)
	}
	return b.Try(ctx, all, b.named, func(of *creation.Creation, failed []creation.Failure) {
		b.refuse(places[of], "/body", failed)
	})
}

// keyOf returns the Idempotency-Key of a batch. A batch without one could not be resumed.
func keyOf(header http.Header) (string, error) {
	key, err := request.KeySent(header)
	if err == nil && key == "" {
		err = problem.New(problem.BadHeader, "A batch needs an Idempotency-Key, by which it is resumed.").
			At("", "is sent without an Idempotency-Key")
	}
	return key, err
}

// partKey returns the Idempotency-Key of an operation: that of the batch, and the place. Where this would be longer
// than a key may be, a digest stands for the key of the batch.
func partKey(key string, place int) string {
	suffix := "#" + strconv.Itoa(place)
	if len(key)+len(suffix) > request.MaxKey {
		sum := sha256.Sum256([]byte(key))
		key = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	return key + suffix
}

// counted refuses a batch that is empty or has too many operations.
func counted(operations int) *problem.Error {
	switch {
	case operations == 0:
		return problem.New(problem.Required, "").At("/operations", "is required")
	case operations > beyond.MostOperations:
		return problem.New(problem.Invalid, "").At("/operations", "has "+strconv.Itoa(operations)+
			" operations, and a batch has at most "+strconv.Itoa(beyond.MostOperations)+"; send the others in another")
	default:
		return nil
	}
}

// read adds an operation to the batch. What is wrong with it is a refusal.
func (b *batch) read(place int, o beyond.BatchOperation, key string) {
	s := step{
		&creation.Creation{Ref: o.Ref, Body: jsontext.Value(o.Body), Key: key},
		beyond.BatchPlace{Operation: place, Ref: o.Ref},
	}
	b.steps = append(b.steps, s)
	wrong := problem.New(problem.Invalid, "")
	if o.Method != http.MethodPost {
		wrong.At("/method", "must be "+http.MethodPost)
	}
	s.Resource = strings.TrimPrefix(o.Path, "/")
	if _, known := b.Owners[s.Resource]; !known || !strings.HasPrefix(o.Path, "/") {
		wrong.At("/path", "is no path that records are created at, such as /vehicle")
	}
	if jsontext.Value(o.Body).Kind() != jsontext.KindBeginObject {
		wrong.At("/body", "must be an object")
	} else if err := b.refer(s.Creation, wrong); err != nil {
		wrong.At("/body", "cannot be read")
	}
	switch _, taken := b.named[o.Ref]; {
	case o.Ref == "":
	case !reference.Named(o.Ref):
		wrong.At("/ref", "must be 1 to 64 letters, digits, hyphens and underscores")
	case taken:
		wrong.At("/ref", "is the name of an earlier operation")
	default:
		b.named[o.Ref] = s.Creation
	}
	if len(wrong.Violations) > 0 {
		b.refuse(s, "", refusalOf(wrong))
	}
}

// refer finds the references of an operation. Those to operations that are not before it are wrong, and so are those
// to what an operation before it does not give.
func (b *batch) refer(s *creation.Creation, wrong *problem.Error) (err error) {
	var others []reference.Reference
	s.Refers, others, err = reference.Find(s.Body)
	for _, r := range others {
		if b.named[r.To] != nil {
			wrong.At("/body"+string(r.Pointer), "refers to the "+r.Member+" of "+r.To+"; what an operation gives is "+
				strings.Join(reference.Members(), ", "))
		}
	}
	for _, r := range s.Refers {
		switch {
		case r.To == s.Ref:
			wrong.At("/body"+string(r.Pointer), "refers to the operation itself")
		case b.named[r.To] == nil:
			wrong.At("/body"+string(r.Pointer), "refers to "+r.To+
				", which is no operation before this one; put that first")
		}
	}
	return err
}

// refuse notes that an operation would be refused: with the first problem, and all that is wrong. Its pointers are
// within the member of the operation that in points to.
func (b *batch) refuse(s step, in string, failed []creation.Failure) {
	s.Wrong = true
	at := "/operations/" + strconv.Itoa(s.Operation)
	for i, f := range failed {
		if i == 0 {
			b.refusals = append(b.refusals, beyond.BatchRefusal{
				BatchPlace: s.BatchPlace, Type: f.Problem, Title: f.Title, Status: f.Status, Detail: f.Detail,
			})
		}
		for _, v := range f.Errors {
			b.refused.At(at+in+v.Pointer, v.Reason)
		}
		if len(f.Errors) == 0 {
			b.refused.At(at+in, "is refused: "+f.Title)
		}
	}
}

// refusalOf returns a problem in the form of a failed check.
func refusalOf(p *problem.Error) []creation.Failure {
	return []creation.Failure{{
		Problem: problem.URI(p.Kind), Title: p.Kind.Title(), Status: p.Kind.Status(), Errors: p.Violations,
	}}
}
