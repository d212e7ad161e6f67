package testclock

import (
	"errors"
	"net/http"
	"reflect"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest"
)

// Header is the header of every response of an exchange with a test clock. It has the instant that the clock shows.
const Header = "Exchange-Test-Clock"

// name is the name of the service that shows and moves the clock.
const name = "testclock"

// Service returns the service that shows and moves a clock. Only its declarations may be asked for before the clock is
// open.
func Service(clock *Clock) rest.Service {
	return rest.Service{
		Name: name, Summary: "The test clock of an exchange that is run with one",
		Sets: func(path string) (rest.Sets, error) { return valuesets.Load(path) },
		Declare: func(s *rest.Server, _ process.Deps) (rest.Parts, error) {
			s.Extend(rest.Extension{
				Path: rest.ExtensionPrefix + "/clock", Method: http.MethodGet, Optional: true, ID: "readTestClock",
				Summary:  "What the test clock shows. Only exchange run with --test-clock has one",
				Response: reflect.TypeFor[beyond.Clock](), Refuses: []problem.Kind{problem.NotFound},
				Serve: func(*gin.Context, any) (any, error) {
					return beyond.Clock{Now: scalar.Instant(clock.Now())}, nil
				},
			}, rest.Extension{
				Path: rest.ExtensionPrefix + "/clock:advance", Method: http.MethodPost, Writes: true, Optional: true,
				ID:       "advanceTestClock",
				Summary:  "Move the test clock forward. Only exchange run with --test-clock has one",
				Body:     reflect.TypeFor[beyond.ClockMove](),
				Response: reflect.TypeFor[beyond.Clock](),
				Refuses:  []problem.Kind{problem.NotFound, problem.Required, problem.Transition},
				Serve:    clock.serveAdvance,
			})
			return rest.Parts{}, nil
		},
	}
}

// serveAdvance serves POST /x/clock:advance.
func (c *Clock) serveAdvance(g *gin.Context, body any) (any, error) {
	move := body.(*beyond.ClockMove)
	if move.To.IsZero() {
		return nil, problem.New(problem.Required, "to is required.").At("/to", "is required")
	}
	now, err := c.Advance(move.To.Time())
	switch {
	case errors.Is(err, ErrBackward):
		return nil, problem.New(problem.Transition, "The test clock only moves forward.").Because(err).
			With("now", scalar.Instant(now))
	case err != nil:
		return nil, problem.Outage(err)
	}
	g.Writer.Header().Set(Header, shown(now))
	return beyond.Clock{Now: scalar.Instant(now)}, nil
}
