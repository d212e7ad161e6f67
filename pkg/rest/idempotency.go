package rest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/jsonobject"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/history"
)

// UsedKey returns what is kept of the Idempotency-Key of a request for an operation, nil where it has none. Errors:
// problem.BadHeader, problem.Malformed for a body that is no JSON.
func (s *Server) UsedKey(c *gin.Context, operation string, body []byte) (*history.UsedKey, error) {
	sent, err := request.KeySent(c.Request.Header)
	if err != nil || sent == "" {
		return nil, err
	}
	return s.keyOf(c.Request.Context(), operation, sent, body)
}

// keyOf returns what is kept of an Idempotency-Key with which the caller sends a body to an operation.
func (s *Server) keyOf(ctx context.Context, operation, key string, body []byte) (*history.UsedKey, error) {
	used := &history.UsedKey{Name: digest(request.CallerFrom(ctx).Key(), operation, key), At: s.Now()}
	if len(body) > 0 {
		text, err := jsonobject.Canonical(body)
		without := text
		if err == nil {
			without, err = jsonobject.WithoutNulls(text)
		}
		if err != nil {
			return nil, problem.New(problem.Malformed, "The body is no valid JSON text.").Because(err)
		}
		used.Request = digest(string(without))
		if used.Former = used.Request; len(without) < len(text) {
			used.Former = digest(string(text))
		}
	}
	return used, nil
}

// expired reports whether the key is no longer remembered.
func (s *Server) expired(k *history.UsedKey) bool {
	return s.KeyRetention > 0 && s.Now().Sub(k.At) > s.KeyRetention
}

var errKeyReused = problem.New(problem.KeyReused,
	"This Idempotency-Key was sent before with another request; use a new key for a new request.")

// replayed returns the document that was created with the key, if there is one and the key is still remembered. The
// same key with another request is refused.
func (r *Records[T]) replayed(ctx context.Context, key *history.UsedKey) (docstore.Document, bool, error) {
	doc, found, err := r.createdWith(ctx, key)
	if err != nil || !found {
		return docstore.Document{}, false, err
	}
	record, err := r.Decode(doc)
	if err != nil {
		return docstore.Document{}, false, err
	}
	again, err := r.server.Repeats(record.state.Key, key)
	if err == nil && !again {
		err = r.forget(ctx, doc, record)
	}
	if err != nil || !again {
		return docstore.Document{}, false, err
	}
	return doc, true, nil
}

// Repeats reports whether a request with a key is the one that the key was used for. It is not, if that key is no
// longer remembered. Errors: problem.KeyReused for the same key with another request.
func (s *Server) Repeats(was, key *history.UsedKey) (bool, error) {
	switch {
	case s.expired(was):
		return false, nil
	case was.Request != key.Request && was.Request != key.Former:
		return false, errKeyReused
	default:
		return true, nil
	}
}

func (r *documents) createdWith(ctx context.Context, key *history.UsedKey) (docstore.Document, bool, error) {
	return r.holder(ctx, keyIndex, key.Name)
}

// madeWith reports whether a document was created with a key that is still remembered. It was not, if key is nil.
func (r *documents) madeWith(doc docstore.Document, key *history.UsedKey) (bool, error) {
	if key == nil {
		return false, nil
	}
	state, err := history.Decode(doc.State)
	if err != nil {
		return false, fmt.Errorf("stored %s %s: state: %w", r.resource, doc.ID, err)
	}
	return state.Key != nil && state.Key.Name == key.Name && !r.server.expired(state.Key), nil
}

// forget takes an expired key off the record that it created, so that it can be used anew. Somebody else may have done
// so meanwhile.
func (r *Records[T]) forget(ctx context.Context, doc docstore.Document, record *Record[T]) error {
	record.state.Key = nil
	without, err := r.encodeDocument(doc.ID, record)
	if err != nil {
		return err
	}
	without.Body = doc.Body
	err = r.collection.Replace(ctx, request.OrganisationFrom(ctx), without, nil)
	if !errors.Is(err, docstore.ErrStale) {
		return err
	}
	return nil
}

// repeated reports whether an action with the key, if there is one, was applied to the record before. It looks at the
// document as it was read, and then at its former versions. Each of them is there before its successor, so that it
// misses none; if the document has been replaced since it was read, its replacement fails as well.
func (r *documents) repeated(
	ctx context.Context, doc docstore.Document, present *history.Head, key *history.UsedKey,
) (bool, error) {
	if key == nil {
		return false, nil
	}
	was := present.Use(key.Name)
	if was == nil && doc.Version > 1 {
		var err error
		if was, err = r.log.UsedBefore(ctx, doc.ID, present, key.Name); err != nil {
			return false, err
		}
	}
	if was == nil {
		return false, nil
	}
	return r.server.Repeats(was, key)
}

// digest returns a short name of a sequence of texts, the same only for the same sequence.
func digest(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		size := len(part)
		h.Write([]byte{byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size)})
		h.Write([]byte(part))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18])
}
