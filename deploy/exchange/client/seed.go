package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"insurance.example/exchange/deploy/exchange/client/book"
	"insurance.example/exchange/deploy/exchange/progress"
)

// seedDay is the day from which the dates of a book are computed, unless a flag gives another. It is fixed, so that
// the same command sends the same requests on every day.
const seedDay = "2026-11-01"

const seedHelp = `Fill an exchange with a believable book: parties, products, what is insured, policies of all seven lines (some endorsed,
extended, renewed, cancelled), claims in every state, receipts with refunds, rows of both bordereaux. Everybody in it is
invented. Everything goes over the public interface.

The first record of each resource is the example of the OpenAPI document: the values that the examples of /docs name are
then there (idNumber, plateNumber, registrationNumber, treatyReference), but for the identifiers and numbers that the
exchange issues. They are the same for every --seed.

The same --seed and --as-of make the same requests, each with its Idempotency-Key: run twice by the same caller, the
second run makes nothing, and one that was stopped goes on. A larger --size adds to the book. Dates are reckoned by
--as-of, not by today, for that reason.`

func (p *program) seed() *cobra.Command {
	command := &cobra.Command{
		Use: "seed", Short: "Fill an exchange with an invented book, to try things out", Long: seedHelp,
		Example: `  exchange seed
  exchange seed --seed 2 --size 21`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("seed takes no arguments; --size says how many policies")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	connect := p.registerConnection(command)
	var o book.Options
	var asOf string
	flags := command.Flags()
	flags.Uint64Var(&o.Seed, "seed", 1, "number of the book: another number, another book")
	flags.IntVar(&o.Size, "size", 70, "how many policies, not counting those of the examples and the renewals")
	flags.StringVar(&asOf, "as-of", seedDay, "day by which dates are reckoned, YYYY-MM-DD")
	flags.IntVar(&o.Workers, "concurrency", 8, "how many policies are worked on at a time, 1 to 64")
	command.RunE = func(command *cobra.Command, _ []string) (err error) {
		if o.AsOf, err = time.Parse(time.DateOnly, asOf); err != nil {
			return usage("--as-of %q is no day written YYYY-MM-DD", asOf)
		}
		switch {
		case o.Size < book.Smallest:
			return usage("--size must be at least %d: below, some lines and states would be missing", book.Smallest)
		case o.Workers < 1 || o.Workers > mostConnections:
			return usage("--concurrency is 1 to %d", mostConnections)
		}
		c, err := p.call(connect)
		if err != nil {
			return err
		}
		return p.fill(command.Context(), c, o)
	}
	return command
}

// tally counts what a book has.
type tally struct {
	mu             sync.Mutex
	made, before   map[string]int
	policy, treaty string // the policyNumber of the first claim and the treatyReference of the first row
}

func (t *tally) step(s book.Step) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.Resource == "" {
		return
	}
	if s.Done {
		t.made[s.Resource]++
	} else {
		t.before[s.Resource]++
	}
	switch s.Resource {
	case "claim":
		t.policy = cmp.Or(t.policy, s.Record.Text("policyNumber"))
	case "premiumBordereau":
		t.treaty = cmp.Or(t.treaty, s.Record.Text("treatyReference"))
	}
}

func (p *program) fill(ctx context.Context, c *caller, o book.Options) error {
	catalog, err := c.inForce(ctx)
	if err != nil {
		return err
	}
	t := &tally{made: map[string]int{}, before: map[string]int{}}
	shown := progress.New(p.Err, int64(o.Size))
	var failed error
	err = book.New(catalog, c.sendRecord, t.step, o).Fill(ctx, func(made int) {
		if err := shown.At(int64(made), fmt.Sprintf("%d of %d policies", made, o.Size)); err != nil && failed == nil {
			failed = err
		}
	})
	if ended := shown.End(); failed == nil {
		failed = ended
	}
	if err != nil {
		return seedAdvice(err)
	}
	if failed != nil {
		return failed
	}
	return p.reportBook(c, o, t)
}

// seedAdvice adds to an error what to do next.
func seedAdvice(err error) error {
	if r, is := errors.AsType[*refusal](err); is && r.status == http.StatusUnprocessableEntity {
		return &hinted{
			err, "Another book was made with the same --seed, perhaps by another version or with other value sets. " +
				"Give another --seed.",
		}
	}
	return &hinted{err, "The same command goes on from here: what was made is not made again."}
}

func (p *program) reportBook(c *caller, o book.Options, t *tally) error {
	out := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "The book of --seed %d --size %d is at %s:\n", o.Seed, o.Size, c.base)
	names := map[string]bool{}
	for _, counts := range []map[string]int{t.made, t.before} {
		for name := range counts {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(out, "  %s\t%d made\t%d there before\n", name, t.made[name], t.before[name])
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.Out, `
Look at it:
  exchange list motorCoverage -o table
  exchange list claim --filter policyNumber=%s -o table
  exchange export premiumBordereau --filter treatyReference=%s --out bordereau.xlsx
`, t.policy, t.treaty)
	return err
}

// sendRecord sends a record, and reports whether the exchange did something. If a party with the same identity exists
// already, it returns that party.
func (c *caller) sendRecord(ctx context.Context, path, key string, body book.Record) (book.Record, bool, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, false, err
	}
	r := request{method: http.MethodPost, path: path, body: text, header: map[string]string{keyHeader: key}}
	if key == "" {
		r.method, r.header = http.MethodPut, nil
	}
	got, err := c.send(ctx, r)
	if refused, is := errors.AsType[*refusal](err); is {
		var conflict struct {
			ExistingID string `json:"existingId"`
		}
		if refused.status == http.StatusConflict && json.Unmarshal(refused.problem.Further, &conflict) == nil &&
			conflict.ExistingID != "" {
			got, err = c.send(ctx, request{method: http.MethodGet, path: path + "/" + conflict.ExistingID})
			if err == nil {
				got.header = http.Header{"Idempotency-Replayed": {"true"}}
			}
		}
	}
	if err != nil {
		return nil, false, describeStep(err, r)
	}
	var record book.Record
	if err := json.Unmarshal(got.body, &record); err != nil {
		return nil, false, c.failed(err)
	}
	return record, !got.replayed(), nil
}

// describeStep adds to an error which request was refused.
func describeStep(err error, r request) error {
	if _, is := errors.AsType[*refusal](err); !is {
		return err
	}
	return fmt.Errorf("%s %s: %w", r.method, strings.TrimSuffix(r.path, "/"), err)
}
