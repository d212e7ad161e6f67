package memorystore_test

import (
	"testing"

	"insurance.example/exchange/deploy/proof/simulation/memorystore"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/conformance"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Small, func(*testing.T) docstore.Store { return &memorystore.Store{} })
}

func TestConformanceOfChanges(t *testing.T) {
	conformance.Changes(t, conformance.Small, func(*testing.T) docstore.Store { return &memorystore.Store{} })
}
