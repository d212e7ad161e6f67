// Package assumed has a request take something for a fact that is not there yet: records that are to be written before
// the one which the request asks about. Package peer and package rest return an assumed fact in place of looking it up.
package assumed

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// Facts are assumed responses by the paths that are asked for: a record by /{resource}/{id}, and what a service says
// about it to others by the path of an internal operation.
type Facts map[string]jsontext.Value

type factsKey struct{}

// With returns a context in which the facts are assumed. The caller may add facts to the map between two uses of the
// context.
func With(ctx context.Context, facts Facts) context.Context {
	return context.WithValue(ctx, factsKey{}, facts)
}

// From returns what is assumed in a context; nil if nothing is.
func From(ctx context.Context) Facts {
	facts, _ := ctx.Value(factsKey{}).(Facts)
	return facts
}
