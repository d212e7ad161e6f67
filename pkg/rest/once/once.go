// Package once does an action of an extension once for each Idempotency-Key. The extension stores the key with what the
// action has made.
package once

import (
	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/history"
)

// Once is the Idempotency-Key of an action. A nil Once stands for none.
type Once struct {
	// Key is what is kept of the key.
	Key *history.UsedKey
	// Replayed says afterwards that an earlier request with the key made the action.
	Replayed bool

	repeats func(was, key *history.UsedKey) (bool, error)
}

// Of returns the key of a request for an operation, nil where it has none. sent is what its body says. Errors:
// problem.BadHeader.
func Of(s *rest.Server, c *gin.Context, operation string, sent any) (*Once, error) {
	body, err := json.Marshal(sent, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	key, err := s.UsedKey(c, operation, body)
	if err != nil || key == nil {
		return nil, err
	}
	return &Once{Key: key, repeats: s.Repeats}, nil
}

// Kept returns what is kept of the key, nil where there is none.
func (o *Once) Kept() *history.UsedKey {
	if o == nil {
		return nil
	}
	return o.Key
}

// Made reports whether what was made with a key, nil for none, was made by an earlier request of the same kind: it has
// the same key, which is still remembered. Errors: problem.KeyReused if the requests differ.
func (o *Once) Made(was *history.UsedKey) (bool, error) {
	if o == nil || was == nil || was.Name != o.Key.Name {
		return false, nil
	}
	again, err := o.repeats(was, o.Key)
	o.Replayed = again
	return again, err
}

// Mark says in the response whether an earlier request with the key made the action.
func (o *Once) Mark(c *gin.Context) {
	if o != nil && o.Replayed {
		request.MarkReplay(c.Writer.Header())
	}
}
