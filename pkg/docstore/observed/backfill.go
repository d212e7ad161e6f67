package observed

import (
	"maps"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/pkg/docstore"
)

// backfills collects how far the collections of a store have got the keys of new indexes.
type backfills struct {
	mu sync.Mutex
	// of are the collections by name.
	of map[string]docstore.Backfilling
}

var (
	buildingIndexes = prometheus.NewDesc("store_backfill_indexes",
		"Indexes that do not hold all documents yet. A list by one of them is refused.", []string{"collection"}, nil)
	backfilledDocuments = prometheus.NewDesc("store_backfill_documents_total",
		"Documents that got the keys of new indexes in the background.", []string{"collection"}, nil)
	lackingKeys = prometheus.NewDesc("store_backfill_lacking_total",
		"Keys that a document did not get in the background, because another one has the value or it could not be "+
			"read.",
		[]string{"collection"}, nil)
)

func (b *backfills) add(name string, collection docstore.Backfilling) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.of[name] = collection
}

func (b *backfills) Describe(to chan<- *prometheus.Desc) {
	to <- buildingIndexes
	to <- backfilledDocuments
	to <- lackingKeys
}

func (b *backfills) Collect(to chan<- prometheus.Metric) {
	b.mu.Lock()
	of := maps.Clone(b.of)
	b.mu.Unlock()
	for name, collection := range of {
		done := collection.Backfill()
		to <- prometheus.MustNewConstMetric(buildingIndexes, prometheus.GaugeValue, float64(done.Building), name)
		to <- prometheus.MustNewConstMetric(backfilledDocuments, prometheus.CounterValue, float64(done.Done), name)
		to <- prometheus.MustNewConstMetric(lackingKeys, prometheus.CounterValue, float64(done.Lacking), name)
	}
}
