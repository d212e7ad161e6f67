package conformance

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// errFailed makes the command end with a failure status. The report has said what failed.
var errFailed = errors.New("the implementation does not conform")

// Command returns the command that tries an implementation and reports the result of each rule.
func Command(environ []string, out io.Writer) *cobra.Command {
	var o Options
	var token, format, file, matching string
	var list bool
	command := &cobra.Command{
		Use: "conformance BASE_URL", Short: "Try an implementation of the exchange against the interface, rule by rule",
		Example: `  exchange conformance http://127.0.0.1:8080 --token "$(exchange token)"
  exchange conformance http://127.0.0.1:8080 --admin-token "$(exchange token --scope std.admin)" \
    --developer-token "$(exchange token --scope std.developer)" --only access,syntax -o junit --out report.xml
  exchange conformance http://127.0.0.1:8080 --token "$(exchange token)" --only errors --matching 'POST /claim'
  exchange conformance --list --only errors`,
		Args: func(c *cobra.Command, args []string) error {
			if list {
				return cobra.NoArgs(c, args)
			}
			return cobra.ExactArgs(1)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if unknown := slices.IndexFunc(o.Only, func(area string) bool {
				return !slices.Contains(Areas(), area)
			}); unknown >= 0 {
				return fmt.Errorf("--only: there is no area %q; the areas are %s", o.Only[unknown],
					strings.Join(Areas(), ", "))
			}
			var err error
			if o.Matching, err = regexp.Compile(matching); err != nil {
				return fmt.Errorf("--matching: %w", err)
			}
			rules := o.chosen()
			switch {
			case len(rules) == 0:
				return errors.New("there is no such rule; --list lists the rules")
			case list:
				return printRules(out, rules)
			}
			write, known := Formats[format]
			if !known {
				return fmt.Errorf("--output: %q is none of %s", format,
					strings.Join(slices.Sorted(maps.Keys(Formats)), ", "))
			}
			if err := o.address(args[0], token); err != nil {
				return err
			}
			report := Run(c.Context(), o)
			if err := save(file, out, func(w io.Writer) error { return write(report, w) }); err != nil {
				return err
			}
			if report.Count("", Failed) > 0 {
				return fmt.Errorf("%w: %d rules failed", errFailed, report.Count("", Failed))
			}
			return c.Context().Err()
		},
	}
	flags := command.Flags()
	flags.StringVar(&token, "token", variable(environ, "EXCHANGE_TOKEN"),
		"token with both scopes (EXCHANGE_TOKEN); what one scope alone may not do is then not tried")
	flags.Lookup("token").DefValue = "" // the help must not show a secret
	flags.StringVar(&o.AdminToken, "admin-token", "", "token with the scope std.admin alone")
	flags.StringVar(&o.DeveloperToken, "developer-token", "", "token with the scope std.developer alone")
	flags.StringVarP(&format, "output", "o", "text", "form of the report: text, json or junit")
	flags.StringVar(&file, "out", "", "file that the report is written to, rather than the standard output")
	flags.StringSliceVar(&o.Only, "only", nil, "areas to try: "+strings.Join(Areas(), ", "))
	flags.StringVar(&matching, "matching", "", "regular expression that the names of the rules to try match")
	flags.BoolVar(&list, "list", false, "list the rules and try none")
	flags.BoolVar(&o.NoAggregation, "no-aggregation", false,
		"the implementation is configured not to aggregate receipts into the premium bordereau")
	flags.BoolVar(&o.AdminReads, "admin-reads", false, "the implementation is configured to let std.admin read")
	flags.IntVar(&o.Parallel, "parallel", defaultParallel, "rules to try at the same time")
	flags.DurationVar(&o.Patience, "patience", defaultPatience,
		"how long to wait for what comes with time, such as the aggregation of a receipt")
	flags.DurationVar(&o.Timeout, "timeout", defaultTimeout, "how long a request may take")
	return command
}

// address sets the URL of the implementation and the tokens.
func (o *Options) address(base, token string) error {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%q is no http or https URL", base)
	}
	o.Base = strings.TrimRight(base, "/")
	if o.AdminToken == "" {
		o.AdminToken = token
	}
	if o.DeveloperToken == "" {
		o.DeveloperToken = token
	}
	switch {
	case o.AdminToken == "" || o.DeveloperToken == "":
		return errors.New("a token is needed: --token or EXCHANGE_TOKEN, or --admin-token and --developer-token")
	case o.Parallel < 1:
		return errors.New("--parallel must be at least 1")
	}
	return nil
}

func printRules(out io.Writer, rules []Rule) error {
	to := &lines{to: out}
	for _, rule := range rules {
		to.print("%s: %s\n", rule.Area, rule.Name)
	}
	return to.err
}

// save writes to a file, or to out if file is empty.
func save(file string, out io.Writer, write func(io.Writer) error) error {
	if file == "" {
		return write(out)
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

func variable(environ []string, name string) string {
	for _, entry := range environ {
		if value, is := strings.CutPrefix(entry, name+"="); is {
			return value
		}
	}
	return ""
}
