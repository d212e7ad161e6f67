package store_test

import (
	"testing"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/conformance"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Full, func(t *testing.T) docstore.Store {
		store, _ := open(t)
		return store
	})
}
