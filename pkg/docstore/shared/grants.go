package shared

import (
	"context"
	"errors"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// grant notes the organisations with which a policy is shared, so that they find it, and takes it back from those with
// which it is not shared any more. The list decides what they see.
func (l *Lists) grant(ctx context.Context, list *List) error {
	ended, err := l.have(ctx, l.grants, list, list.PolicyNumber, false, list.keysOfGrant)
	for _, doc := range ended {
		if err != nil {
			return err
		}
		doc.Keys = docstore.Keys{aboutIndex: list.PolicyNumber}
		if doc.Body, err = json.Marshal(finding{PolicyNumber: list.PolicyNumber}); err == nil {
			err = l.grants.Replace(ctx, everybody, doc, nil)
		}
		if errors.Is(err, docstore.ErrStale) {
			err = nil // another change of the list uses it
		}
	}
	return err
}

// keysOfGrant returns the keys by which a participant finds the policy.
func (l *List) keysOfGrant(participant string) docstore.Keys {
	return docstore.Keys{grantIndex: joined(participant, l.PolicyNumber), toIndex: participant}
}

// insert inserts a document, unless it is there.
func (l *Lists) insert(ctx context.Context, in docstore.Collection, doc docstore.Document) error {
	err := docstore.InsertNew(ctx, in, everybody, &doc)
	if _, there := docstore.Duplicate(err); there {
		return nil
	}
	return err
}

// grantsAtOnce is how many grants are read at a time.
const grantsAtOnce = 256

// grantedAfter returns the numbers of some policies that are shared with an organisation, as far as it has not been
// taken back from it that they are: those after a place, as many as are read at a time, and the place after them.
func (l *Lists) grantedAfter(
	ctx context.Context, who organisation.ID, after uuid.UUID,
) (policyNumbers []string, last uuid.UUID, err error) {
	docs, err := l.grants.Find(ctx, everybody, docstore.Query{Equal: docstore.Keys{toIndex: who.Name()}, After: after,
		Limit: grantsAtOnce})
	for _, doc := range docs {
		grant, err := readFinding(doc)
		if err != nil {
			return nil, last, err
		}
		policyNumbers, last = append(policyNumbers, grant.PolicyNumber), doc.ID
	}
	return policyNumbers, last, err
}

// After returns the access lists of some policies of others that an organisation sees now, after a place, and the place
// after them; the zero place is before the first, and after the last.
func (l *Lists) After(
	ctx context.Context, who organisation.ID, after uuid.UUID,
) (lists []*List, next uuid.UUID, err error) {
	numbers, last, err := l.grantedAfter(ctx, who, after)
	if err != nil {
		return nil, next, err
	}
	if len(numbers) == grantsAtOnce {
		next = last
	}
	lists, err = l.ofOthers(ctx, who, numbers)
	return lists, next, err
}

// sharedWith returns the access lists of all policies of others that an organisation sees.
func (l *Lists) sharedWith(ctx context.Context, who organisation.ID) (all []*List, err error) {
	for after := uuid.Nil; ; {
		lists, next, err := l.After(ctx, who, after)
		if err != nil || next == uuid.Nil {
			return append(all, lists...), err
		}
		all, after = append(all, lists...), next
	}
}

// Among returns the access lists by which an organisation sees policies of others now, of the policies with some
// numbers. Most of them are shared with others only, so it first looks what is shared with the organisation: only these
// lists are read, unless more policies are than are read at a time.
func (l *Lists) Among(ctx context.Context, who organisation.ID, policyNumbers []string) ([]*List, error) {
	granted, _, err := l.grantedAfter(ctx, who, uuid.Nil)
	if err != nil {
		return nil, err
	}
	if len(granted) < grantsAtOnce {
		policyNumbers = slices.DeleteFunc(slices.Clone(policyNumbers), func(number string) bool {
			return !slices.Contains(granted, number)
		})
	}
	return l.ofOthers(ctx, who, policyNumbers)
}

// readTogether is how many lists are read at once.
const readTogether = 8

// ofOthers returns those of the access lists of some policies by which an organisation sees the policy of another one.
func (l *Lists) ofOthers(ctx context.Context, who organisation.ID, policyNumbers []string) ([]*List, error) {
	lists := make([]*List, len(policyNumbers))
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(readTogether)
	for i, policyNumber := range policyNumbers {
		reading.Go(func() (err error) {
			lists[i], err = l.For(ctx, who, policyNumber)
			return err
		})
	}
	if err := reading.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(lists, func(list *List) bool { return list == nil || list.Owner == who.Name() }), nil
}
