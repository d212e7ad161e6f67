package mongostore

import (
	"context"
	"time"

	"insurance.example/exchange/pkg/docstore"
)

// within returns what ends each call of a collection within a time. A server that accepts connections and does not
// respond would keep the call until the context of the whole request ends.
func within(timeout time.Duration) docstore.Around {
	return func(ctx context.Context, _ docstore.Call, do func(context.Context) error) error {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		return do(ctx)
	}
}
