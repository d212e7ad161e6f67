package client

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
)

// The forms of output.
const (
	asJSON   = "json"
	asPretty = "pretty"
	asRaw    = "raw"
)

func (p *program) registerForm(command *cobra.Command) *string {
	form := asJSON
	if terminal(p.Out) {
		form = asPretty
	}
	command.Flags().StringVarP(&form, "output", "o", form,
		"form of the output: json (a record on each line), pretty (for the eye), raw (as it came)")
	complete(command, "output", asJSON, asPretty, asRaw)
	return &form
}

func validForm(form string) error { return oneOf("output", form, asJSON, asPretty, asRaw) }

// print writes an answer's records. Digits stay as they came.
func (p *program) print(form string, a answer, records ...jsontext.Value) error {
	if form == asRaw {
		_, err := p.Out.Write(a.body)
		return err
	}
	for _, record := range records {
		if err := printRecord(p.Out, form, record); err != nil {
			return err
		}
	}
	return nil
}

func printRecord(w io.Writer, form string, record jsontext.Value) error {
	record = record.Clone()
	var err error
	if form == asPretty {
		err = record.Indent(jsontext.WithIndent("  "))
	} else {
		err = record.Compact()
	}
	if err != nil {
		return fmt.Errorf("what the exchange answered is no JSON: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s\n", record)
	return err
}
