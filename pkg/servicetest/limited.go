package servicetest

import (
	"context"

	"insurance.example/exchange/pkg/docstore"
)

// Limited returns a store that holds documents of at most a number of bytes, so that a test need not fill
// docstore.MaxSize.
func Limited(store docstore.Store, bytes int) docstore.Store {
	return limited{Store: store, bytes: bytes}
}

type limited struct {
	docstore.Store
	bytes int
}

// Collection returns a collection with the limit.
func (l limited) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	collection, err := l.Store.Collection(ctx, spec)
	return limitedCollection{Collection: collection, bytes: l.bytes}, err
}

type limitedCollection struct {
	docstore.Collection
	bytes int
}

// Insert refuses what is larger than the limit.
func (l limitedCollection) Insert(ctx context.Context, doc docstore.Document) error {
	if len(doc.Body)+len(doc.State) > l.bytes {
		return docstore.ErrTooLarge
	}
	return l.Collection.Insert(ctx, doc)
}

// Replace refuses what is larger than the limit.
func (l limitedCollection) Replace(ctx context.Context, doc docstore.Document, former *docstore.Former) error {
	if len(doc.Body)+len(doc.State) > l.bytes {
		return docstore.ErrTooLarge
	}
	return l.Collection.Replace(ctx, doc, former)
}
