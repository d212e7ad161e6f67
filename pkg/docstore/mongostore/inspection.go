package mongostore

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/internal/backfill"
	"insurance.example/exchange/pkg/organisation"
)

// Inspection reads the documents of a database. It implements docstore.Inspection. Each read sees the database as it
// is then, not as it was at one instant: what it reads later may be newer.
type Inspection struct{ *Store }

// Inspect connects to the deployment and returns an inspection of the database of this name. It creates nothing. It
// returns the errors of Open.
func (o Options) Inspect(ctx context.Context, database string) (*Inspection, error) {
	store, err := o.Open(ctx, database)
	if err != nil {
		return nil, err
	}
	return &Inspection{store}, nil
}

// Collection returns a collection; see docstore.Inspection. It refuses one whose documents an early release wrote.
func (s *Inspection) Collection(ctx context.Context, spec docstore.Spec) (docstore.Inspected, error) {
	if err := spec.Validate(); err != nil {
		return nil, unavailable(ctx, err)
	}
	c := s.collection(spec)
	in := &inspected{collection: c, stale: stale{c, s.timeout}, timeout: s.timeout, labels: map[string][]string{}}
	if err := in.bounded(ctx, c.checkForm); err != nil {
		return nil, unavailable(ctx, err)
	}
	return in, nil
}

// Faults returns nothing: how MongoDB itself keeps its files is for its own tools.
func (s *Inspection) Faults(context.Context) ([]string, error) { return nil, nil }

// inspected is a collection.
type inspected struct {
	*collection
	stale   stale
	timeout time.Duration
	// labels are the labels of the indexes that each stamp stands for, of the stamps that were met.
	labels map[string][]string
}

// bounded calls do with a context that ends within the time of one operation.
func (c *inspected) bounded(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	return do(ctx)
}

// mostRead bounds the bodies and states that are returned at once, in bytes: no further document is read once there
// are so many.
const mostRead = 4 << 20

// each reads what a find selects, and calls read for each document until it returns false.
func (c *inspected) each(
	ctx context.Context, from *mongo.Collection, filter bson.D, how *options.FindOptionsBuilder,
	read func(bson.Raw) (bool, error),
) error {
	return c.bounded(ctx, func(ctx context.Context) error {
		cursor, err := from.Find(ctx, filter, how)
		if err != nil {
			return unavailable(ctx, err)
		}
		defer func() { _ = cursor.Close(ctx) }()
		for cursor.Next(ctx) {
			if more, err := read(cursor.Current); err != nil || !more {
				return err
			}
		}
		if err := cursor.Err(); err != nil {
			return unavailable(ctx, err)
		}
		return nil
	})
}

func (c *inspected) Find(ctx context.Context, q docstore.Query) ([]docstore.Stored, error) {
	if err := c.spec.CheckQuery(q); err != nil {
		return nil, unavailable(ctx, err)
	}
	o := orderOf(q)
	how := options.Find().SetSkip(int64(q.Skip)).SetSort(o.sort).SetLimit(int64(q.Limit)).SetBatchSize(int32(q.Limit))
	selected := filter(c.spec, organisation.Exchange(), q)
	index, ok := c.spec.Driving(q)
	switch {
	case ok && index.Unique:
		value := q.Equal[index.Name]
		holders, err := c.Holders(ctx, index.Name, []string{value})
		holder, there := holders[value]
		if err != nil || !there {
			return nil, err
		}
		selected = append(selected, bson.E{Key: idField, Value: uuidBinary(holder.ID)})
	case ok:
		// Without a hint, because a database that only an earlier release has opened may have another index in its
		// place.
	default:
		// With those of version 0, which are no tombstones if they have a body.
		selected = bson.D{{Key: idField,
			Value: bson.D{{Key: o.beyond, Value: uuidBinary(o.after)}, {Key: o.until, Value: uuidBinary(o.last)}}}}
	}
	var found []docstore.Stored
	size := 0
	err := c.each(ctx, c.docs, selected, how, func(raw bson.Raw) (bool, error) {
		if raw.Lookup(bodyField).IsZero() && number(raw) == tombstone {
			return true, nil
		}
		stored, err := c.stored(ctx, raw)
		found = append(found, stored)
		size += len(raw)
		return size < mostRead, err
	})
	return found, err
}

// number returns the version of a document, 0 if it has none.
func number(raw bson.Raw) int64 {
	version, _ := raw.Lookup(versionField).AsInt64OK()
	return version
}

// idOf returns the id in a field, the zero UUID if what is there is none.
func idOf(raw bson.Raw, field string) (id uuid.UUID) {
	if _, data, ok := raw.Lookup(field).BinaryOK(); ok {
		copy(id[:], data)
	}
	return id
}

// stored returns a document with its keys. It has no body and no state if these cannot be read.
func (c *inspected) stored(ctx context.Context, raw bson.Raw) (docstore.Stored, error) {
	stored := docstore.Stored{Document: docstore.Document{ID: idOf(raw, idField), Version: number(raw)}}
	var r record
	if err := bson.Unmarshal(raw, &r); err == nil {
		stored.Document = r.document()
	}
	stored.Keys = docstore.Keys{}
	stamp, _ := raw.Lookup(stampField).StringValueOK()
	labels, err := c.labelsOf(ctx, stamp)
	for _, index := range c.spec.Indexes {
		if value, ok := raw.Lookup(keysField, index.Name).StringValueOK(); ok {
			stored.Keys[index.Name] = value
		}
		// No stamp vouches for the keys that an early release wrote.
		if stamp == backfill.Unstamped || !slices.Contains(labels, backfill.Label(index)) {
			stored.Awaiting = append(stored.Awaiting, index.Name)
		}
	}
	return stored, err
}

// labelsOf returns the labels of the indexes that a stamp stands for, nothing if that is not known.
func (c *inspected) labelsOf(ctx context.Context, stamp string) ([]string, error) {
	labels, known := c.labels[stamp]
	if known {
		return labels, nil
	}
	labels, err := c.stale.Labels(ctx, stamp)
	if err == nil {
		c.labels[stamp] = labels
	}
	return labels, err
}

func (c *inspected) Formers(ctx context.Context, id uuid.UUID, after int64, limit int) ([]docstore.Former, error) {
	var formers []docstore.Former
	size := 0
	selected := bson.D{{Key: documentField, Value: uuidBinary(id)}, {Key: idField, Value: bson.D{
		{Key: "$gt", Value: formerID(id, after)}, {Key: "$lte", Value: formerID(id, math.MaxInt64)},
	}}}
	how := options.Find().SetHint(idIndex).SetSort(inOrder).SetLimit(int64(limit)).SetBatchSize(int32(limit))
	err := c.each(ctx, c.history, selected, how, func(raw bson.Raw) (bool, error) {
		var r formerRecord
		if err := bson.Unmarshal(raw, &r); err != nil {
			r = formerRecord{} // what cannot be read is found to be no record
		}
		former := r.former()
		former.Version = formerRef(raw).Version
		formers = append(formers, former)
		size += len(raw)
		return size < mostRead, nil
	})
	return formers, err
}

// formerRef returns what the _id of a former version names.
func formerRef(raw bson.Raw) docstore.Ref {
	ref := docstore.Ref{ID: idOf(raw, idField)}
	if _, data, ok := raw.Lookup(idField).BinaryOK(); ok && len(data) == len(ref.ID)+8 {
		ref.Version = int64(binary.BigEndian.Uint64(data[len(ref.ID):]))
	}
	return ref
}

func (c *inspected) Kept(ctx context.Context, after docstore.Ref, limit int) ([]docstore.Ref, error) {
	var refs []docstore.Ref
	selected := bson.D{{Key: idField, Value: bson.D{
		{Key: "$gt", Value: formerID(after.ID, after.Version)}, {Key: "$lte", Value: lastFormer},
	}}}
	how := options.Find().SetHint(idIndex).SetSort(inOrder).SetLimit(int64(limit)).
		SetBatchSize(int32(limit)).SetProjection(bson.D{{Key: idField, Value: 1}})
	err := c.each(ctx, c.history, selected, how, func(raw bson.Raw) (bool, error) {
		refs = append(refs, formerRef(raw))
		return true, nil
	})
	return refs, err
}

func (c *inspected) Holders(ctx context.Context, index string, values []string) (map[string]docstore.Ref, error) {
	holders := make(map[string]docstore.Ref, len(values))
	if index == docstore.IDIndex {
		ids := bson.A{}
		for _, value := range values {
			if id, err := uuid.Parse(value); err == nil {
				ids = append(ids, uuidBinary(id))
			}
		}
		return holders, c.owners(ctx, ids, "", func(value string, ref docstore.Ref) { holders[ref.ID.String()] = ref })
	}
	reservations, err := c.reservedBy(ctx, index, values)
	if err != nil {
		return nil, err
	}
	owners := bson.A{}
	for _, owner := range reservations {
		owners = append(owners, uuidBinary(owner))
	}
	return holders, c.owners(ctx, owners, index, func(value string, ref docstore.Ref) {
		if reservations[value] == ref.ID {
			holders[value] = ref
		}
	})
}

// owners calls found for each of the documents with these ids that is there, with its value of an index, if one is
// named.
func (c *inspected) owners(
	ctx context.Context, ids bson.A, index string, found func(value string, ref docstore.Ref),
) error {
	if len(ids) == 0 {
		return nil
	}
	shown := bson.D{{Key: versionField, Value: 1}}
	if index != "" {
		shown = append(shown, bson.E{Key: keyField(index), Value: 1})
	}
	selected := bson.D{{Key: idField, Value: bson.D{{Key: "$in", Value: ids}}},
		{Key: bodyField, Value: bson.D{{Key: "$exists", Value: true}}}}
	return c.each(ctx, c.docs, selected, options.Find().SetProjection(shown), func(raw bson.Raw) (bool, error) {
		value, _ := raw.Lookup(keysField, index).StringValueOK()
		found(value, docstore.Ref{ID: idOf(raw, idField), Version: number(raw)})
		return true, nil
	})
}

// reservedBy returns the documents that reserve values of a unique index, by value.
func (c *inspected) reservedBy(ctx context.Context, index string, values []string) (map[string]uuid.UUID, error) {
	reserved := map[string]uuid.UUID{}
	if len(values) == 0 {
		return reserved, nil
	}
	of, ids := map[string]string{}, bson.A{}
	for _, value := range values {
		id := reservationID(index, value)
		if _, twice := of[id]; !twice {
			of[id] = value
			ids = append(ids, id)
		}
	}
	err := c.each(ctx, c.reservations, bson.D{{Key: idField, Value: bson.D{{Key: "$in", Value: ids}}}}, options.Find(),
		func(raw bson.Raw) (bool, error) {
			id, _ := raw.Lookup(idField).StringValueOK()
			reserved[of[id]] = idOf(raw, holderField)
			return true, nil
		})
	return reserved, err
}
