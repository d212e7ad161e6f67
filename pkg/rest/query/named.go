package query

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"insurance.example/exchange/pkg/problem"
)

// Together is how many names are read at once where each takes a look-up or two.
const Together = 8

// Named returns what a function reads of each of the names that a parameter has, with commas between them, in their
// order. It reads some together. Errors: problem.BadParameter if there are more names than allowed, and those of the
// function.
func Named[T any](
	ctx context.Context, parameter, names string, most, together int,
	read func(ctx context.Context, name string) (T, error),
) ([]T, error) {
	all := strings.Split(names, ",")
	if len(all) > most {
		return nil, problem.New(problem.BadParameter, "").InParameter(parameter, fmt.Sprintf("are more than %d", most))
	}
	values := make([]T, len(all))
	reading, of := errgroup.WithContext(ctx)
	reading.SetLimit(together)
	for i, name := range all {
		reading.Go(func() (err error) {
			values[i], err = read(of, name)
			return err
		})
	}
	return values, reading.Wait()
}
