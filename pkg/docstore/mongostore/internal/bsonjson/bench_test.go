package bsonjson

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// policy is a record as a service stores it.
const policy = `{"policyholderId":"0195a000-0000-7000-8000-000000000001","vehicleId":"0195a000-0000-7000-8000-000000000003",` +
	`"driverId":"0195a000-0000-7000-8000-000000000004","perils":["fire","theft","windscreen"],"premium":420.50,` +
	`"sumInsured":25000,"deductible":250.00,"currency":"GBP","inceptionDate":"2026-01-01T00:00:00Z",` +
	`"expiryDate":"2027-01-01T00:00:00Z","policyNumber":"M-7KQ2-93XF-AB","status":"in force","version":1,` +
	`"cover":{"type":"comprehensive","territory":["GB","IE"],"excess":{"voluntary":100,"compulsory":150.00}},` +
	`"id":"0195a000-0000-7000-8000-000000000020","createdAt":"2026-01-01T09:30:00Z"}`

// asText is the policy as a string, as BSON would hold it otherwise.
type asText struct {
	Body string `bson:"body"`
}

type asValue struct {
	Body Text `bson:"body"`
}

func BenchmarkMarshal(b *testing.B) {
	for name, record := range map[string]any{"text": asText{policy}, "value": asValue{Text(policy)}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(policy)))
			b.ReportAllocs()
			var data []byte
			for b.Loop() {
				var err error
				if data, err = bson.Marshal(record); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(data)), "bytes")
		})
	}
}

func BenchmarkUnmarshal(b *testing.B) {
	for name, record := range map[string]any{"text": &asText{policy}, "value": &asValue{Text(policy)}} {
		data, err := bson.Marshal(record)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(policy)))
			b.ReportAllocs()
			for b.Loop() {
				if err := bson.Unmarshal(data, record); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
