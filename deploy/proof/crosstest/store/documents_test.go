package store_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"insurance.example/exchange/contracts/examples"
	"insurance.example/exchange/pkg/docstore"
)

// TestOtherProgramsCompute has MongoDB add up and select what the store has written, as a report or mongosh would.
func TestOtherProgramsCompute(t *testing.T) {
	store, database := open(t)
	defer store.Close()
	coll := collection(t, store, policies)
	for _, body := range []string{
		`{"premium":420.50,"term":12,"cover":{"territory":["GB","IE"]}}`,
		`{"premium":100,"term":6,"cover":{"territory":["GB"]}}`,
		`{"premium":0.10,"term":9007199254740993,"cover":{"territory":[]}}`,
	} {
		put(t, coll, body)
	}
	documents := client(t).Database(database).Collection("policies")
	sum := func(field string) bson.RawValue {
		t.Helper()
		cursor, err := documents.Aggregate(t.Context(), mongo.Pipeline{
			{{Key: "$group", Value: bson.D{{Key: "_id", Value: nil},
				{Key: "sum", Value: bson.D{{Key: "$sum", Value: "$body." + field}}}}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		var groups []bson.Raw
		if err := cursor.All(t.Context(), &groups); err != nil || len(groups) != 1 {
			t.Fatalf("%d groups, error %v", len(groups), err)
		}
		return groups[0].Lookup("sum")
	}
	if got, ok := sum("premium").Decimal128OK(); !ok || got.String() != "520.60" {
		t.Errorf("the premiums are %v", sum("premium"))
	}
	if got, ok := sum("term").Int64OK(); !ok || got != 9007199254741011 {
		t.Errorf("the terms are %v", sum("term"))
	}
	for name, filter := range map[string]bson.D{
		"a member":  {{Key: "body.cover.territory", Value: "IE"}},
		"a decimal": {{Key: "body.premium", Value: bson.D{{Key: "$gt", Value: 400}}}},
		"an int64":  {{Key: "body.term", Value: 12}},
	} {
		if n, err := documents.CountDocuments(t.Context(), filter); err != nil || n != 1 {
			t.Errorf("%s selects %d records, error %v", name, n, err)
		}
	}
}

// TestEveryTextComesBack stores what is unusual, and what BSON and MongoDB do not take as it is, in place of one
// another too.
func TestEveryTextComesBack(t *testing.T) {
	store, _ := open(t)
	defer store.Close()
	coll := collection(t, store, policies)
	texts := []string{
		`{}`, `[]`, `0`, `"x"`, `null`,
		`{"a.b":{"$c":1,"":2,"%":3,"d\u0000e":4},"$set":{"x":1},"$where":"1"}`,
		`{"s":"a\u0000b","t":"\u0000","u":"é 🚗 \\ \" \u001f"}`,
		`{"n":[-0,1e5,1E5,1e400000,0.0,-0.00,12345678901234567890123456789012345,1.00000000000000000000000000000000000,1e-6176]}`,
		`{"_id":1,"v":2,"body":3,"k":{"policyNumber":4},"unsent":5,"__proto__":{}}`,
		strings.Repeat(`{"a":[`, 32) + strings.Repeat(`]}`, 32),
		strings.Repeat("[", 500) + strings.Repeat("]", 500),
		"[" + strings.Repeat("1,", 400_000) + "1]",
		"{ \"spaces\" : \"\\u0041\" }",
	}
	doc := docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: []byte(`{"first":true}`)}
	if err := docstore.InsertNew(t.Context(), coll, us, &doc); err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		put(t, coll, text)
		former := docstore.Former{Version: int64(i + 1), Body: []byte(text), State: []byte(text)}
		doc.Version, doc.Body, doc.State = former.Version, former.Body, former.State
		if err := coll.Replace(t.Context(), us, doc, &former); err != nil {
			t.Fatalf("replace by %.80s: %v", text, err)
		}
		got, err := coll.Get(t.Context(), us, doc.ID)
		if err != nil || string(got.Body) != text || string(got.State) != text {
			t.Errorf("%.80s came back from a replace as %.80s and %.80s, error %v", text, got.Body, got.State, err)
		}
		kept, err := coll.Former(t.Context(), us, doc.ID, former.Version)
		if err != nil || string(kept.Body) != text || string(kept.State) != text {
			t.Errorf("%.80s came back from the history as %.80s and %.80s, error %v", text, kept.Body, kept.State, err)
		}
	}
}

// TestExamplesAreDocuments checks that the requests of the interface are stored as BSON values, and no part of them as
// text.
func TestExamplesAreDocuments(t *testing.T) {
	store, database := open(t)
	defer store.Close()
	coll := collection(t, store, policies)
	all, err := examples.Load()
	if err != nil {
		t.Fatal(err)
	}
	documents := client(t).Database(database).Collection("policies")
	for _, example := range all {
		body, err := json.Marshal(example.Body)
		if err != nil {
			t.Fatal(err)
		}
		doc := put(t, coll, string(body))
		raw, err := documents.FindOne(t.Context(),
			bson.D{{Key: "_id", Value: bson.Binary{Subtype: bson.TypeBinaryUUID, Data: doc.ID[:]}}}).Raw()
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(raw, []byte("%json")) {
			t.Errorf("%s: a part of the body is kept as text: %s", example.Operation, raw)
		}
	}
}

// put stores a body and fails the test if it does not come back as it is.
func put(t *testing.T, coll docstore.Collection, body string) docstore.Document {
	t.Helper()
	doc := docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: []byte(body)}
	if err := docstore.InsertNew(t.Context(), coll, us, &doc); err != nil {
		t.Fatalf("insert of %.80s: %v", body, err)
	}
	got, err := coll.Get(t.Context(), us, doc.ID)
	if err != nil || string(got.Body) != body {
		t.Fatalf("%.80s came back as %.80s, error %v", body, got.Body, err)
	}
	return doc
}
