package store_test

import (
	"testing"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// breach is a change by hand that breaks an invariant.
type breach struct {
	// service and in are the database and the collection that is changed.
	service, in string
	change      func(t *testing.T, in *mongo.Collection)
	// invariant is what check must say of a record of the collection, which is one of the service of.
	of, collection, invariant string
}

// another is an id that no record has.
var another = bson.Binary{Subtype: bson.TypeBinaryUUID, Data: uuidOf("0190a8d5-0000-7000-8000-000000000000")}

func uuidOf(text string) []byte {
	id := uuid.MustParse(text)
	return id[:]
}

// set changes a member of the oldest document that a filter selects.
func set(filter bson.D, member string, value any) func(*testing.T, *mongo.Collection) {
	return update(filter, bson.D{{Key: "$set", Value: bson.D{{Key: member, Value: value}}}})
}

func update(filter, change bson.D) func(*testing.T, *mongo.Collection) {
	return func(t *testing.T, in *mongo.Collection) {
		t.Helper()
		result, err := in.UpdateOne(t.Context(), bson.D{{Key: "_id", Value: oldest(t, in, filter)["_id"]}}, change)
		if err != nil || result.ModifiedCount != 1 {
			t.Fatalf("%v, %+v", err, result)
		}
	}
}

// oldest returns the oldest document that a filter selects.
func oldest(t *testing.T, in *mongo.Collection, filter bson.D) bson.M {
	t.Helper()
	var found bson.M
	if err := in.FindOne(t.Context(), filter, options.FindOne().SetSort(bson.D{{Key: "_id", Value: 1}})).
		Decode(&found); err != nil {
		t.Fatal(err)
	}
	return found
}

// remove removes the documents that a filter selects.
func remove(filter bson.D) func(*testing.T, *mongo.Collection) {
	return func(t *testing.T, in *mongo.Collection) {
		t.Helper()
		if result, err := in.DeleteMany(t.Context(), filter); err != nil || result.DeletedCount == 0 {
			t.Fatalf("%v, %+v", err, result)
		}
	}
}

// copied copies the oldest document, changed.
func copied(change func(bson.M)) func(*testing.T, *mongo.Collection) {
	return func(t *testing.T, in *mongo.Collection) {
		t.Helper()
		doc := oldest(t, in, bson.D{})
		doc["_id"] = another
		change(doc)
		if _, err := in.InsertOne(t.Context(), doc); err != nil {
			t.Fatal(err)
		}
	}
}

// first removes the oldest document.
func first(t *testing.T, in *mongo.Collection) {
	t.Helper()
	remove(bson.D{{Key: "_id", Value: oldest(t, in, bson.D{})["_id"]}})(t, in)
}

var (
	every     = bson.D{}
	inRow     = bson.D{{Key: "k.row", Value: bson.D{{Key: "$gte", Value: ""}}}}
	stillOpen = bson.D{{Key: "body.claimStatus", Value: "open"}}
	premiumed = bson.D{{Key: "body.grossWrittenPremium", Value: bson.D{{Key: "$exists", Value: true}}}}
	paid      = bson.D{{Key: "body.payments", Value: bson.D{{Key: "$exists", Value: true}}}}
	claimed   = bson.D{{Key: "_id", Value: bson.D{{Key: "$gte", Value: "identity"}, {Key: "$lt", Value: "identityz"}}}}
)

// breaches break each invariant that check knows of a database in MongoDB.
var breaches = map[string]breach{
	"a key is changed": {
		"parties", "personal", set(every, "k.lastName", "x"), "parties", "personal",
		"a record is found by its keys",
	},
	"a key is gone": {
		"parties", "personal", update(every, bson.D{{Key: "$unset", Value: bson.D{{Key: "k.lastName", Value: ""}}}}),
		"parties", "personal", "a record is found by its keys",
	},
	"a body is changed": {
		"parties", "personal", set(every, "body.lastName", "Other"), "parties", "personal",
		"a version is as it was written",
	},
	"a body is no record": {
		"coverage", "driver", set(every, "body", "text"), "coverage", "driver", "a record can be read",
	},
	"a body is gone": {
		"coverage", "driver", update(every, bson.D{{Key: "$unset", Value: bson.D{{Key: "body", Value: ""}}}}),
		"coverage", "driver", "a record can be read",
	},
	"a record has another's id": {
		"coverage", "vehicle", set(every, "body.id", "0190a8d5-0000-7000-8000-000000000000"), "coverage", "vehicle",
		"the id of the record is that of its document",
	},
	"a state is unknown": {
		"claims", "claim", set(every, "body.claimStatus", "lost"), "claims", "claim", "the state is in its value set",
	},
	"a state was not reached": {
		"claims", "claim", set(stillOpen, "body.claimStatus", "closed"), "claims", "claim",
		"the state is the one of the last transition",
	},
	"a version is 0": {
		"coverage", "vehicle", set(every, "v", int64(0)), "coverage", "policy",
		"vehicleId names a record that is there",
	},
	"a former version is gone": {
		"coverage", "policy.history", first, "coverage", "policy",
		"every event is in the record or in a former version",
	},
	"a former version differs": {
		"coverage", "policy.history", set(every, "v", int64(99)), "coverage", "policy",
		"every event is in the record or in a former version",
	},
	"a former version is empty": {
		"claims", "claim.history", set(every, "body", "text"), "claims", "claim", "a former version can be read",
	},
	"a former version's key": {
		"claims", "claim.history", set(every, "key", "x"), "claims", "claim",
		"a former version is found by its Idempotency-Key",
	},
	"a former version's id": {
		"claims", "claim.history", set(every, "body.id", "0190a8d5-0000-7000-8000-000000000000"), "claims", "claim",
		"a former version has the id of its record",
	},
	"a record is older": {
		"claims", "claim", set(bson.D{{Key: "v", Value: bson.D{{Key: "$gt", Value: 2}}}}, "v", int64(1)), "claims",
		"claim", "a version is as it was written",
	},
	"a value is there twice": {
		"parties", "personal", copied(func(bson.M) {}), "parties", "personal",
		"a record is found by its keys",
	},
	"a claim is gone": {
		"parties", "personal.claims", remove(claimed), "parties", "personal",
		"a record is found by its keys",
	},
	"a claim is another's": {
		"parties", "personal.claims", set(claimed, "doc", another), "parties", "personal",
		"a record is found by its keys",
	},
	"a vehicle is gone": {
		"coverage", "vehicle", remove(every), "coverage", "policy", "vehicleId names a record that is there",
	},
	"a party is gone": {
		"parties", "personal", remove(every), "coverage", "policy", "policyholderId names a record that is there",
	},
	"policies are gone": {
		"coverage", "policy", remove(every), "claims", "claim", "policyNumber names a record that is there",
	},
	"policies are not claimed": {
		"coverage", "policy.claims", remove(every), "claims", "claim", "policyNumber names a record that is there",
	},
	"a wording is gone": {
		"products", "policyWording", remove(every), "products", "product", "wording names a record that is there",
	},
	"claims are gone": {
		"claims", "claim", remove(every), "premium", "receipt", "claimNumber names a record that is there",
	},
	"a receipt has changed": {
		"premium", "receipt", set(inRow, "body.paymentAmount", int64(987654)), "premium", "premiumBordereau",
		"a row is the sum of its receipts",
	},
	"a sum has changed": {
		"premium", "premiumBordereau", set(inRow, "body.grossWrittenPremium", int64(987654)), "premium",
		"premiumBordereau", "a row is the sum of its receipts",
	},
	"a premium has changed": {
		"coverage", "policy", set(premiumed, "body.grossWrittenPremium", int64(987654)), "coverage", "policy",
		"a version is as it was written",
	},
	"a premium is a number of another type": {
		"coverage", "policy", set(premiumed, "body.grossWrittenPremium", 987654.5), "coverage", "policy",
		"a version is as it was written",
	},
	"a payment has changed": {
		"claims", "claim", set(paid, "body.payments.0.paymentAmount", int64(987654)), "claims", "claim",
		"a version is as it was written",
	},
	"a former reserve has changed": {
		"claims", "claim.history", set(every, "body.reserve", int64(987654)), "claims", "claim",
		"a version is as it was written",
	},
	"a former version's digest is gone": {
		"claims", "claim.history", update(every, bson.D{{Key: "$unset", Value: bson.D{{Key: "h", Value: ""}}}}),
		"claims", "claim", "a version is as it was written",
	},
	"rows are gone": {
		"premium", "premiumBordereau", remove(every), "premium", "receipt", "a receipt without a mark is in a row",
	},
	"receipts are gone": {"premium", "receipt", remove(every), "premium", "premiumBordereau", "a row has receipts"},
	"a receipt moves": {
		"premium", "receipt", set(inRow, "body.policyNumber", "M-OTHER"), "premium", "receipt",
		"a receipt is in a row of its policy",
	},
	"a mark has been left on": {"premium", "receipt", copied(func(doc bson.M) {
		doc["_id"] = bson.Binary{Subtype: bson.TypeBinaryUUID, Data: uuidOf("00000000-0001-7000-8000-000000000000")}
		doc["unsent"] = true
	}), "premium", "receipt", "a message about a record is acted on"},
}
