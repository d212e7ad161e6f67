package shared

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// A stamp says under which policy a record is that a participant may see. There is one for each participant, found by
// the id of the record or by a unique value of it, each led by the participant and the collection. The list of the
// policy decides whether the record is shown: a stamp that is missing hides it, and one that is left shows nothing.
const (
	stampCollection = "accessStamp"
	recordIndex     = "record"
	// valueIndex has what is unique among the records of all, and keyIndex the Idempotency-Key.
	valueIndex = "value"
	keyIndex   = "key"
)

// joined returns a value of an index that is made of several, none of which has the separator but the last.
func joined(parts ...string) string { return strings.Join(parts, "\x1f") }

// stampsOf are the stamps of the records of a collection.
type stampsOf struct {
	*Lists
	spec docstore.Spec
}

// put stamps a record for the participants of a list. isNew says that it has no stamps yet.
func (s stampsOf) put(ctx context.Context, list *List, id uuid.UUID, keys docstore.Keys, isNew bool) error {
	if len(list.others()) == 0 {
		return nil
	}
	_, err := s.have(ctx, s.stamps, list, s.about(id), isNew, func(participant string) docstore.Keys {
		return s.keys(participant, id, keys)
	})
	return err
}

// about returns what the stamps of a record are about.
func (s stampsOf) about(id uuid.UUID) string { return joined(s.spec.Name, id.String()) }

// keys returns the keys of the stamp by which a participant finds a record with some keys.
func (s stampsOf) keys(participant string, id uuid.UUID, keys docstore.Keys) docstore.Keys {
	found := docstore.Keys{recordIndex: joined(participant, s.spec.Name, id.String())}
	for _, index := range s.spec.Indexes {
		value, has := keys[index.Name]
		if !has || !index.Unique || index.Name == s.spec.SharedBy {
			continue
		}
		found[stampedBy(index)] = joined(participant, s.spec.Name, value)
	}
	return found
}

// stampedBy returns the index of the stamps that has the values of a unique index of the records.
func stampedBy(index docstore.Index) string {
	if index.Global {
		return valueIndex
	}
	return keyIndex
}

// under returns the access list by which an organisation sees a record, found by an index of the stamps; nil if it
// sees none so. The list is asked for whether or not there is a stamp, so that the time says nothing.
func (s stampsOf) under(ctx context.Context, who organisation.ID, index, value string) (*List, error) {
	var found finding
	docs, err := s.stamps.Find(ctx, everybody, docstore.Query{
		Equal: docstore.Keys{index: joined(who.Name(), s.spec.Name, value)}, Limit: 1,
	})
	if err != nil {
		return nil, err
	}
	if len(docs) == 1 {
		if found, err = readFinding(docs[0]); err != nil {
			return nil, err
		}
	}
	return s.For(ctx, who, found.PolicyNumber)
}

// ofID is under for the id of a record.
func (s stampsOf) ofID(ctx context.Context, who organisation.ID, id uuid.UUID) (*List, error) {
	return s.under(ctx, who, recordIndex, id.String())
}

// stampedAtOnce bounds the records that are read at a time in order to stamp them, and their size in bytes.
const (
	stampedAtOnce = 100
	stampedBytes  = 1 << 20
)

// each calls visit with each document that a query selects.
func each(
	ctx context.Context, in docstore.Collection, who organisation.ID, q docstore.Query,
	visit func(docstore.Document) error,
) error {
	q.Limit, q.Bytes = stampedAtOnce, stampedBytes
	return docstore.Each(ctx, in, who, q, visit)
}

// putAll stamps all records under a policy. The organisation is its owner.
func (s stampsOf) putAll(ctx context.Context, in docstore.Collection, list *List) error {
	if len(list.Participants) == 0 {
		return nil
	}
	owner, err := organisation.Owner(list.Owner)
	if err != nil {
		return err
	}
	q := docstore.Query{Equal: docstore.Keys{s.spec.SharedBy: list.PolicyNumber}, WithState: true}
	return each(ctx, in, owner, q, func(doc docstore.Document) error {
		keys, err := s.spec.Keys(doc)
		if err != nil {
			return err
		}
		return s.put(ctx, list, doc.ID, keys, false)
	})
}
