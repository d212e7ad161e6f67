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

	"github.com/spf13/cobra"

	"insurance.example/exchange/deploy/exchange/client/book"
	"insurance.example/exchange/deploy/exchange/progress"
)

// seedDay is the day from which the dates of a book are computed, unless a flag gives another or the exchange has a
// test clock. It is fixed, so that the same command sends the same requests on every day.
const seedDay = "2026-11-01"

func (p *program) seed() *cobra.Command {
	command := command("seed", NoArguments, cobra.NoFileCompletions)
	connect := p.registerConnection(command)
	var o book.Options
	var asOf string
	var year, organisations bool
	flags := command.Flags()
	flags.Uint64Var(&o.Seed, "seed", 1, "number of the book: another number, another book")
	flags.IntVar(&o.Size, "size", 70, "how many policies, not counting those of the examples and the renewals")
	flags.StringVar(&asOf, "as-of", "", "day by which dates are reckoned, YYYY-MM-DD (default: the day of the test "+
		"clock, or "+seedDay+")")
	flags.IntVar(&o.Workers, "concurrency", 8, "how many policies are worked on at a time, 1 to 64")
	flags.BoolVar(&year, "year", false, "make a year of three contracts too, which moves the test clock")
	flags.BoolVar(&organisations, "organisations", false,
		"make a book for each of three organisations, which share some policies")
	command.MarkFlagsMutuallyExclusive("year", "organisations")
	command.RunE = func(command *cobra.Command, _ []string) (err error) {
		if asOf != "" {
			if o.AsOf, err = time.Parse(time.DateOnly, asOf); err != nil {
				return usage("--as-of %q is no day written YYYY-MM-DD", asOf)
			}
		}
		switch {
		case o.Size < book.Smallest:
			return usage("--size must be at least %d: below, some lines and states would be missing", book.Smallest)
		case o.Workers < 1 || o.Workers > mostConnections:
			return usage("--concurrency is 1 to %d", mostConnections)
		}
		if organisations {
			return p.fillAll(command.Context(), connect, o)
		}
		c, err := p.call(connect)
		if err != nil {
			return err
		}
		_, err = p.fill(command.Context(), c, o, year)
		return err
	}
	return command
}

// fillAll fills a book for each organisation, and shares some policies of each. The first has the size that is asked
// for, and the others are as small as a book can be.
func (p *program) fillAll(ctx context.Context, connect *connection, o book.Options) error {
	if connect.token != "" || connect.tokenFile != "" || connect.org != "" || p.variable("EXCHANGE_TOKEN") != "" {
		return usage("--organisations issues a token for each of them with the keys in --data; leave out any other " +
			"token, and --org")
	}
	for _, of := range book.Sharings() {
		as := *connect
		as.org = of.Owner
		as.given = func() string { return connect.given() + " --org " + of.Owner }
		c, err := p.call(&as)
		if err == nil {
			err = c.isShared(ctx)
		}
		if err != nil {
			return err
		}
		t, err := p.fill(ctx, c, o, false)
		if err != nil {
			return err
		}
		shared, err := of.Share(ctx, c.sendRecord, t.policies)
		if err != nil {
			return seedAdvice(err)
		}
		_, err = fmt.Fprintf(p.Out, "\n%s shares %d of its %d policies with %s.\n\n", of.Owner, shared,
			len(t.policies), of.Others())
		if err != nil {
			return err
		}
		o.Size = book.Smallest
	}
	return nil
}

// times are the instants by which a book is made.
type times struct {
	// now is what the test clock shows; zero if no year is made.
	now time.Time
	// began is the instant at which the year began or begins. Without a year it is now, or seedDay if the exchange
	// has no test clock.
	began time.Time
}

var errNoClock = &hinted{
	errors.New("the exchange has no test clock, so that all receipts of a year would be of one month"),
	"exchange run --demo runs one with such a clock and a year, exchange run --test-clock 2026-01-05T09:00:00Z " +
		"--data a-new-folder one with the clock alone.",
}

func (c *caller) times(ctx context.Context, seed uint64, year bool) (t times, err error) {
	clock, err := c.readRecord(ctx, "/x/clock")
	switch {
	case err != nil:
		return t, err
	case clock == nil && year:
		return t, errNoClock
	case clock == nil:
		t.began, err = time.Parse(time.DateOnly, seedDay)
		return t, err
	}
	if t.began, err = c.instant(clock, "now"); err != nil || !year {
		return t, err
	}
	t.now = t.began
	first, err := c.readRecord(ctx, "/x/contract/"+book.YearContract(seed))
	if err == nil && first != nil {
		t.began, err = c.instant(first, "setAt")
	}
	return t, err
}

// instant returns a member of a record that is an instant.
func (c *caller) instant(r book.Record, name string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, r.Text(name))
	if err != nil {
		return at, c.failed(err)
	}
	return at, nil
}

// tally counts what a book has.
type tally struct {
	mu           sync.Mutex
	made, before map[string]int
	policy       string   // the policyNumber of the first claim
	policies     []string // the numbers of the policies
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
	if strings.HasSuffix(s.Resource, "Coverage") {
		t.policies = append(t.policies, s.Record.Text("policyNumber"))
	}
	if s.Resource == "claim" {
		t.policy = cmp.Or(t.policy, s.Record.Text("policyNumber"))
	}
}

// fill fills the book of a caller, and returns what it has.
func (p *program) fill(ctx context.Context, c *caller, o book.Options, year bool) (*tally, error) {
	at, err := c.times(ctx, o.Seed, year)
	if err != nil {
		return nil, err
	}
	if o.AsOf.IsZero() {
		o.AsOf = at.began.UTC().Truncate(24 * time.Hour)
	}
	catalog, err := c.inForce(ctx)
	if err != nil {
		return nil, err
	}
	t := &tally{made: map[string]int{}, before: map[string]int{}}
	bar := progress.New(p.Err, int64(o.Size))
	invented := book.New(catalog, book.Exchange{
		Send: c.sendRecord, Make: c.makeRecord, Rows: c.rows, Read: c.readRecord, Upload: c.sendStatement,
	}, t.step, o)
	err = invented.Fill(ctx, func(policies int) {
		bar.At(int64(policies), fmt.Sprintf("%d of %d policies", policies, o.Size))
	})
	bar.End()
	if err != nil {
		return nil, seedAdvice(err)
	}
	if at.now.IsZero() {
		reported, err := invented.Report(ctx, t.policies)
		if err != nil {
			return nil, seedAdvice(err)
		}
		return t, p.reportBook(c, invented, t, reported)
	}
	story, err := p.fillYear(ctx, invented, at)
	if err != nil {
		return nil, err
	}
	return t, errors.Join(p.reportBook(c, invented, t, ""), p.reportYear(c, invented, story))
}

// fillYear makes the year of a book, and returns what is notable about it.
func (p *program) fillYear(ctx context.Context, b *book.Book, at times) (*book.Story, error) {
	bar := progress.New(p.Err, book.YearMonths)
	story, err := b.Year(ctx, at.began, at.now, func(months int) {
		bar.At(int64(months), fmt.Sprintf("%d of %d months", months, book.YearMonths))
	})
	bar.End()
	if errors.Is(err, book.ErrMoved) {
		return nil, err
	}
	if err != nil {
		return nil, seedAdvice(err)
	}
	return story, nil
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

// reportBook prints what a book has, and in words what is reported of its policies, empty for nothing.
func (p *program) reportBook(c *caller, b *book.Book, t *tally, reported string) error {
	out := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "The book of --seed %d --size %d is at %s:\n", b.Seed, b.Size, c.base)
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
	treaty, ceded := b.Ceded()
	hint := ""
	if reported != "" {
		reported, hint = "\n"+reported+"\n", "  exchange bordereau list"+c.given+" -o table\n"
	}
	_, err := fmt.Fprintf(p.Out, `
The rows of premium under the treaty %s are the sums of their receipts, %d together; rows of claim payments are no
premium, and under no treaty. On purpose three things disagree:
  %s
%[6]s
Look at it:
  exchange list motorCoverage%[4]s -o table
  exchange list claim%[4]s --filter policyNumber=%[5]s -o table
  exchange export premiumBordereau%[4]s --filter treatyReference=%[1]s --out bordereau.xlsx
%[7]s`, treaty, ceded, strings.Join(b.Differences(), "\n  "), c.given, t.policy, reported, hint)
	return err
}

// reportYear prints what is notable about the year of a book.
func (p *program) reportYear(c *caller, b *book.Book, story *book.Story) error {
	_, err := fmt.Fprintf(p.Out, `  exchange bordereau list%[1]s --contract %[2]s -o table
  exchange bordereau export %[2]s premium %[3]s%[1]s --out %[3]s.xlsx

The year of the contracts:
  %[4]s
`, c.given, book.YearContract(b.Seed), story.Late, strings.Join(story.Notable, "\n  "))
	return err
}
