package shared

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// Refusal says whether an organisation refuses what another one shares with it, now and later. Whoever shares is told
// nothing of it: its lists stay as they are, and show the one who refuses nothing.
type Refusal struct {
	// Of is the organisation that refuses, and Organisation the one whose shares it refuses.
	Of           string `json:"of"`
	Organisation string `json:"organisation"`
	// Sequence is the number of the last change. Later changes have greater ones. Refused is what it made of it.
	Sequence int64 `json:"sequence"`
	Refused  bool  `json:"refused"`
	// By and At say who asked for it, and when.
	By string    `json:"by,omitzero"`
	At time.Time `json:"at,omitzero"`

	id      uuid.UUID
	version int64
}

// The collection of the refusals. The documents are the exchange's own.
const (
	refusalCollection = "accessRefusal"
	refusalIndex      = "refusal"
)

var refusalSpec = docstore.Spec{
	Name: refusalCollection, Unlogged: true, Unowned: true,
	Indexes: []docstore.Index{{Name: refusalIndex, Unique: true}},
}

// Refusal returns what an organisation has said about the shares of another one; nil if it has said nothing.
func (l *Lists) Refusal(ctx context.Context, who organisation.ID, of string) (*Refusal, error) {
	docs, err := l.refusals.Find(ctx, everybody, docstore.Query{
		Equal: docstore.Keys{refusalIndex: joined(who.Name(), of)}, Limit: 1,
	})
	if err != nil || len(docs) == 0 {
		return nil, err
	}
	r := &Refusal{id: docs[0].ID, version: docs[0].Version}
	if err := json.Unmarshal(docs[0].Body, r); err != nil {
		return nil, fmt.Errorf("stored refusal %s: %w", r.id, err)
	}
	return r, nil
}

// refused reports whether an organisation refuses what another one shares.
func (l *Lists) refused(ctx context.Context, who organisation.ID, of string) (bool, error) {
	if of == who.Name() {
		return false, nil
	}
	r, err := l.Refusal(ctx, who, of)
	return err == nil && r != nil && r.Refused, err
}

// Refuse makes a change of a refusal in the name of an organisation, and returns what stands then. The first service to
// make it gives it its sequence, where that is 0. A change that others have come after is left out.
func (l *Lists) Refuse(ctx context.Context, who organisation.ID, r Refusal) (*Refusal, error) {
	r.Of = who.Name()
	for range mostTries {
		was, err := l.Refusal(ctx, who, r.Organisation)
		if err != nil {
			return nil, err
		}
		next := r
		if was != nil {
			next.id, next.version = was.id, was.version
			if r.Sequence > 0 && was.Sequence >= r.Sequence {
				return was, nil
			}
		}
		if next.Sequence == 0 {
			next.Sequence = l.now().UnixMicro()
			if was != nil {
				next.Sequence = max(next.Sequence, was.Sequence+1)
			}
		}
		err = l.writeRefusal(ctx, &next)
		if _, taken := docstore.Duplicate(err); !taken && !errors.Is(err, docstore.ErrStale) {
			return &next, err
		}
	}
	return nil, fmt.Errorf("%w: the refusal changes too often", docstore.ErrUnavailable)
}

func (l *Lists) writeRefusal(ctx context.Context, r *Refusal) (err error) {
	doc := docstore.Document{ID: r.id, Version: r.version,
		Keys: docstore.Keys{refusalIndex: joined(r.Of, r.Organisation)}}
	if doc.Body, err = json.Marshal(r); err != nil {
		return err
	}
	if r.version > 0 {
		return l.refusals.Replace(ctx, everybody, doc, nil)
	}
	if doc.ID, err = docstore.NewID(uuid.Nil); err != nil {
		return err
	}
	return l.refusals.Insert(ctx, everybody, doc)
}
