package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/intake"
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/deploy/exchange/client/table"
	"insurance.example/exchange/deploy/exchange/progress"
)

const importsPath = "/x/import"

// tableImport is the import of a table under way. The exchange reads, checks and makes; the command sends the file, has
// it go on, and says what comes of it.
type tableImport struct {
	importing
	caller *caller
	file   *tableFile
	// own is the profile of the caller's by which the file is read; nil without one.
	own      *reconciliation.FileProfileTerms
	head     intake.Import
	progress *progress.Progress
	applying bool
	out      io.Writer
	// first is the first row of the file that is no header, and refused are those that are refused.
	first   int
	refused map[int]refusedRow
}

func (p *program) importTable(ctx context.Context, c *caller, i importing) (err error) {
	file, end, err := atHand(p.In, i.file)
	if err != nil {
		return err
	}
	defer func() { err = joined(err, end()) }()
	t := &tableImport{importing: i, caller: c, file: file, out: p.Out, refused: map[int]refusedRow{}}
	if err := t.settleProfile(ctx); err != nil {
		return err
	}
	if t.own == nil {
		if err := file.look(&i, t.names); err != nil {
			return t.named(err)
		}
	}
	if err := t.send(ctx); err != nil {
		return t.named(err)
	}
	t.progress = progress.New(p.Err, int64(t.head.Rows)*2)
	err = t.advance(ctx)
	t.progress.End()
	if err == nil {
		err = t.outcomes(ctx)
	}
	switch {
	case err != nil && t.applying:
		return &hinted{
			err, fmt.Sprintf("%s. The same command goes on from here: what was created is not created again.", t),
		}
	case err != nil:
		return err
	case len(t.refused) == 0:
		err = removeStale(t.rejected)
	default:
		err = t.reject(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.rejected, err)
	}
	return p.concludeTable(t)
}

// joined returns an error with another one, if there is any.
func joined(err, other error) error {
	if other == nil {
		return err
	}
	return errors.Join(err, other)
}

func (t *tableImport) named(err error) error { return fmt.Errorf("%s: %w", t.importing.file, err) }

// names reports whether a column is a member of the resource.
func (t *tableImport) names(column string) bool { return t.resource.Names(t.resource.Headed(column)) }

// settleProfile reads the profile that is named, if it is one of the caller's own: it says how the file is written.
func (t *tableImport) settleProfile(ctx context.Context) error {
	if t.profile == "" {
		return nil
	}
	got, err := t.caller.send(ctx, Request{
		Method: http.MethodGet, Path: "/x/reconciliation/profile/" + url.PathEscape(t.profile),
	})
	if refused, is := errors.AsType[*refusal](err); is && refused.status == http.StatusNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	t.own = new(reconciliation.FileProfileTerms)
	if err := json.Unmarshal(got.body, t.own); err != nil {
		return t.caller.failed(err)
	}
	t.format = t.own.Format
	return t.file.ofProfile(t.own)
}

// query returns the parameters that say how the file is read.
func (t *tableImport) query(encoding string) url.Values {
	query := url.Values{"resource": {t.resource.Name}, "attempt": {rand.Text()}}
	set := func(name, value string) {
		if value != "" {
			query.Set(name, value)
		}
	}
	set("profile", t.profile)
	set("batch", t.batch)
	if t.extensions {
		set("extensions", "true")
	}
	if t.own != nil {
		return query
	}
	set("dateOrder", t.dateOrder)
	set("sheet", t.sheet)
	set("hiddenRows", t.hiddenRows)
	if t.file.headerRow != 1 {
		set("headerRow", strconv.Itoa(t.file.headerRow))
	}
	marks := map[string][2]string{"comma": {",", "."}, "point": {".", ","}}[t.decimal]
	set("decimalMark", marks[0])
	set("groupingMark", marks[1])
	if t.format == asCSV {
		set("delimiter", map[rune]string{',': "comma", ';': "semicolon", '\t': "tab"}[t.file.layout.Delimiter])
		set("encoding", encoding)
	}
	return query
}

// send sends the file, and refuses it if it has columns that nothing names.
func (t *tableImport) send(ctx context.Context) (err error) {
	path, encoding, end, err := t.file.toSend()
	if err != nil {
		return err
	}
	defer func() { err = joined(err, end()) }()
	media := "text/csv"
	if t.format == asXLSX {
		media = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	}
	if err := t.ask(ctx, Request{
		Method: http.MethodPost, Path: importsPath, Query: t.query(encoding), File: path, Media: media,
		Repeatable: true,
	}); err != nil {
		return t.advised(err)
	}
	if err := t.unread(); err != nil {
		return joined(err, t.step(ctx, "cancel", nil))
	}
	return nil
}

// advised adds to a refusal of the file what to do.
func (t *tableImport) advised(err error) error {
	refused, is := errors.AsType[*refusal](err)
	switch {
	case is && refused.status == http.StatusNotFound && t.profile == "":
		return &hinted{err, "The exchange does not read tables: it is of an older release, or without a desk. Update " +
			"it, or send the records as NDJSON."}
	case !is || refused.status != http.StatusBadRequest || t.own != nil:
		return err
	case t.format == asXLSX:
		return &hinted{err, "--sheet says which sheet is read, --header-row which row names the columns, and " +
			"--hidden-rows what is done with rows that are not shown." + t.file.sheetsWords()}
	}
	words := "--header-row says which row names the columns, --delimiter what is between them, and --encoding in " +
		"which encoding the file is."
	if strings.HasPrefix(t.file.header[0], "sep=") {
		words = "The first row says to a spreadsheet what the delimiter is: say --header-row 2"
	}
	return &hinted{err, words}
}

// unread returns an error if there are columns that the exchange does not read, and that do not hold what it issues.
func (t *tableImport) unread() error {
	if t.profile != "" {
		return nil
	}
	read := map[int]bool{}
	for _, column := range t.head.Columns {
		read[columnNumber(column.Column)] = true
	}
	var unknown []string
	for n, name := range t.file.header {
		if name == "" || name == reasonName || read[n+1] || t.names(name) {
			continue
		}
		unknown = append(unknown, fmt.Sprintf("column %d, %q%s", n+1, name,
			didYouMean(name, table.Of(t.resource).Names())))
	}
	if len(unknown) == 0 {
		return nil
	}
	return usage("the interface does not name %s; mend the header, or keep such columns as members of your own with "+
		"--extensions", strings.Join(unknown, ", "))
}

// ask sends a request about the import, and notes how far it has come.
func (t *tableImport) ask(ctx context.Context, r Request) error {
	got, err := t.caller.send(ctx, r)
	if err != nil {
		return err
	}
	t.head = intake.Import{}
	if err := json.Unmarshal(got.body, &t.head); err != nil {
		return t.caller.failed(err)
	}
	return nil
}

// step has the import go on.
func (t *tableImport) step(ctx context.Context, action string, body []byte) error {
	return t.ask(ctx, Request{
		Method: http.MethodPost, Path: importsPath + "/" + t.head.ID + ":" + action, Body: body, Repeatable: true,
	})
}

// advance checks the rows, and makes their records unless that is a dry run.
func (t *tableImport) advance(ctx context.Context) error {
	for t.head.State == intake.Checking {
		if err := t.step(ctx, "check", nil); err != nil {
			return err
		}
		t.progress.At(int64(t.head.Checked), fmt.Sprintf("%d of %d rows checked", t.head.Checked, t.head.Rows))
	}
	if t.dryRun {
		outcomes := t.head.Outcomes
		err := t.step(ctx, "cancel", nil) // so that nobody makes what was only tried
		t.head.Outcomes = outcomes
		return err
	}
	body, err := json.Marshal(intake.ImportApply{Digest: t.head.Digest})
	if err != nil {
		return err
	}
	for t.applying = true; t.head.State != intake.Applied; {
		if t.head.State == intake.Cancelled {
			return errors.New("somebody has cancelled the import")
		}
		if err := t.step(ctx, "apply", body); err != nil {
			return err
		}
		t.progress.At(int64(t.head.Rows+t.head.Done), t.String())
	}
	return nil
}

// String returns in words what has been done.
func (t *tableImport) String() string {
	what, of := "records", t.head.Outcomes
	if t.profile != "" {
		what = "rows"
	}
	bad := of[intake.Refused] + of[intake.Partial]
	if t.dryRun {
		return fmt.Sprintf("%d %s: %d fit, %d do not", t.head.Rows, what, t.head.Rows-bad, bad)
	}
	return fmt.Sprintf("%d %s: %d created, %d already there, %d refused", bad+of[intake.Made]+of[intake.There], what,
		of[intake.Made], of[intake.There], bad)
}

// outcomes prints what became of the rows, in their order, and notes which are refused.
func (t *tableImport) outcomes(ctx context.Context) error {
	for after := 0; ; {
		got, err := t.caller.send(ctx, Request{
			Method: http.MethodGet, Path: importsPath + "/" + t.head.ID + "/rows",
			Query: url.Values{"limit": {strconv.Itoa(largestPage)}, "after": {strconv.Itoa(after)}},
		})
		if err != nil {
			return err
		}
		var page intake.ImportRows
		if err := json.Unmarshal(got.body, &page); err != nil {
			return t.caller.failed(err)
		}
		for _, row := range page.Rows {
			if t.first == 0 {
				t.first = row.Row
			}
			if err := t.outcome(row); err != nil {
				return err
			}
		}
		if after = page.Next; after == 0 {
			return nil
		}
	}
}

func (t *tableImport) outcome(row intake.ImportRow) error {
	switch row.Outcome {
	case intake.Refused, intake.Partial:
		t.refused[row.Row] = refusedRow{row.Wrong, row.Records}
	case intake.Made, intake.There:
		if t.dryRun {
			return nil
		}
		return t.print(row)
	}
	return nil
}
