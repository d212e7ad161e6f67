package reconciliation

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/once"
	"insurance.example/exchange/pkg/sheet"
	"insurance.example/exchange/services/desk/block"
	"insurance.example/exchange/services/desk/bordereau"
	"insurance.example/exchange/services/desk/folder"
	"insurance.example/exchange/services/desk/period"
	"insurance.example/exchange/services/desk/reconciliation/match"
	"insurance.example/exchange/services/desk/reconciliation/profile"
	"insurance.example/exchange/services/desk/underway"
)

const (
	// mostWindow is how many days dates may differ by at most.
	mostWindow = 366
	// mostRecords is how many records a statement is compared with.
	mostRecords = 250_000
	// rowMemory is how much memory a row or a record takes while it is compared, in bytes.
	rowMemory = 1 << 10
	// mostVersions is how many versions a run may name.
	mostVersions = 20
)

// The blocks of a run.
const (
	itemBlocks = "items"
	pairBlocks = "pairs"
	// pairLength is how many pairs a block has.
	pairLength = 2000
)

var tolerances = regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,4})?$`)

// run is a run as it is stored.
type run struct {
	Head  reconciliation.Run `json:"head"`
	Batch uuid.UUID          `json:"batch"`
	Pairs int                `json:"pairs"`
	// Open counts the items that asked for a decision when the run was made, by month.
	Open map[string]int `json:"open"`
}

// pair is a pair that a run has made.
type pair struct {
	Row    int    `json:"row"`
	LineID string `json:"lineId"`
	Key    string `json:"key"`
	Item   int    `json:"item"`
}

// comparison is a run on its way.
type comparison struct {
	order     reconciliation.RunRequest
	statement *statement
	entries   []match.Entry
	records   []match.Record
	terms     match.Terms
	work      *underway.Work
	// chain are the ids of the statements that this one replaces, the newest first, and prior the runs whose place the
	// comparison takes, with what it keeps of them.
	chain    []string
	prior    []string
	inherits carried
}

// Run compares a statement with records, once for a key. Errors: problem.Invalid, problem.KeyReused,
// problem.RecordTooLarge, problem.Unavailable, those of the store.
func (r *Reconciler) Run(
	ctx context.Context, order reconciliation.RunRequest, by *once.Once,
) (reconciliation.Run, error) {
	c, lines, err := r.prepare(ctx, order)
	if err != nil {
		return reconciliation.Run{}, err
	}
	records := lines.Count()
	if records > 0 {
		records += c.statement.Head.Rows
	}
	most := records
	if most == 0 {
		most = mostRecords
	}
	leave, err := r.Room(ctx, most*rowMemory)
	if err != nil {
		return reconciliation.Run{}, err
	}
	defer leave()
	c.work = r.underWay.Begin(ctx, comparisonOf(order.Statement), "", records)
	defer c.work.End(ctx)
	if err := r.load(ctx, c, lines); err != nil {
		return reconciliation.Run{}, err
	}
	var shown reconciliation.Run
	err = docstore.Again(func() error {
		l, err := r.series(ctx, seriesOf(c.order.Against))
		if err != nil {
			return err
		}
		if was, err := l.made(by); was != "" || err != nil {
			shown, err = r.again(ctx, was, err)
			return err
		}
		if err := r.takesPlace(ctx, c, l); err != nil {
			return err
		}
		before, err := r.before(ctx, c, l)
		if err != nil {
			return err
		}
		run, err := r.compare(ctx, c, before, l)
		if err == nil {
			err = r.list(ctx, l, run, by)
		}
		if err == nil {
			err = r.keepsLate(ctx, c, l, run)
		}
		if err == nil {
			shown, err = r.Read(ctx, run.Head.ID)
		}
		return err
	})
	return shown, err
}

// again returns the run that an earlier request has made. With an error it returns the error.
func (r *Reconciler) again(ctx context.Context, id string, err error) (reconciliation.Run, error) {
	if err != nil {
		return reconciliation.Run{}, err
	}
	return r.Read(ctx, id)
}

// comparisonOf returns the name of the comparison of a statement, while it is under way.
func comparisonOf(statement string) string { return "statement/" + statement }

// prepare returns a comparison without its rows and records, and the lines that are to be its records.
func (r *Reconciler) prepare(
	ctx context.Context, order reconciliation.RunRequest,
) (*comparison, *bordereau.Lines, error) {
	wrong := problem.New(problem.Invalid, "The comparison cannot be made as it is asked for.")
	c := &comparison{order: order}
	if order.Tolerance == "" {
		order.Tolerance = "0"
	}
	c.order.Tolerance = order.Tolerance
	if !tolerances.MatchString(string(order.Tolerance)) {
		wrong.At("/tolerance", "must be an amount in digits, such as \"0.05\"")
	}
	if order.WindowDays < 0 || order.WindowDays > mostWindow {
		wrong.At("/windowDays", fmt.Sprintf("must be 0 to %d", mostWindow))
	}
	if order.Against.Receipts && len(order.Against.Versions) > 0 {
		wrong.At("/against/receipts", "is asked for together with versions")
	}
	if len(order.Against.Versions) > mostVersions {
		wrong.At("/against/versions", fmt.Sprintf("has more than %d numbers", mostVersions))
	}
	for i, n := range order.Against.Versions {
		if slices.Index(order.Against.Versions, n) < i {
			wrong.At(fmt.Sprintf("/against/versions/%d", i), "is there twice")
		}
	}
	var refusal *problem.Error
	s, err := r.statement(ctx, order.Statement)
	if errors.As(err, &refusal) && refusal.Kind == problem.NotFound {
		wrong.At("/statement", "is the id of no statement")
	} else if err != nil {
		return nil, nil, err
	}
	if len(wrong.Violations) > 0 {
		return nil, nil, wrong
	}
	if s.Head.ReplacedBy != "" {
		return nil, nil, problem.New(problem.Transition, "The statement "+s.Head.ReplacedBy+
			" has taken the place of this one. Compare that.").With("replacedBy", s.Head.ReplacedBy)
	}
	c.statement = s
	if c.chain, err = r.chain(ctx, s); err != nil {
		return nil, nil, err
	}
	lines, err := r.linesOf(ctx, order.Against, s)
	return c, lines, err
}

// linesOf returns the lines that a statement is compared with.
func (r *Reconciler) linesOf(
	ctx context.Context, a reconciliation.RunAgainst, s *statement,
) (*bordereau.Lines, error) {
	place := bordereau.Place{Contract: a.Contract, Kind: a.Kind, Period: a.Period}
	within := problem.New(problem.Invalid, "The comparison cannot be made as it is asked for.")
	lines, err := r.desk.LinesOf(ctx, place, a.Versions, a.Receipts, within)
	if err == nil || len(within.Violations) > 0 {
		kind := desk.Premium
		if profile.OfClaims(s.Columns) {
			kind = desk.Claims
		}
		if a.Kind != kind && slices.Contains(bordereau.Kinds, a.Kind) {
			err = within.At("/kind", "must be "+kind+": that is what the columns of the statement are about")
		}
	}
	if err != nil {
		for i := range within.Violations {
			within.Violations[i].Pointer = "/against" + within.Violations[i].Pointer
		}
	}
	return lines, err
}

// terms returns how the rows of a statement are compared as it is asked for.
func (r *Reconciler) terms(order reconciliation.RunRequest, s *statement) match.Terms {
	of, _ := period.Parse(order.Against.Period)
	tolerance, _ := money.Parse(string(order.Tolerance)) // it is digits
	return match.Terms{
		Tolerance: tolerance, Window: order.WindowDays, Settles: profile.Settles(s.Columns),
		Came: scalar.DateOf(s.Head.SentAt.Time(), r.zone),
		Cell: func(means string, row int) string { return sheet.Place(max(1, s.Columns[means]), row) },
		Period: func(day scalar.Date) string {
			at, _ := time.Parse(time.DateOnly, string(day)) // it is one
			return of.At(at, time.UTC).String()
		},
	}
}

// load reads the rows and the records.
func (r *Reconciler) load(ctx context.Context, c *comparison, lines *bordereau.Lines) error {
	s := c.statement
	c.terms = r.terms(c.order, s)
	c.entries = make([]match.Entry, 0, s.Head.Rows)
	if err := r.eachRow(ctx, s, func(e match.Entry) error {
		c.entries = append(c.entries, match.Issued(e))
		c.work.Read(ctx, 1)
		return nil
	}); err != nil {
		return err
	}
	add := func(of match.Record) error {
		if len(c.records) == mostRecords {
			return problem.New(problem.RecordTooLarge, fmt.Sprintf(
				"The period has more than %d lines; compare its versions one by one.", mostRecords))
		}
		c.records = append(c.records, of)
		c.work.Read(ctx, 1)
		return nil
	}
	return eachRecord(ctx, lines, add)
}

// eachRecord calls a function with each line as a record.
func eachRecord(ctx context.Context, lines *bordereau.Lines, do func(match.Record) error) error {
	return lines.Each(ctx, func(line desk.BordereauLine) error { return do(recordOf(line)) },
		func(line desk.ClaimLine) error { return do(recordOfClaim(line, lines.Zone)) })
}

func recordOf(l desk.BordereauLine) match.Record {
	return match.Record{
		LineID: l.LineID, PolicyNumber: l.PolicyNumber, Type: l.ReceiptType, Date: l.EffectiveDate,
		Since: l.EffectiveDate, Currency: l.Currency, Settlement: l.SettlementCurrency,
		Amounts: match.Amounts{
			string(l.Gross), string(l.Commission), string(l.Brokerage), string(l.Net), string(l.Settled),
		},
	}
}

func recordOfClaim(l desk.ClaimLine, zone *time.Location) match.Record {
	of := l.SettledIndemnity
	record := match.Record{
		LineID: l.LineID, PolicyNumber: l.PolicyNumber, ClaimNumber: l.ClaimNumber,
		Since: scalar.DateOf(l.RecordedAt.Time(), zone), Currency: l.Currency, Settlement: l.SettlementCurrency,
		Amounts: append(make(match.Amounts, match.OfPremium), string(of.Paid), string(of.PreviouslyPaid),
			string(of.Outstanding), string(of.Incurred), string(of.ChangeOfIncurred), string(l.SettledIncurred)),
	}
	if !l.LossDate.IsZero() {
		record.Date = scalar.DateOf(l.LossDate.Time(), zone)
	}
	return record
}

// compare compares, and writes what came of it.
func (r *Reconciler) compare(ctx context.Context, c *comparison, before match.Before, s *series) (*run, error) {
	result, err := match.Match(c.terms, before, c.entries, c.records)
	if err != nil {
		return nil, err
	}
	next := &run{Batch: uuid.New(), Open: map[string]int{}, Head: reconciliation.Run{
		RunRequest: c.order, MadeBy: request.CallerFrom(ctx).Key(), MadeAt: scalar.Instant(r.now()),
		Items: len(result.Items), Outcomes: map[string]int{}, Replaces: c.prior,
	}}
	for _, of := range s.Runs { // in their order
		if count := result.Elsewhere[of.ID]; count > 0 {
			next.Head.Elsewhere += count
			next.Head.ElsewhereIn = append(next.Head.ElsewhereIn, reconciliation.RunTaken{
				Run: of.ID, Statement: of.Statement, Items: count,
			})
		}
	}
	items := &block.Writer[keptItem]{List: r.ItemsOf(next.Batch, itemBlocks, folder.BlockLength)}
	pairs := &block.Writer[pair]{List: r.ItemsOf(next.Batch, pairBlocks, pairLength)}
	var decided []decision
	for _, each := range result.Items {
		item := c.digested(each, result.Records)
		c.inherits.carry(&item, &decided)
		next.Head.Outcomes[item.Outcome]++
		if match.Open(item.Outcome) {
			next.Open[month(item.RunItem)]++
		}
		if match.Paired(item.Outcome) && item.PairedIn == nil {
			if err := pairs.Add(ctx, pair{item.Row, item.LineID, item.Key, item.Number}); err != nil {
				return nil, err
			}
		}
		if err := items.Add(ctx, item); err != nil {
			return nil, err
		}
		c.work.Made(ctx)
	}
	next.Pairs, next.Head.Carried = pairs.Count, len(decided)
	if err := errors.Join(items.Flush(ctx), pairs.Flush(ctx)); err != nil {
		return nil, err
	}
	if err := r.Add(ctx, runList, next, func(id string) string {
		next.Head.ID = id
		return "run/" + id
	}); err != nil {
		return nil, err
	}
	return next, r.addDecisions(ctx, next.Head.ID, decided)
}

// month returns the month from which an item ages.
func month(item reconciliation.RunItem) string { return string(item.Since)[:len("2006-01")] }
