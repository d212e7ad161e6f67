package mongostore

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
)

// examinedAtOnce is how many documents are read at once where their bodies are not.
const examinedAtOnce = 500

// Faults reports indexes that are missing, documents that do not own the reservations of their unique values, and
// former versions whose fields contradict each other. A database that no store has opened with the spec yet need not
// have its indexes.
func (c *inspected) Faults(ctx context.Context, report func(docstore.Finding) error) error {
	opened, err := c.labelsOf(ctx, c.stamp)
	if err != nil {
		return err
	}
	if len(opened) > 0 {
		if err := c.reportIndexes(ctx, report); err != nil {
			return err
		}
	}
	if err := c.reportReservations(ctx, report); err != nil {
		return err
	}
	return c.reportFormers(ctx, report)
}

// reportIndexes reports the indexes that are missing.
func (c *inspected) reportIndexes(ctx context.Context, report func(docstore.Finding) error) error {
	wanted := map[string][]string{c.docs.Name(): {unsentIndex, stampIndex}, c.history.Name(): {formerKeyIndex}}
	for _, index := range c.spec.Indexes {
		if !index.Unique {
			wanted[c.docs.Name()] = append(wanted[c.docs.Name()], indexName(index))
		}
	}
	for _, in := range []string{c.docs.Name(), c.history.Name()} {
		var there []string
		if err := c.bounded(ctx, func(ctx context.Context) error {
			specifications, err := c.docs.Database().Collection(in).Indexes().ListSpecifications(ctx)
			for _, s := range specifications {
				there = append(there, s.Name)
			}
			return err
		}); err != nil {
			return unavailable(ctx, err)
		}
		for _, name := range wanted[in] {
			if slices.Contains(there, name) {
				continue
			}
			if err := report(docstore.Finding{Collection: c.spec.Name, Invariant: "every index is there",
				Found: "no index", Expected: in + " " + name}); err != nil {
				return err
			}
		}
	}
	return nil
}

// owned is a document with its unique values, by index.
type owned struct {
	look
	values map[string]string
}

// reportReservations reports the documents that have a unique value and do not own the reservation of it.
func (c *inspected) reportReservations(ctx context.Context, report func(docstore.Finding) error) error {
	var unique []string
	for _, index := range c.spec.Indexes {
		if index.Unique {
			unique = append(unique, index.Name)
		}
	}
	for after := uuid.Nil; len(unique) > 0; {
		page, last, err := c.owned(ctx, after, unique)
		if err != nil || last == uuid.Nil {
			return err
		}
		after = last
		for _, index := range unique {
			var values []string
			for _, doc := range page {
				if value, has := doc.values[index]; has {
					values = append(values, value)
				}
			}
			reservations, err := c.reservedBy(ctx, index, values)
			if err != nil {
				return err
			}
			for _, doc := range page {
				value, has := doc.values[index]
				owner, reserved := reservations[value]
				if !has || reserved && owner == uuid.UUID(doc.ID.Data) {
					continue
				}
				if err := c.reportReservation(ctx, doc, uniqueKey{index, value}, report); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// owned returns the next documents by id with the values of unique indexes that their stamps vouch for, and the last
// id that was read, the zero UUID if there are no more.
func (c *inspected) owned(
	ctx context.Context, after uuid.UUID, unique []string,
) (page []owned, last uuid.UUID, err error) {
	selected := bson.D{{Key: idField,
		Value: bson.D{{Key: "$gt", Value: uuidBinary(after)}, {Key: "$lte", Value: uuidBinary(uuid.Max)}}}}
	how := options.Find().SetHint(idIndex).SetSort(inOrder).SetLimit(examinedAtOnce).
		SetProjection(append(bson.D{{Key: stampField, Value: 1}}, lookedAt...))
	err = c.each(ctx, c.docs, selected, how, func(raw bson.Raw) (bool, error) {
		last = idOf(raw, idField)
		stored, err := c.stored(ctx, raw)
		if err != nil {
			return false, err
		}
		doc := owned{values: map[string]string{}}
		if bson.Unmarshal(raw, &doc.look) != nil {
			return true, nil //nolint:nilerr // its keys are found to be none
		}
		for _, index := range unique {
			if value, has := stored.Keys[index]; has && !slices.Contains(stored.Awaiting, index) {
				doc.values[index] = value
			}
		}
		page = append(page, doc)
		return true, nil
	})
	return page, last, err
}

// reportReservation reports that a document does not own the reservation of a value, unless the document has changed
// since it was read: then it may have given the value up, and another has it.
func (c *inspected) reportReservation(
	ctx context.Context, doc owned, key uniqueKey, report func(docstore.Finding) error,
) error {
	var current reservation
	var reserved, same, other bool
	if err := c.bounded(ctx, func(ctx context.Context) (err error) {
		if current, reserved, err = c.reserved(ctx, key.reservationID()); err != nil {
			return err
		}
		if reserved && !current.Owner.Equal(doc.ID) {
			owner, there, err := c.look(ctx, current.Owner)
			if err != nil {
				return err
			}
			other = there && owner.has(key)
		}
		now, there, err := c.look(ctx, doc.ID)
		same = there && now.Version == doc.Version && now.Write == doc.Write && now.has(key)
		return err
	}); err != nil {
		return unavailable(ctx, err)
	}
	if !same || reserved && current.Owner.Equal(doc.ID) {
		return nil
	}
	finding := docstore.Finding{
		Collection: c.spec.Name, ID: uuid.UUID(doc.ID.Data).String(),
		Invariant: "a document has reserved its value of the unique index " + key.index,
		Found:     "no reservation of " + strconv.Quote(docstore.Short(key.value)),
		Expected:  "a reservation of the document",
	}
	if reserved {
		finding.Found = fmt.Sprintf("%s has reserved %q", uuid.UUID(current.Owner.Data), docstore.Short(key.value))
	}
	if other {
		finding.Invariant, finding.Expected = "a value of the unique index "+key.index+" has one document", "1"
		finding.Found = fmt.Sprintf("%q also in %s", docstore.Short(key.value), uuid.UUID(current.Owner.Data))
	}
	return report(finding)
}

// lastFormer is the greatest _id that a former version can have.
var lastFormer = formerID(uuid.Max, -1)

// reportFormers reports the former versions whose _id names another document or version than their fields.
func (c *inspected) reportFormers(ctx context.Context, report func(docstore.Finding) error) error {
	for after := formerID(uuid.Nil, 0); ; {
		var findings []docstore.Finding
		read := 0
		selected := bson.D{{Key: idField, Value: bson.D{{Key: "$gt", Value: after}, {Key: "$lte", Value: lastFormer}}}}
		how := options.Find().SetHint(idIndex).SetSort(inOrder).SetLimit(examinedAtOnce).
			SetProjection(bson.D{{Key: documentField, Value: 1}, {Key: versionField, Value: 1}})
		if err := c.each(ctx, c.history, selected, how, func(raw bson.Raw) (bool, error) {
			read++
			named, of := formerRef(raw), docstore.Ref{ID: idOf(raw, documentField), Version: number(raw)}
			after = formerID(named.ID, named.Version)
			if named != of {
				findings = append(findings, docstore.Finding{
					Collection: c.spec.Name, ID: named.ID.String(),
					Invariant: "a former version is the one that its _id names",
					Found:     fmt.Sprintf("version %d of %s", of.Version, of.ID),
					Expected:  fmt.Sprintf("version %d of %s", named.Version, named.ID),
				})
			}
			return true, nil
		}); err != nil {
			return err
		}
		for _, finding := range findings {
			if err := report(finding); err != nil {
				return err
			}
		}
		if read < examinedAtOnce {
			return nil
		}
	}
}
