package desk

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/desk/underway"
	"insurance.example/exchange/deploy/exchange/client"
)

func bordereau(around client.Surroundings) *cobra.Command {
	return group(&cobra.Command{
		Use: "bordereau", Short: "Report the periods of contracts: list, show, prepare, approve, export, diff",
		Long: `Report the periods of contracts to the other side. A version is prepared once its period is over,
approved by somebody else, and exported in the columns of the market. KIND is premium or claims, PERIOD a month
(2026-01) or quarter (2026-Q1).`,
	}, list(around), show(around), prepare(around), sign(around, "approve",
		"Approve a version that somebody else has prepared"), sign(around, "acknowledge",
		"Note that the other side has seen an approved version"), reject(around), export(around), diff(around))
}

// path returns the path of a period.
func path(args []string) string {
	return "/x/bordereau/" + url.PathEscape(args[0]) + "/" + url.PathEscape(args[1]) + "/" + url.PathEscape(args[2])
}

func list(around client.Surroundings) *cobra.Command {
	c := &cobra.Command{
		Use: "list", Short: "List the periods of contracts, with their states and versions",
		Example: `  exchange bordereau list --state overdue -o table
  exchange bordereau list --contract MOTOR-2026 --kind premium`,
	}
	query := url.Values{"limit": {"200"}}
	asked := map[string]*string{}
	for name, means := range map[string]string{
		"contract": "only the periods of this contract", "kind": "only bordereaux of this kind: premium or claims",
		"state": "only periods in this state, such as due or prepared; overdue are all that are late",
	} {
		asked[name] = c.Flags().String(name, "", means)
	}
	return command(around, c, func(o *office, ctx context.Context, _ []string) error {
		for name, value := range asked {
			if *value != "" {
				query.Set(name, *value)
			}
		}
		rows := [][]string{periodTitles}
		for more := true; more; {
			page, _, err := read[desk.BordereauWork](ctx, o, "/x/bordereau", query)
			if err != nil {
				return err
			}
			if o.form == asJSON {
				if err := eachLine(o, page.Periods); err != nil {
					return err
				}
			}
			for _, p := range page.Periods {
				rows = append(rows, row(p))
			}
			more = page.Next != ""
			query.Set("after", page.Next)
		}
		if o.form == asJSON {
			return nil
		}
		return o.table(rows)
	})
}

// periodTitles are the titles of what row returns.
var periodTitles = []string{"CONTRACT", "KIND", "PERIOD", "STATE", "DUE", "DAYS LATE", "VERSIONS", "LINES", "ERRORS"}

// row returns a period as a row of a table: the lines and open errors of its last version are shown.
func row(p desk.BordereauPeriod) []string {
	lines, open, late := "", "", ""
	if p.DaysLate > 0 {
		late = strconv.Itoa(p.DaysLate)
	}
	if n := len(p.Versions); n > 0 {
		lines, open = strconv.Itoa(p.Versions[n-1].Lines), strconv.Itoa(p.Versions[n-1].Unwaived)
	}
	return []string{p.Contract, p.Kind, p.Period, p.State, string(p.Due), late, strconv.Itoa(len(p.Versions)), lines,
		open}
}

func show(around client.Surroundings) *cobra.Command {
	return command(around, &cobra.Command{
		Use: "show CONTRACT KIND PERIOD", Short: "Show a period: its versions, and what it would have now",
		Example: `  exchange bordereau show MOTOR-2026 premium 2026-01`,
	}, func(o *office, ctx context.Context, args []string) error {
		of, body, err := read[desk.BordereauLive](ctx, o, path(args), nil)
		if err != nil || o.form == asJSON {
			return orPrint(o, body, err)
		}
		if err := o.table([][]string{periodTitles, row(of.BordereauPeriod)}); err != nil {
			return err
		}
		rows := [][]string{{"VERSION", "TYPE", "STATE", "LINES", "PREPARED BY", "DECIDED BY", "DIGEST"}}
		for _, v := range of.Versions {
			rows = append(rows, []string{strconv.Itoa(v.Number), v.Type, v.State, strconv.Itoa(v.Lines), v.PreparedBy,
				v.DecidedBy, v.Digest})
		}
		fmt.Fprintln(o.Out)
		return o.table(rows)
	})
}

func prepare(around client.Surroundings) *cobra.Command {
	c := &cobra.Command{
		Use: "prepare CONTRACT KIND PERIOD", Short: "Make a version of what is reported for a period that is over",
		Example: `  exchange bordereau prepare MOTOR-2026 premium 2026-01
  exchange bordereau prepare MOTOR-2026 claims 2026-01 --type nil`,
	}
	var asked desk.BordereauPrepare
	c.Flags().StringVar(&asked.Type, "type", desk.Original,
		"original, additional for what came later, correction in place of what is approved, or nil without lines")
	c.Flags().StringVar(&asked.Note, "note", "", "what its readers should know")
	return command(around, c, func(o *office, ctx context.Context, args []string) error {
		looked := "receipts"
		if args[1] == desk.Claims {
			looked = "claims"
		}
		what := far(ctx, o, "preparing the version", "/x/bordereau", url.Values{
			"contract": {args[0]}, "kind": {args[1]}, "from": {args[2]}, "limit": {"1"},
		}, func(page desk.BordereauWork) *underway.WorkUnderWay {
			if len(page.Periods) == 0 {
				return nil
			}
			return page.Periods[0].Preparing
		}, looked, "lines")
		return o.post(ctx, what, path(args)+":prepare", rand.Text(), asked)
	})
}

// version returns the path of the version that the arguments name, or without a number of the last one of the period.
// That is read from the work list, because a read of the period computes all of its lines.
func (o *office) version(ctx context.Context, args []string) (string, error) {
	if len(args) > 3 {
		return path(args) + "/versions/" + url.PathEscape(args[3]), nil
	}
	query := url.Values{"limit": {"200"}, "contract": {args[0]}, "kind": {args[1]}}
	for more := true; more; {
		page, _, err := read[desk.BordereauWork](ctx, o, "/x/bordereau", query)
		if err != nil {
			return "", err
		}
		for _, p := range page.Periods {
			if n := len(p.Versions); n > 0 && p.Period == args[2] {
				return path(args) + "/versions/" + strconv.Itoa(p.Versions[n-1].Number), nil
			}
		}
		more = page.Next != ""
		query.Set("after", page.Next)
	}
	return "", client.Misuse("the period has no version yet; prepare makes one")
}

// sign is a command that signs a version off by its digest.
func sign(around client.Surroundings, action, short string) *cobra.Command {
	c := &cobra.Command{
		Use: action + " CONTRACT KIND PERIOD [VERSION]", Short: short,
		Long: short + `: by default the last one of the period. The digest says which figures were looked at; show and
export name it.`,
		Example: "  exchange bordereau " + action + " MOTOR-2026 premium 2026-01 --digest $DIGEST",
	}
	digest := c.Flags().String("digest", "", "the digest of the version that was looked at")
	return command(around, c, func(o *office, ctx context.Context, args []string) error {
		if *digest == "" {
			return client.Misuse("--digest is wanted: that of the version you have looked at, which show prints")
		}
		version, err := o.version(ctx, args)
		if err != nil {
			return err
		}
		return o.post(ctx, always("signing it off"), version+":"+action, "", desk.BordereauDigest{Digest: *digest})
	})
}

func reject(around client.Surroundings) *cobra.Command {
	c := &cobra.Command{
		Use: "reject CONTRACT KIND PERIOD [VERSION]", Short: "Reject a pending version",
		Example: `  exchange bordereau reject MOTOR-2026 premium 2026-01 --reason 'a policy is missing'`,
	}
	reason := c.Flags().String("reason", "", "why it is rejected")
	return command(around, c, func(o *office, ctx context.Context, args []string) error {
		version, err := o.version(ctx, args)
		if err != nil {
			return err
		}
		return o.post(ctx, always("rejecting it"), version+":reject", "", desk.BordereauReason{Reason: *reason})
	})
}

// layout is the one layout of exports: Lloyd's Coverholder Reporting Standards 5.2.
const layout = "crs5.2"

func export(around client.Surroundings) *cobra.Command {
	c := &cobra.Command{
		Use:   "export CONTRACT KIND PERIOD [VERSION]",
		Short: "Write a version as CSV or a workbook, in the market's columns",
		Example: `  exchange bordereau export MOTOR-2026 premium 2026-01 --out january.xlsx
  exchange bordereau export MOTOR-2026 claims 2026-01 2 --layout crs5.2 > claims.csv`,
	}
	file := c.Flags().String("out", "-",
		"file to write, which ends with .csv or .xlsx; - is the standard output, as CSV")
	columns := c.Flags().String("layout", layout,
		"the columns: "+layout+" (Lloyd's Coverholder Reporting Standards 5.2)")
	return command(around, c, func(o *office, ctx context.Context, args []string) error {
		form := ".csv"
		if *file != "-" {
			form = filepath.Ext(*file)
		}
		switch {
		case form != ".csv" && form != ".xlsx":
			return client.Misuse("--out must end with .csv or .xlsx")
		case *columns != layout:
			return client.Misuse("there is no layout " + *columns + "; there is " + layout)
		}
		version, err := o.version(ctx, args)
		if err != nil {
			return err
		}
		of, _, err := read[desk.BordereauVersion](ctx, o, version, nil)
		if err != nil {
			return err
		}
		return o.write(*file, func(w io.Writer) error {
			to := &counted{Writer: w}
			asked := client.Request{Method: http.MethodGet, Path: version + "/lines" + form, Into: to}
			_, err := o.waiting(func() string {
				if form == ".xlsx" { // it comes packed, once it has all lines
					return fmt.Sprintf("exporting %d lines: %d KiB", of.Lines, to.bytes.Load()>>10)
				}
				lines := max(0, to.lines.Load()-1) // without the header
				return fmt.Sprintf("exporting: %d of %d lines", lines, of.Lines)
			}, func() ([]byte, error) { return o.exchange(ctx, asked) })
			return err
		})
	})
}

func diff(around client.Surroundings) *cobra.Command {
	c := &cobra.Command{
		Use: "diff CONTRACT KIND PERIOD VERSION", Short: "Compare a version, cell by cell, with another or with now",
		Example: `  exchange bordereau diff MOTOR-2026 premium 2026-01 1 --to 2
  exchange bordereau diff MOTOR-2026 premium 2026-01 1 --to live -o table`,
	}
	to := c.Flags().String("to", "live", "the number of the other version, or live for what it would be now")
	return command(around, c, func(o *office, ctx context.Context, args []string) error {
		of, body, err := read[desk.BordereauDifferences](ctx, o,
			path(args)+"/versions/"+url.PathEscape(args[3])+"/diff", url.Values{"to": {*to}})
		if err != nil || o.form == asJSON {
			return orPrint(o, body, err)
		}
		rows := [][]string{{"POLICY", "LINE", "MEMBER", "FROM", "TO"}}
		for _, d := range of.Differences {
			rows = append(rows, []string{d.PolicyNumber, d.LineID, d.Member, d.From, d.To})
		}
		if err := o.table(rows); err != nil {
			return err
		}
		if of.More {
			fmt.Fprintf(o.Err, "These are the first %d.\n", len(of.Differences))
		}
		return nil
	})
}
