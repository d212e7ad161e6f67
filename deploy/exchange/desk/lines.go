package desk

import (
	"context"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/desk/findings"
	"insurance.example/exchange/deploy/exchange/client"
)

// live stands in the place of a version for what it would be now.
const live = "live"

// skipping returns the query of the first page of a list whose pages are numbered by what comes before them, and what
// has it ask for the next page, and reports whether there is one.
func skipping() (query url.Values, to func(next int) bool) {
	query = url.Values{"limit": {"200"}}
	return query, func(next int) bool {
		query.Set("skip", strconv.Itoa(next))
		return next > 0
	}
}

func lines(around client.Surroundings) *cobra.Command {
	return command(around, &cobra.Command{
		Use: "lines CONTRACT KIND PERIOD [VERSION]", Short: "List the lines of a version: its receipts, or its claims",
		Long: "List the lines of a version, by default the last one of the period; live for those that it would have " +
			"now.",
		Example: `  exchange bordereau lines MOTOR-2026 premium 2026-01 -o table
  exchange bordereau lines MOTOR-2026 claims 2026-01 live`,
	}, func(o *office, ctx context.Context, args []string) error {
		of := path(args)
		if len(args) < 4 || args[3] != live {
			var err error
			if of, err = o.version(ctx, args); err != nil {
				return err
			}
		}
		query, to := skipping()
		read := func() (desk.BordereauLines, bool, error) {
			page, _, err := read[desk.BordereauLines](ctx, o, of+"/lines", query)
			return page, to(page.Next), err
		}
		if args[1] == desk.Claims {
			return pages(o, claimHeader, func() ([]desk.ClaimLine, bool, error) {
				page, more, err := read()
				return page.Claims, more, err
			}, claimRow)
		}
		return pages(o, lineHeader, func() ([]desk.BordereauLine, bool, error) {
			page, more, err := read()
			return page.Lines, more, err
		}, lineRow)
	})
}

var (
	lineHeader = []string{
		"POLICY", "TYPE", "DATE", "CUR", "GROSS", "COMMISSION", "NET", "SETTLED", "INSURED", "LATE", "LINE",
	}

	claimHeader = []string{"CLAIM", "POLICY", "STATUS", "CUR", "PAID", "OUTSTANDING", "INCURRED", "LATE", "LINE"}
)

// lineRow returns a line of a premium bordereau as a row of a table. What identifies it to people comes first.
func lineRow(l desk.BordereauLine) []string {
	return []string{
		l.PolicyNumber, l.ReceiptType, string(l.EffectiveDate), l.Currency, string(l.Gross), string(l.Commission),
		string(l.Net), string(l.Settled), l.Insured, lateOf(l.Late), l.LineID,
	}
}

func claimRow(l desk.ClaimLine) []string {
	return []string{
		l.ClaimNumber, l.PolicyNumber, l.ClaimStatus, l.Currency, string(l.Indemnity.Paid),
		string(l.Indemnity.Outstanding), string(l.Indemnity.Incurred), lateOf(l.Late), l.LineID,
	}
}

// lateOf returns the period in which a late line was recorded.
func lateOf(late *desk.BordereauLate) string {
	if late == nil {
		return ""
	}
	return late.RecordedPeriod
}

func found(around client.Surroundings) *cobra.Command {
	return command(around, &cobra.Command{
		Use:   "findings CONTRACT KIND PERIOD [VERSION]",
		Short: "List what somebody should look at before a version is approved",
		Long: `List what was found about a version, by default the last one of the period. An error is mended in the
records and prepared again, or waived by its id with a reason.`,
		Example: `  exchange bordereau findings MOTOR-2026 premium 2026-01 -o table`,
	}, func(o *office, ctx context.Context, args []string) error {
		version, err := o.version(ctx, args)
		if err != nil {
			return err
		}
		query, to := skipping()
		return pages(o, []string{"FINDING", "SEVERITY", "POLICY", "WORDS", "WAIVED BY", "REASON"},
			func() ([]findings.BordereauFinding, bool, error) {
				page, _, err := read[findings.BordereauFindings](ctx, o, version+"/findings", query)
				return page.Findings, to(page.Next), err
			}, func(f findings.BordereauFinding) []string {
				return []string{f.ID, f.Severity, f.PolicyNumber, f.Words, f.WaivedBy, f.Waiver}
			})
	})
}

func waive(around client.Surroundings) *cobra.Command {
	c := &cobra.Command{
		Use:     "waive CONTRACT KIND PERIOD FINDING [VERSION]",
		Short:   "Waive an error of a pending version, with a reason",
		Example: `  exchange bordereau waive MOTOR-2026 premium 2026-01 missing-insured-1 --reason 'on paper only'`,
	}
	reason := c.Flags().String("reason", "", "why it is waived")
	return command(around, c, func(o *office, ctx context.Context, args []string) error {
		if *reason == "" {
			return client.Misuse("--reason is wanted: who approves the version asks why")
		}
		version, err := o.version(ctx, append(args[:3:3], args[4:]...))
		if err != nil {
			return err
		}
		return o.post(ctx, always("waiving it"), version+"/findings/"+url.PathEscape(args[3])+":waive", "",
			desk.BordereauReason{Reason: *reason})
	})
}
