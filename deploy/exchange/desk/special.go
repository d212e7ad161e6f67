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
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/deploy/exchange/client"
)

// special asks the exchange for what a command does. It returns a response, which is shown as it is declared, or nil.
type special func(c *call, ctx context.Context) ([]byte, error)

// specials are the commands that do more than they declare. Each may add flags to the command.
var specials = map[string]func(*cobra.Command) special{
	"prepare": prepare, "export": export, "compare": compare, "clock": clock, "rebuild": rebuild,
}

// prepare shows how far a preparation has come.
func prepare(*cobra.Command) special {
	return func(c *call, ctx context.Context) ([]byte, error) {
		path, err := c.path(ctx, c.Post)
		if err != nil {
			return nil, err
		}
		looked := "receipts"
		if c.named["KIND"] == desk.Claims {
			looked = "claims"
		}
		far := c.far(ctx, c.Says, "/x/bordereau", url.Values{
			"contract": {c.named["CONTRACT"]}, "kind": {c.named["KIND"]}, "from": {c.named["PERIOD"]}, "limit": {"1"},
		}, "periods.last.preparing", looked, "lines")
		body, err := json.Marshal(c.flags)
		if err != nil {
			return nil, err
		}
		asked := client.Request{Method: http.MethodPost, Path: path, Body: body, Key: rand.Text()}
		return c.waiting(far, func() ([]byte, error) { return c.exchange(ctx, asked) })
	}
}

// layout is the one layout of exports: Lloyd's Coverholder Reporting Standards 5.2.
const layout = "crs5.2"

// export writes a version to a file.
func export(*cobra.Command) special {
	return func(c *call, ctx context.Context) ([]byte, error) {
		form, file, columns := ".csv", *c.flags["out"], *c.flags["layout"]
		if file != "-" {
			form = filepath.Ext(file)
		}
		switch {
		case form != ".csv" && form != ".xlsx":
			return nil, client.Misuse("--out must end with .csv or .xlsx")
		case columns != layout:
			return nil, client.Misuse("there is no layout " + columns + "; there is " + layout)
		}
		version, err := c.path(ctx, "{version}")
		if err != nil {
			return nil, err
		}
		of, err := c.read(ctx, version, nil)
		if err != nil {
			return nil, err
		}
		lines := at(of, "lines")
		err = c.WriteFile(file, func(w io.Writer) error {
			to := &counted{Writer: w}
			asked := client.Request{Method: http.MethodGet, Path: version + "/lines" + form, Into: to}
			_, err := c.waiting(func() string {
				if form == ".xlsx" { // it comes packed, once it has all lines
					return fmt.Sprintf("exporting %s lines: %d KiB", lines, to.bytes.Load()>>10)
				}
				done := max(0, to.lines.Load()-1) // without the header
				return fmt.Sprintf("exporting: %d of %s lines", done, lines)
			}, func() ([]byte, error) { return c.exchange(ctx, asked) })
			return err
		})
		if err == nil && file != "-" {
			fmt.Fprintf(c.Err, "%s: %s lines of version %s of %s %s %s.\n", file, lines, at(of, "number"),
				at(of, "contract"), at(of, "kind"), at(of, "period"))
		}
		return nil, err
	}
}

// media are the media types of files, by the ends of their names.
var media = map[string]string{
	".csv": "text/csv", ".tsv": "text/csv", ".txt": "text/csv",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// compare sends a file, and shows how far its comparison has come.
func compare(c *cobra.Command) special {
	var asked reconciliation.RunRequest
	c.Flags().StringVar((*string)(&asked.Tolerance), "tolerance", "",
		`up to which difference amounts are within tolerance, such as 0.05 (default "0")`)
	c.Flags().IntVar(&asked.WindowDays, "window", 0, "how many days the dates of a row and a record may differ by")
	c.Flags().IntSliceVar(&asked.Against.Versions, "versions", nil,
		"compare with these versions of the period in place of what stands approved")
	c.Flags().BoolVar(&asked.Against.Receipts, "receipts", false,
		"compare with the receipts as they are now, whatever is approved")
	c.Flags().BoolVar(&asked.Carry, "carry", false,
		"keep what was decided about items of the comparison before that are unchanged")
	replaces := c.Flags().String("replaces", "", "id of the statement of the same profile that the file corrects")
	return func(c *call, ctx context.Context) ([]byte, error) {
		const statements = "/x/reconciliation/statement"
		file := c.named["FILE"]
		kind, known := media[strings.ToLower(filepath.Ext(file))]
		if !known {
			return nil, client.Misuse(file + " must end with .csv, .tsv, .txt or .xlsx")
		}
		query := url.Values{"profile": {*c.flags["profile"]}}
		if *replaces != "" {
			query.Set("replaces", *replaces)
		}
		body, err := c.waiting(always("sending "+file), func() ([]byte, error) {
			return c.exchange(ctx, client.Request{
				Method: http.MethodPost, Path: statements, Query: query,
				File: file, Media: kind, Repeatable: true,
			})
		})
		var sent reconciliation.Statement
		if err == nil {
			err = json.Unmarshal(body, &sent)
		}
		if err != nil {
			return nil, err
		}
		asked.Statement = sent.ID
		to := &asked.Against
		to.Contract, to.Kind, to.Period = c.named["CONTRACT"], c.named["KIND"], c.named["PERIOD"]
		if body, err = json.Marshal(asked); err != nil {
			return nil, err
		}
		far := c.far(ctx, fmt.Sprintf("comparing %d rows", sent.Rows), statements+"/"+url.PathEscape(sent.ID), nil,
			"comparing", "rows and lines", "items")
		run := client.Request{Method: http.MethodPost, Path: "/x/reconciliation/run", Body: body, Key: rand.Text()}
		return c.waiting(far, func() ([]byte, error) { return c.exchange(ctx, run) })
	}
}

// clock moves the clock if there is an argument.
func clock(*cobra.Command) special {
	return func(c *call, ctx context.Context) ([]byte, error) {
		given, moves := c.named["INSTANT"]
		if !moves {
			return c.ask(ctx)
		}
		to, err := time.Parse(time.RFC3339, given)
		if err != nil {
			to, err = time.Parse(time.DateOnly, given)
		}
		if err != nil {
			return nil, client.Misuse("INSTANT is a day such as 2026-02-01, or an instant such as 2026-02-01T09:00:00Z")
		}
		body, err := json.Marshal(beyond.ClockMove{To: scalar.Instant(to)})
		if err != nil {
			return nil, err
		}
		return c.exchange(ctx, client.Request{Method: http.MethodPost, Path: "/x/clock:advance", Body: body})
	}
}

// rebuild asks until what it has asked for is done.
func rebuild(*cobra.Command) special {
	return func(c *call, ctx context.Context) ([]byte, error) {
		var read atomic.Value
		read.Store("0")
		return c.waiting(func() string { return fmt.Sprintf("%s: %v entries of logs read", c.Says, read.Load()) },
			func() ([]byte, error) {
				for method := http.MethodPost; ; method = http.MethodGet {
					body, err := c.exchange(ctx, client.Request{Method: method, Path: c.Post})
					if err != nil {
						return nil, err
					}
					is, err := decoded(body)
					if err != nil || at(is, "finished") != "" {
						return body, err
					}
					read.Store(at(is, "read"))
					select {
					case <-ctx.Done():
						return nil, ctx.Err()
					case <-time.After(time.Second):
					}
				}
			})
	}
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
