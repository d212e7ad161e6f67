package shared

import (
	"context"
	"errors"
	"strconv"
	"time"

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
	// Slot is the place, from 1, that a refusal in force has among those of its organisation; 0 where none was given.
	Slot int `json:"slot,omitzero"`

	kept docstore.At
}

// MostRefused is the greatest number of organisations whose shares one organisation refuses at a time. It is exact,
// also where several refusals are made at once: each has a slot of its own.
const MostRefused = 256

// ErrFull means that an organisation refuses as many others as it may.
var ErrFull = errors.New("shared: the organisation refuses as many others as it may")

// The collection of the refusals. The documents are the exchange's own. Those in force are found by the
// organisation that refuses.
const (
	refusalCollection = "accessRefusal"
	refusalIndex      = "refusal"
	refuserIndex      = "refuser"
	slotIndex         = "slot"
)

var refusalSpec = docstore.Spec{
	Name: refusalCollection, Unlogged: true, Unowned: true,
	Indexes: []docstore.Index{
		{Name: refusalIndex, Unique: true}, {Name: refuserIndex}, {Name: slotIndex, Unique: true},
	},
}

func keptRefusals(in docstore.Collection) docstore.Kept[Refusal] {
	return docstore.Kept[Refusal]{In: in, What: "refusal", At: func(r *Refusal) *docstore.At { return &r.kept },
		Keys: func(r *Refusal) docstore.Keys {
			keys := docstore.Keys{refusalIndex: joined(r.Of, r.Organisation)}
			if r.Slot > 0 {
				keys[refuserIndex], keys[slotIndex] = r.Of, joined(r.Of, strconv.Itoa(r.Slot))
			}
			return keys
		}}
}

// Refusal returns what an organisation has said about the shares of another one; nil if it has said nothing.
func (l *Lists) Refusal(ctx context.Context, who organisation.ID, of string) (*Refusal, error) {
	return l.refusals.One(ctx, everybody, docstore.Keys{refusalIndex: joined(who.Name(), of)})
}

// refused reports whether an organisation refuses what another one shares.
func (l *Lists) refused(ctx context.Context, who organisation.ID, of string) (bool, error) {
	if of == who.Name() {
		return false, nil
	}
	r, err := l.Refusal(ctx, who, of)
	return err == nil && r != nil && r.Refused, err
}

// Refuse makes a change of a refusal in the name of an organisation, and returns what stands then. The first service
// to make it gives it its sequence, where that is 0, and refuses one too many; the others follow it. A change that
// others have come after is left out. Errors: ErrFull, those of the store.
func (l *Lists) Refuse(ctx context.Context, who organisation.ID, r Refusal) (*Refusal, error) {
	r.Of, r.Slot = who.Name(), 0
	var next Refusal
	tried := -1
	err := docstore.Again(func() error {
		tried++
		was, err := l.Refusal(ctx, who, r.Organisation)
		if err != nil {
			return err
		}
		next = r
		if was != nil {
			if next.kept = was.kept; r.Sequence > 0 && was.Sequence >= r.Sequence {
				next = *was
				return nil
			}
		}
		if next.Sequence == 0 {
			next.Sequence = l.now().UnixMicro()
			if was != nil {
				next.Sequence = max(next.Sequence, was.Sequence+1)
			}
			if next.Slot, err = l.slot(ctx, &r, was, tried); err != nil {
				return err
			}
		}
		return l.refusals.Write(ctx, everybody, &next, nil)
	})
	if err != nil {
		return nil, err
	}
	return &next, nil
}

// slot returns the slot of a change: that of the refusal that stands, else one that no refusal of the organisation
// has. The first ones of these are passed over, as many as were tried. What ends a refusal has none. Errors: ErrFull,
// those of the store.
func (l *Lists) slot(ctx context.Context, r, was *Refusal, tried int) (int, error) {
	switch {
	case !r.Refused:
		return 0, nil
	case was != nil && was.Slot > 0:
		return was.Slot, nil
	}
	others, err := l.refusals.All(ctx, everybody, docstore.Keys{refuserIndex: r.Of})
	if err != nil {
		return 0, err
	}
	taken := map[int]bool{}
	for _, other := range others {
		taken[other.Slot] = true
	}
	var free []int
	for slot := 1; slot <= MostRefused; slot++ {
		if !taken[slot] {
			free = append(free, slot)
		}
	}
	if len(free) == 0 {
		return 0, ErrFull
	}
	return free[tried%len(free)], nil
}
