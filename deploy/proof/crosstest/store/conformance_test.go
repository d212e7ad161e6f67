package store_test

import (
	"testing"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/conformance"
	"insurance.example/exchange/pkg/docstore/mongostore"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Full, func(t *testing.T) docstore.Store {
		store, _ := open(t)
		return store
	})
}

func TestConformanceOfRanges(t *testing.T) {
	conformance.Ranges(t, func(t *testing.T) docstore.Store {
		store, _ := open(t)
		return store
	})
}

func TestConformanceOfBackfill(t *testing.T) {
	conformance.Backfill(t, func(t *testing.T) func(t *testing.T) docstore.Store {
		d := newDatabase(t)
		return func(t *testing.T) docstore.Store {
			store, err := mongostore.Open(t.Context(), uri(t), d.name)
			if err != nil {
				t.Fatal(err)
			}
			return store
		}
	})
}
