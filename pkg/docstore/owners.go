package docstore

import (
	"insurance.example/exchange/pkg/organisation"
)

// The keys of a document with an owner are led by the name of the owner, except in global indexes and in public
// collections. So each organisation has a part of every index to itself: what is unique is so within it, and a find
// reads nothing of the others. A document without an owner has its keys as they are.

// ownerEnds separates the name of the owner from the value of a key. No name has it, and pastOwner comes after it.
const ownerEnds, pastOwner = "\x1f", "\x20"

// Own returns a document as it is stored when it is written in an organisation's name: with its owner, and with the
// keys that are led by that.
func (s Spec) Own(who organisation.ID, doc Document) Document {
	if !who.All() {
		doc.Owner = who.Name()
	}
	doc.Keys = s.Led(doc.Owner, doc.Keys)
	return doc
}

// Led returns the keys of a document as they are stored for an owner, the empty one for none.
func (s Spec) Led(owner string, keys Keys) Keys {
	if owner == "" || keys == nil || s.Public {
		return keys
	}
	led := make(Keys, len(keys))
	for name, value := range keys {
		if index, _ := s.index(name); !index.Global {
			value = owner + ownerEnds + value
		}
		led[name] = value
	}
	return led
}

// Within returns a query as it selects what is stored in the part of the indexes that an organisation has. That of an
// organisation without a name, and that of the exchange, is the part of the documents without an owner.
func (s Spec) Within(who organisation.ID, q Query) Query {
	owner := who.Name()
	if owner == "" || s.Public {
		return q
	}
	q.Equal = s.Led(owner, q.Equal)
	ranges := make([]Range, len(q.Ranges))
	for i, r := range q.Ranges {
		if r.To != "" {
			r.To = owner + ownerEnds + r.To
		} else {
			r.To = owner + pastOwner
		}
		r.From = owner + ownerEnds + r.From
		ranges[i] = r
	}
	q.Ranges = ranges
	return q
}
