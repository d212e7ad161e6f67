package mongostore

import (
	"bytes"
	"testing"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"insurance.example/exchange/pkg/docstore"
)

var receipts = docstore.Spec{Name: "receipts", Indexes: []docstore.Index{
	{Name: "reverses", Unique: true}, {Name: "policyNumber"}, {Name: "receiptDate"},
}}

// TestRecordShape holds the shape of a stored document, because other programs may read the database.
func TestRecordShape(t *testing.T) {
	id := uuid.MustParse("0193a5c0-0000-7000-8000-0123456789ab")
	got := extended(t, recordOf(receipts, docstore.Document{
		ID: id, Body: []byte(`{"paymentAmount":1.10}`), State: []byte(`{"s":1}`), Unsent: true,
		Keys: docstore.Keys{"policyNumber": "M-1"},
	}, 3))
	binary := `{"$binary":{"base64":"AZOlwAAAcACAAAEjRWeJqw==","subType":"04"}}`
	want := `{"_id":` + binary + `,"v":{"$numberLong":"3"},"body":{"paymentAmount":{"$numberDecimal":"1.10"}},` +
		`"state":{"s":{"$numberLong":"1"}},` +
		`"k":{"reverses":` + binary + `,"policyNumber":"M-1"},"unsent":true}`
	if got != want {
		t.Errorf("record\n got %s\nwant %s", got, want)
	}
}

func TestFilter(t *testing.T) {
	after := uuid.MustParse("0193a5c0-0000-7000-8000-0123456789ab")
	for name, c := range map[string]struct {
		query docstore.Query
		want  string
	}{
		"everything": {docstore.Query{}, `{}`},
		"equal": {
			docstore.Query{Equal: docstore.Keys{"policyNumber": "M-1", "reverses": ""}},
			`{"$and":[{"k.reverses":{"$eq":""}},{"k.policyNumber":{"$eq":"M-1"}}]}`,
		},
		"ranges": {
			docstore.Query{Ranges: []docstore.Range{{Index: "receiptDate", From: "a", To: "b"}, {Index: "policyNumber"}}},
			`{"$and":[{"k.receiptDate":{"$gte":"a"}},{"k.receiptDate":{"$lte":"b"}},{"k.policyNumber":{"$gte":""}}]}`,
		},
		"after": {
			docstore.Query{After: after},
			`{"$and":[{"_id":{"$gt":{"$binary":{"base64":"AZOlwAAAcACAAAEjRWeJqw==","subType":"04"}}}}]}`,
		},
	} {
		if got := extended(t, filter(receipts, c.query)); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// TestNamedIndex uses errors as MongoDB writes them. The server that the suite runs against does not name the index.
func TestNamedIndex(t *testing.T) {
	for name, c := range map[string]struct {
		code    int
		pattern any
		index   string
		ok      bool
	}{
		"key":             {11000, bson.D{{Key: "k.policyNumber", Value: 1}}, "policyNumber", true},
		"id":              {11000, bson.D{{Key: "_id", Value: 1}}, docstore.IDIndex, true},
		"not named":       {11000, nil, "", false},
		"foreign index":   {11000, bson.D{{Key: "body", Value: 1}}, "body", false},
		"another failure": {121, bson.D{{Key: "k.policyNumber", Value: 1}}, "", false},
	} {
		raw := bson.D{{Key: "code", Value: c.code}}
		if c.pattern != nil {
			raw = append(raw, bson.E{Key: "keyPattern", Value: c.pattern})
		}
		encoded, err := bson.Marshal(raw)
		if err != nil {
			t.Fatal(err)
		}
		refusal := mongo.WriteException{WriteErrors: mongo.WriteErrors{{Code: c.code, Message: "E11000 duplicate key error", Raw: encoded}}}
		index, ok := namedIndex(refusal)
		if ok != c.ok || ok && index != c.index {
			t.Errorf("%s: %q, %v", name, index, ok)
		}
	}
}

// extended returns a value as extended JSON.
func extended(t *testing.T, v any) string {
	t.Helper()
	text, err := bson.MarshalExtJSON(v, true, false)
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSpace(text))
}
