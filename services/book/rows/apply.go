package rows

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/parties"
	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/scalar"
)

// Batch are entries of the log of a service, with their records.
type Batch struct {
	Service string
	Changes []internalapi.Change
	// Reserved says how many payments of a claim there were when its reserve was set, by the ids and versions of claims
	// that were opened again with the reserve that they had: their records do not say whether it was set.
	Reserved map[string]int
	// Next is the place after the entries.
	Next string
}

// Place returns the place after what was read of the log of a service; empty if nothing was.
func (b *Book) Place(service string) (string, error) { return b.State("place " + service) }

// Apply takes entries of a log. Those that were taken before change nothing.
func (b *Book) Apply(ctx context.Context, batch Batch) error {
	return b.write(func() error {
		changed := map[string]bool{}
		for i := range batch.Changes {
			if err := ctx.Err(); err != nil {
				return err
			}
			c := &batch.Changes[i]
			policy, err := b.take(c, &batch)
			if err != nil {
				return fmt.Errorf("%s %s, version %d: %w", c.Resource, c.ID, c.Version, err)
			}
			changed[policy] = true
		}
		delete(changed, "")
		for policy := range changed {
			if err := b.due(policy); err != nil {
				return err
			}
		}
		return b.setState("place "+batch.Service, batch.Next)
	})
}

// The resources of parties, and of what policies insure.
var (
	partyResources  = []string{"personal", "commercial", "insuranceEntity", "beneficiary"}
	objectResources = []string{"vehicle", "property", "business", "traveller", "debtor", "pet"}
)

// take takes an entry, and returns the number of the policy that it has changed, if it is about one.
func (b *Book) take(c *internalapi.Change, batch *Batch) (policy string, err error) {
	switch {
	case len(c.Record) == 0:
		return "", nil // the next version has what this one had
	case c.Resource == "claim":
		return b.takeClaim(c, batch.Reserved)
	case c.Resource == "receipt":
		return b.takeReceipt(c)
	case strings.HasSuffix(c.Resource, "Coverage"):
		return b.takePolicy(c)
	case slices.Contains(partyResources, c.Resource):
		return "", b.takeParty(c)
	case slices.Contains(objectResources, c.Resource):
		return "", b.takeObject(c)
	}
	return "", nil
}

// shownPolicy is what the book reads of a policy of any line.
type shownPolicy struct {
	coverage.Policy
	GrossWrittenPremium scalar.Decimal `json:"grossWrittenPremium,omitzero"`
	VehicleID           scalar.ID      `json:"vehicleId,omitzero"`
	PropertyID          scalar.ID      `json:"propertyId,omitzero"`
	PropertyIDs         []scalar.ID    `json:"propertyIds,omitzero"`
	PropertyRef         scalar.ID      `json:"propertyRef,omitzero"`
	BusinessID          scalar.ID      `json:"businessId,omitzero"`
	TravellerIDs        []scalar.ID    `json:"travellerIds,omitzero"`
	DebtorID            scalar.ID      `json:"debtorId,omitzero"`
	PetID               scalar.ID      `json:"petId,omitzero"`
}

// object returns the id of what the policy insures, the first one of several.
func (p *shownPolicy) object() scalar.ID {
	first := func(ids []scalar.ID) scalar.ID {
		if len(ids) == 0 {
			return ""
		}
		return ids[0]
	}
	return cmp.Or(p.VehicleID, p.PropertyID, first(p.PropertyIDs), p.PropertyRef, p.BusinessID, first(p.TravellerIDs),
		p.DebtorID, p.PetID)
}

func (b *Book) takePolicy(c *internalapi.Change) (number string, err error) {
	var record shownPolicy
	if err := json.Unmarshal(c.Record, &record); err != nil {
		return "", err
	}
	number = text(record.PolicyNumber)
	is, err := fact[policyFact](b.writer, "SELECT fact FROM policy WHERE number = ?", number)
	if err != nil || is != nil && is.Version >= c.Version {
		return "", err
	}
	if is == nil {
		if err := b.exec("INSERT OR IGNORE INTO owner VALUES (?)", c.Owner); err != nil {
			return "", err
		}
		is = &policyFact{Number: number, ID: c.ID, Owner: c.Owner, Line: c.Resource, First: record.InceptionDate.Time()}
	}
	is.Version, is.Status = c.Version, text(record.Status)
	is.Inception, is.Expiry = record.InceptionDate.Time(), record.ExpiryDate.Time()
	is.Holder, is.Object = string(record.PolicyholderID), string(record.object())
	is.Reference, is.Replaces = value(&record.ExternalReference), value(&record.Replaces)
	is.Broker, is.Agent, is.Renews = insurer(&record.BrokerID), insurer(&record.AgentID), c.MadeOf
	is.effect(c)
	is.write(record.GrossWrittenPremium)
	text, err := written(is)
	if err == nil {
		err = b.exec("INSERT INTO policy VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET holder = "+
			"excluded.holder, object = excluded.object, broker = excluded.broker, agent = excluded.agent, "+
			"fact = excluded.fact", number, is.Owner, is.Holder, is.Object, string(is.Broker), string(is.Agent),
			string(is.ID), string(is.Renews), text)
	}
	if err == nil && c.Version == 1 && is.Renews != "" {
		err = b.exec("INSERT OR IGNORE INTO due SELECT number FROM policy WHERE id = ?", string(is.Renews))
	}
	return number, err
}

// insurer returns the id that a member has; empty for what it had before it named an insuranceEntity.
func insurer(of *scalar.Since[scalar.ID]) scalar.ID {
	id := value(of)
	if _, is := id.UUID(); !is {
		return ""
	}
	return id
}

// effect notes from when on a version counts, and when cover ends because of it.
func (p *policyFact) effect(c *internalapi.Change) {
	if at := c.EffectiveDate.Time(); !at.IsZero() {
		p.Effective = at
	} else if p.Effective.IsZero() {
		p.Effective = p.Inception
	}
	over := p.Status == coverage.Cancelled || p.Status == coverage.Lapsed
	switch ends := c.CoverEnds.Time(); {
	case !ends.IsZero():
		p.CoverEnds = ends
	case over && p.CoverEnds.IsZero():
		// It ends then, or at the end of the term that is nearer.
		if p.CoverEnds = c.Time.Time(); p.CoverEnds.Before(p.Inception) {
			p.CoverEnds = p.Inception
		} else if !p.Expiry.IsZero() && p.CoverEnds.After(p.Expiry) {
			p.CoverEnds = p.Expiry
		}
	case !over:
		p.CoverEnds = time.Time{}
	}
}

// write notes what is written of a version.
func (p *policyFact) write(gross scalar.Decimal) {
	if len(p.Written) == 0 && gross == "" || len(p.Written) > 0 && p.Written[len(p.Written)-1].Gross == gross {
		return
	}
	p.Written = append(p.Written, writtenFact{p.Effective, gross})
}

func (b *Book) takeClaim(c *internalapi.Change, reserved map[string]int) (policy string, err error) {
	var record claims.Claim
	if err := json.Unmarshal(c.Record, &record); err != nil {
		return "", err
	}
	is, err := fact[claimFact](b.writer, "SELECT fact FROM claim WHERE id = ?", string(c.ID))
	if err != nil || is != nil && is.Version >= c.Version {
		return "", err
	}
	var reserve int64
	if record.Reserve != nil {
		reserve = int64(*record.Reserve)
	}
	if is == nil {
		is = &claimFact{ID: c.ID, Owner: c.Owner, Number: text(record.ClaimNumber), Policy: text(record.PolicyNumber)}
	} else if is.Reserve != reserve {
		is.ReservedAfter = len(record.Payments)
	}
	if after, asked := reserved[Versioned(c)]; asked {
		is.ReservedAfter = after
	}
	is.Version, is.Status, is.Reserve = c.Version, text(record.ClaimStatus), reserve
	is.Reference = value(&record.ExternalReference)
	is.Cause, is.Loss, is.Notified = text(record.LossCause), record.LossDate.Time(), record.FNOL.Time()
	is.Moved, is.Event = c.Time.Time(), c.Type
	is.reserve(&record, c.Time.Time())
	is.Payments = nil
	for _, p := range record.Payments {
		is.Payments = append(is.Payments, paymentFact{int64(p.PaymentAmount), p.PaymentMethod, p.PaidAt.Time(),
			cmp.Or(p.RecordedAt, p.PaidAt).Time()})
	}
	fact, err := written(is)
	if err == nil {
		err = b.exec("INSERT INTO claim VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET fact = "+
			"excluded.fact", string(is.ID),
			is.Number, is.Policy, fact)
	}
	if err == nil && c.Version == 1 {
		// A receipt that names the claim alone may have been read before.
		err = b.exec("UPDATE receipt SET policy = ? WHERE claim = ? AND policy = ''", is.Policy, is.Number)
	}
	return is.Policy, err
}

// Versioned names a version of a record.
func Versioned(c *internalapi.Change) string { return fmt.Sprintf("%s %d", c.ID, c.Version) }

// reserve notes what a version says of what is still to be paid.
func (c *claimFact) reserve(record *claims.Claim, at time.Time) {
	is := reserveFact{at, c.Status, record.Outstanding(c.ReservedAfter), claims.Paid(record.Payments)}
	if last := len(c.Reserves) - 1; last >= 0 {
		was := c.Reserves[last]
		if was.Recorded = at; was == is {
			return
		}
	}
	c.Reserves = append(c.Reserves, is)
}

func (b *Book) takeReceipt(c *internalapi.Change) (policy string, err error) {
	var record premium.Receipt
	if err := json.Unmarshal(c.Record, &record); err != nil {
		return "", err
	}
	if c.Version > 1 || record.PaymentAmount == nil {
		return "", nil // a receipt never changes
	}
	is := receiptFact{ID: c.ID, Owner: c.Owner, Policy: text(record.PolicyNumber), Claim: text(record.ClaimNumber),
		Type: text(record.ReceiptType), Units: int64(*record.PaymentAmount), Reverses: record.Reverses,
		Date: record.ReceiptDate, From: cmp.Or(value(&record.EffectiveDate), record.ReceiptDate),
		Recorded: cmp.Or(record.RecordedAt, c.Time).Time()}
	if policy = is.Policy; policy == "" {
		of, err := fact[claimFact](b.writer, "SELECT fact FROM claim WHERE number = ?", is.Claim)
		if err != nil {
			return "", err
		}
		if of != nil {
			policy = of.Policy
		}
	}
	fact, err := written(is)
	if err == nil {
		err = b.exec("INSERT INTO receipt VALUES (?, ?, ?, ?) ON CONFLICT DO "+
			"NOTHING", string(c.ID), policy, is.Claim, fact)
	}
	return policy, err
}

// shownParty is what the book reads of a party of any kind.
type shownParty struct {
	FirstName         string           `json:"firstName,omitzero"`
	LastName          string           `json:"lastName,omitzero"`
	Name              string           `json:"name,omitzero"`
	Address           *parties.Address `json:"address,omitzero"`
	RegisteredAddress *parties.Address `json:"registeredAddress,omitzero"`
}

func (b *Book) takeParty(c *internalapi.Change) error {
	var record shownParty
	if err := json.Unmarshal(c.Record, &record); err != nil {
		return err
	}
	name := cmp.Or(record.Name, strings.TrimSpace(record.FirstName+" "+record.LastName))
	country := ""
	if at := cmp.Or(record.Address, record.RegisteredAddress); at != nil {
		country = text(at.Country)
	}
	if err := b.exec("INSERT INTO party VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET name = excluded.name, "+
		"country = excluded.country", string(c.ID), name, country); err != nil {
		return err
	}
	return b.exec("INSERT OR IGNORE INTO due SELECT number FROM policy WHERE holder = ?1 "+
		"UNION ALL SELECT number FROM policy WHERE broker = ?1 AND broker <> '' "+
		"UNION ALL SELECT number FROM policy WHERE agent = ?1 AND agent <> ''", string(c.ID))
}

func (b *Book) takeObject(c *internalapi.Change) error {
	words, err := describe(c.Record)
	if err != nil {
		return err
	}
	if err := b.exec("INSERT INTO object VALUES (?, ?) ON CONFLICT DO UPDATE SET words = excluded.words",
		string(c.ID), words); err != nil {
		return err
	}
	return b.exec("INSERT OR IGNORE INTO due SELECT number FROM policy WHERE object = ?", string(c.ID))
}

// due notes that a policy is to be computed.
func (b *Book) due(policy string) error {
	return b.exec("INSERT OR IGNORE INTO due VALUES (?)", policy)
}

// value returns what a member says; the zero value where it says nothing.
func value[T any](of *scalar.Since[T]) T {
	v, _ := of.Value()
	return v
}

func text(of *string) string {
	if of == nil {
		return ""
	}
	return *of
}
