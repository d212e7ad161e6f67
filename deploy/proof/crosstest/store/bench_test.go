package store_test

import (
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// coverageRecord is a record of a coverage line.
const coverageRecord = `{"policyholderId":"0195a000-0000-7000-8000-000000000001","vehicleId":"0195a000-0000-7000-8000-000000000003",` +
	`"driverId":"0195a000-0000-7000-8000-000000000004","perils":["fire","theft","windscreen"],"premium":420.50,` +
	`"sumInsured":25000,"deductible":250.00,"currency":"GBP","inceptionDate":"2026-01-01T00:00:00Z",` +
	`"expiryDate":"2027-01-01T00:00:00Z","policyNumber":"M-7KQ2-93XF-AB","status":"in force",` +
	`"cover":{"type":"comprehensive","territory":["GB","IE"],"excess":{"voluntary":100,"compulsory":150.00}},` +
	`"id":"0195a000-0000-7000-8000-000000000020","createdAt":"2026-01-01T09:30:00Z"}`

// BenchmarkForms compares records that are documents with records that are kept as a text, which those are that begin
// with a space.
func BenchmarkForms(b *testing.B) {
	store, _ := open(b)
	defer store.Close()
	coll, err := store.Collection(b.Context(), docstore.Spec{Name: "policies"})
	if err != nil {
		b.Fatal(err)
	}
	for _, form := range []struct{ name, body string }{{"text", " " + coverageRecord}, {"document", coverageRecord}} {
		doc := docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: []byte(form.body)}
		if err := coll.Insert(b.Context(), us, doc); err != nil {
			b.Fatal(err)
		}
		run := func(name string, act func() error) {
			b.Run(name+" of a "+form.name, func(b *testing.B) {
				b.SetParallelism(8)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if err := act(); err != nil {
							b.Error(err)
							return
						}
					}
				})
			})
		}
		run("get", func() error {
			_, err := coll.Get(b.Context(), us, doc.ID)
			return err
		})
		run("insert", func() error {
			return coll.Insert(b.Context(), us, docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: doc.Body})
		})
	}
}
