package desk

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"insurance.example/exchange/contracts/desk/underway"
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/deploy/exchange/client"
)

const (
	profilesPath   = "/x/reconciliation/profile/"
	statementsPath = "/x/reconciliation/statement"
	runsPath       = "/x/reconciliation/run"
)

// media are the media types of files, by the ends of their names.
var media = map[string]string{
	".csv": "text/csv", ".tsv": "text/csv", ".txt": "text/csv",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

func reconcile(around client.Surroundings) *cobra.Command {
	return group(&cobra.Command{
		Use: "reconcile", Short: "Compare a file of somebody else with what is reported, row by row",
		Long: `Compare a file of somebody else (CSV or XLSX, up to 64 MiB) with what is reported for a period of a
contract, row by row. A profile says how the files of a sender are read; nothing is guessed, and a cell that can be read
in two ways is quarantined. Each row and each record becomes one item, with one of these outcomes:
  matched          both sides say the same
  withinTolerance  the amounts differ by no more than --tolerance
  mismatch         the row and the record belong together, and the cells that are named differ
  missingHere      no record belongs to the row
  missingThere     no row belongs to the record
  duplicate        the row is there twice, or another file has the record already
  ambiguous        several records, or several rows, could be meant
  quarantined      a cell cannot be read by the profile
An item is accepted, disputed or, if a pair is wrong, parted. The same file twice is one statement.`,
	}, profile(around), compare(around), showRun(around), items(around),
		decide(around, "accept", "Accept an item that differs", "'agreed by telephone'"),
		decide(around, "dispute", "Dispute an item", "'not our policy'"),
		decide(around, "unmatch", "Part a pair: no run pairs its row and its record with each other again",
			"'another risk'"))
}

func profile(around client.Surroundings) *cobra.Command {
	return command(around, &cobra.Command{
		Use: "profile NAME [FILE]", Short: "Show how the files of a sender are read, or declare it from a JSON file",
		Example: `  exchange reconcile profile BROKER broker.json
  exchange reconcile profile BROKER - < broker.json
  exchange reconcile profile BROKER`,
	}, func(o *office, ctx context.Context, args []string) error {
		asked := client.Request{Method: http.MethodGet, Path: profilesPath + url.PathEscape(args[0])}
		if len(args) > 1 {
			text, err := o.text(args[1])
			if err != nil {
				return client.Misuse(fmt.Sprintf("the profile: %v", err))
			}
			asked.Method, asked.Body = http.MethodPut, text
		}
		body, err := o.exchange(ctx, asked)
		return orPrint(o, body, err)
	})
}

// largestProfile is the largest size of the file of a profile, in bytes. The exchange accepts less.
const largestProfile = 4 << 20

// text returns the text of a small file; - is the standard input.
func (o *office) text(name string) ([]byte, error) {
	from := o.In
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		from = file
	}
	text, err := io.ReadAll(io.LimitReader(from, largestProfile+1))
	if err == nil && len(text) > largestProfile {
		err = fmt.Errorf("%s has more than %d MiB", name, largestProfile>>20)
	}
	return text, err
}

func compare(around client.Surroundings) *cobra.Command {
	c := &cobra.Command{
		Use: "compare FILE CONTRACT KIND PERIOD", Short: "Send a file, and compare it with a period of a contract",
		Long: `Send a file, and compare it with what stands approved for a period of a contract. KIND is premium or
claims, as the columns of the file say. A large file may take longer than the --timeout of 30s; after it the same
comparison is asked for again, and is made once.`,
		Example: `  exchange reconcile compare january.csv MOTOR-2026 premium 2026-01 --profile BROKER
  exchange reconcile compare january.xlsx MOTOR-2026 premium 2026-01 --profile BROKER --tolerance 0.05 --window 3
  exchange reconcile compare january.csv MOTOR-2026 premium 2026-01 --profile BROKER --receipts`,
	}
	var asked reconciliation.RunRequest
	by := c.Flags().String("profile", "", "name of the profile by which the file is read")
	c.Flags().StringVar((*string)(&asked.Tolerance), "tolerance", "",
		`up to which difference amounts are within tolerance, such as 0.05 (default "0")`)
	c.Flags().IntVar(&asked.WindowDays, "window", 0, "how many days the dates of a row and a record may differ by")
	c.Flags().IntSliceVar(&asked.Against.Versions, "versions", nil,
		"compare with these versions of the period in place of what stands approved")
	c.Flags().BoolVar(&asked.Against.Receipts, "receipts", false,
		"compare with the receipts as they are now, whatever is approved")
	return command(around, c, func(o *office, ctx context.Context, args []string) error {
		kind, known := media[strings.ToLower(filepath.Ext(args[0]))]
		switch {
		case *by == "":
			return client.Misuse("--profile is wanted: how the file is read; exchange reconcile profile declares one")
		case !known:
			return client.Misuse(fmt.Sprintf("%s must end with .csv, .tsv, .txt or .xlsx", args[0]))
		}
		var sent reconciliation.Statement
		body, err := o.waiting(always("sending "+args[0]), func() ([]byte, error) {
			return o.exchange(ctx, client.Request{
				Method: http.MethodPost, Path: statementsPath, Query: url.Values{"profile": {*by}}, File: args[0],
				Media: kind, Repeatable: true,
			})
		})
		if err == nil {
			err = json.Unmarshal(body, &sent)
		}
		if err != nil {
			return err
		}
		asked.Statement = sent.ID
		asked.Against.Contract, asked.Against.Kind, asked.Against.Period = args[1], args[2], args[3]
		if body, err = json.Marshal(asked); err != nil {
			return err
		}
		what := far(ctx, o, fmt.Sprintf("comparing %d rows", sent.Rows), statementsPath+"/"+url.PathEscape(sent.ID),
			nil, func(s reconciliation.Statement) *underway.WorkUnderWay { return s.Comparing }, "rows and lines",
			"items")
		body, err = o.waiting(what, func() ([]byte, error) {
			return o.exchange(ctx, client.Request{
				Method: http.MethodPost, Path: runsPath, Body: body, Key: rand.Text(),
			})
		})
		return o.printRun(body, err)
	})
}

func showRun(around client.Surroundings) *cobra.Command {
	return command(around, &cobra.Command{
		Use: "show RUN", Short: "Show a comparison: its outcomes, what was decided, and how old what is open is",
		Example: `  exchange reconcile show $RUN -o table`,
	}, func(o *office, ctx context.Context, args []string) error {
		body, err := o.exchange(ctx, client.Request{Method: http.MethodGet, Path: runPath(args[0])})
		return o.printRun(body, err)
	})
}

func runPath(run string) string { return runsPath + "/" + url.PathEscape(run) }

// printRun prints a run: as a table of its outcomes, with what is open of each month.
func (o *office) printRun(body []byte, err error) error {
	if err != nil || o.form != asTable {
		return orPrint(o, body, err)
	}
	var run reconciliation.Run
	if err := json.Unmarshal(body, &run); err != nil {
		return err
	}
	rows := [][]string{{"OUTCOME", "ITEMS"}}
	for _, outcome := range reconciliation.Outcomes {
		rows = append(rows, []string{outcome, strconv.Itoa(run.Outcomes[outcome])})
	}
	if err := o.table(rows); err != nil {
		return err
	}
	rows = [][]string{{"MONTH", "OPEN"}}
	for _, age := range run.Ageing {
		rows = append(rows, []string{age.Month, strconv.Itoa(age.Items)})
	}
	if len(rows) > 1 {
		fmt.Fprintln(o.Out)
		if err := o.table(rows); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(o.Out, "\nRun %s of %s %s %s. Its items: exchange reconcile items %[1]s\n", run.ID,
		run.Against.Contract, run.Against.Kind, run.Against.Period)
	return err
}

func items(around client.Surroundings) *cobra.Command {
	c := &cobra.Command{
		Use: "items RUN", Short: "List the items of a comparison, by outcome and then by row",
		Example: `  exchange reconcile items $RUN -o table
  exchange reconcile items $RUN --outcome mismatch`,
	}
	outcome := c.Flags().String("outcome", "",
		"only items with this outcome: "+strings.Join(reconciliation.Outcomes, ", "))
	return command(around, c, func(o *office, ctx context.Context, args []string) error {
		query := url.Values{"limit": {"200"}}
		if *outcome != "" {
			query.Set("outcome", *outcome)
		}
		rows := [][]string{{"ITEM", "OUTCOME", "ROW", "POLICY", "SINCE", "DAYS", "DECISION", "CELLS", "LINE"}}
		for skip, more := 0, true; more; {
			query.Set("skip", strconv.Itoa(skip))
			page, _, err := read[reconciliation.RunItems](ctx, o, runPath(args[0])+"/items", query)
			if err != nil {
				return err
			}
			// There may be half a million items, so that each page is printed as it comes.
			if o.form != asTable {
				err = each(o, page.Items)
			} else {
				for _, item := range page.Items {
					rows = append(rows, itemRow(item))
				}
				err = o.table(rows)
			}
			if err != nil {
				return err
			}
			skip, more, rows = page.Next, page.Next > 0, nil
		}
		return nil
	})
}

// itemRow returns an item as a row of a table.
func itemRow(item reconciliation.RunItem) []string {
	var cells []string
	for _, c := range item.Cells {
		words := fmt.Sprintf("%s %s: theirs %s, ours %s", c.Cell, c.Means, c.Theirs, c.Ours)
		if c.Reason != "" {
			words = fmt.Sprintf("%s %s %q: %s", c.Cell, c.Means, c.Theirs, c.Reason)
		}
		cells = append(cells, words)
	}
	line, row := item.LineID, ""
	if line == "" {
		line = strings.Join(item.Candidates, " or ")
	}
	if item.Row > 0 {
		row = strconv.Itoa(item.Row)
	}
	return []string{
		strconv.Itoa(item.Number), item.Outcome, row, item.PolicyNumber, string(item.Since), strconv.Itoa(item.Days),
		strings.TrimSpace(item.Decision + " " + item.Reason), strings.Join(cells, "; "), line,
	}
}

// decide is a command by which somebody decides about an item.
func decide(around client.Surroundings, action, short, why string) *cobra.Command {
	c := &cobra.Command{
		Use: action + " RUN ITEM", Short: short,
		Example: "  exchange reconcile " + action + " $RUN 3 --reason " + why,
	}
	reason := c.Flags().String("reason", "", "why, in 1 to 2,000 characters")
	return command(around, c, func(o *office, ctx context.Context, args []string) error {
		if *reason == "" {
			return client.Misuse("--reason is wanted: who reads the item later asks why")
		}
		return o.post(ctx, always("writing it down"), runPath(args[0])+"/items/"+url.PathEscape(args[1])+":"+action, "",
			reconciliation.DecisionReason{Reason: *reason})
	})
}
