package mongostore

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

var receipts = docstore.Spec{Name: "receipts", Indexes: []docstore.Index{
	{Name: "reverses", Unique: true}, {Name: "policyNumber"}, {Name: "receiptDate"},
}}

// TestRecordShape holds the shape of a stored document, because other programs may read the database.
func TestRecordShape(t *testing.T) {
	id := uuid.MustParse("0193a5c0-0000-7000-8000-0123456789ab")
	c := &collection{spec: receipts, stamp: "5e7a"}
	record := c.recordOf(docstore.Document{
		ID: id, Body: []byte(`{"paymentAmount":1.10}`), State: []byte(`{"s":1}`), Unsent: true,
		Digest: docstore.Digest{1, 2},
		Keys:   docstore.Keys{"policyNumber": "M-1"},
	}, 3)
	record.Marked = new(time.UnixMilli(7))
	binary := `{"$binary":{"base64":"AZOlwAAAcACAAAEjRWeJqw==","subType":"04"}}`
	want := `{"_id":` + binary + `,"v":{"$numberLong":"3"},"w":{"$oid":"` + record.Write.Hex() + `"},` +
		`"s":"5e7a","body":{"paymentAmount":{"$numberDecimal":"1.10"}},"state":{"s":{"$numberLong":"1"}},` +
		`"h":{"$binary":{"base64":"AQI=","subType":"00"}},` +
		`"k":{"policyNumber":"M-1"},"unsent":true,"i":{"$date":{"$numberLong":"7"}}}`
	got := extended(t, record)
	if got != want {
		t.Errorf("record\n got %s\nwant %s", got, want)
	}
}

// TestReplacement: a replacement leaves nothing of the version before but what the log of changes has, and the earliest
// mark.
func TestReplacement(t *testing.T) {
	c := &collection{spec: receipts, stamp: "5e7a"}
	record := c.recordOf(docstore.Document{ID: uuid.New(), Body: []byte(`{"a":1}`)}, 3)
	record.Marked = new(time.UnixMilli(7))
	update, err := record.replacement()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"$set":{"v":{"$numberLong":"3"},"w":{"$oid":"` + record.Write.Hex() + `"},"s":"5e7a",` +
		`"body":{"a":{"$numberLong":"1"}},"unsent":false},"$unset":{"t":"","state":"","h":"","k":""},` +
		`"$min":{"i":{"$date":{"$numberLong":"7"}}}}`
	if got := extended(t, update); got != want {
		t.Errorf("update\n got %s\nwant %s", got, want)
	}
}

func TestFilter(t *testing.T) {
	everybody := organisation.Exchange()
	acme, err := organisation.Named("acme")
	if err != nil {
		t.Fatal(err)
	}
	after := uuid.MustParse("0193a5c0-0000-7000-8000-0123456789ab")
	for name, c := range map[string]struct {
		who   organisation.ID
		query docstore.Query
		want  string
	}{
		"everything": {everybody, docstore.Query{}, `{"$and":[{"v":{"$gt":{"$numberLong":"0"}}}]}`},
		"all of one": {acme, docstore.Query{}, `{"$and":[{"v":{"$gt":{"$numberLong":"0"}}},{"o":"acme"}]}`},
		"all of none": {
			organisation.Sole(), docstore.Query{}, `{"$and":[{"v":{"$gt":{"$numberLong":"0"}}},{"o":null}]}`,
		},
		"equal": {
			everybody,
			docstore.Query{Equal: docstore.Keys{"policyNumber": "M-1", "reverses": ""}},
			`{"$and":[{"k.reverses":{"$eq":""}},{"k.policyNumber":{"$eq":"M-1"}}]}`,
		},
		"ranges": {
			everybody,
			docstore.Query{Ranges: []docstore.Range{{Index: "receiptDate", From: "a", To: "b"},
				{Index: "policyNumber"}}},
			`{"$and":[{"k.receiptDate":{"$gte":"a"}},{"k.receiptDate":{"$lte":"b"}},{"k.policyNumber":{"$gte":""}}]}`,
		},
		"after": {
			everybody,
			docstore.Query{After: after},
			`{"$and":[{"v":{"$gt":{"$numberLong":"0"}}},{"_id":{"$gt":{"$binary":{"base64":"AZOlwAAAcACAAAEjRWeJqw==","subType":"04"}}}}]}`,
		},
	} {
		if got := extended(t, filter(receipts, c.who, c.query)); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestReservationID(t *testing.T) {
	long := strings.Repeat("x", longestValue)
	for _, c := range []struct{ index, value, want string }{
		{"policyNumber", "M-1", "policyNumber:M-1"},
		{"policyNumber", "", "policyNumber:"},
		{"policyNumber", "a:b\x00", "policyNumber:a:b\x00"},
		{"identity", long, "identity:" + long},
		{"identity", long + "x", "identity#hKBnjJCTf13PmZTVhmZo2muZUQnIrYRUEFWbSKTsr-0"},
	} {
		if got := reservationID(c.index, c.value); got != c.want {
			t.Errorf("reservation of %s %q: %q, want %q", c.index, c.value, got, c.want)
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

// TestDocumentIsDecodedWithoutABuffer counts the bytes that are allocated while a document is decoded, which a buffer
// of 4 KiB would exceed.
func TestDocumentIsDecodedWithoutABuffer(t *testing.T) {
	c := &collection{spec: receipts, stamp: "5e7a"}
	stored := c.recordOf(docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: []byte(`{"paymentAmount":1.10}`)}, 1)
	var found [100]*mongo.SingleResult
	for i := range found {
		found[i] = mongo.NewSingleResultFromDocument(stored, nil, nil)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, one := range found {
		var got record
		if err := decode(one, &got); err != nil || !got.ID.Equal(stored.ID) || !bytes.Equal(got.Body, stored.Body) {
			t.Fatalf("decoded %+v, error %v; want %+v", got, err, stored)
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / uint64(len(found)); each >= 4<<10 {
		t.Errorf("decoding a document allocates %d bytes", each)
	}
}
