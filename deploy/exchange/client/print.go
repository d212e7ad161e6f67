package client

import (
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"insurance.example/exchange/pkg/resource"
)

// The forms of output of the commands that print records.
const (
	asJSON   = "json"
	asTable  = "table"
	asPretty = "pretty"
	asRaw    = "raw"
)

var forms = []string{asJSON, asTable, asPretty, asRaw}

// Form declares the flag -o of a command. Its default is onTerminal on a terminal, and JSON elsewhere.
func (s *Surroundings) Form(command *cobra.Command, forms []string, onTerminal, usage string) *string {
	form := asJSON
	if Terminal(s.Out) {
		form = onTerminal
	}
	choice(command, &form, "output", "o", forms, usage)
	return &form
}

func (p *program) registerForm(command *cobra.Command, onTerminal string) *string {
	return p.Form(command, forms, onTerminal,
		"form of the output: json (a record on each line), table, pretty (indented JSON), raw (as it came)")
}

// printer writes records in one form.
type printer struct {
	form  string
	w     io.Writer
	table *screenTable
}

func (p *program) printer(form string, of resource.Resource) *printer {
	out := &printer{form: form, w: p.Out}
	if form == asTable {
		out.table = newScreenTable(p.Out, p.Err, of)
	}
	return out
}

// print writes the records of a response. Digits stay as they came, except in a table where they do not fit.
func (p *printer) print(got response, records ...jsontext.Value) error {
	switch p.form {
	case asRaw:
		_, err := p.w.Write(got.body)
		return err
	case asTable:
		return p.table.write(records)
	}
	for _, record := range records {
		if err := printRecord(p.w, p.form, record); err != nil {
			return err
		}
	}
	return nil
}

// end writes the lines that come after the last record.
func (p *printer) end() {
	if p.table != nil {
		p.table.end()
	}
}

func printRecord(w io.Writer, form string, record jsontext.Value) error {
	record = slices.Clone(record)
	var err error
	if form == asPretty {
		err = record.Indent(jsontext.WithIndent("  "))
	} else {
		err = record.Compact()
	}
	if err != nil {
		return fmt.Errorf("what the exchange returned is no JSON: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s\n", record)
	return err
}
