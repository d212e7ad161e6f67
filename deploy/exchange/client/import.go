package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"insurance.example/exchange/deploy/exchange/client/table"
)

// importing is what an import is asked for.
type importing struct {
	resource, file, format, batch, rejected string
	concurrency                             int
}

func (p *program) imports() *cobra.Command {
	command := &cobra.Command{
		Use: "import RESOURCE FILE", Short: "Create the records of a file: NDJSON (a record on each line) or CSV",
		Long: `Create the records of a file: NDJSON (a record on each line) or CSV. FILE may be -, the standard input.

In CSV, a column is a member, "address.city" a member of a member; lists have semicolons between their values; an empty
cell is an absent member. Members that the interface does not name are JSON where they read as JSON, else text.

An import can be stopped at any time, and resumed by the same command: each record has an Idempotency-Key made from its
content, so none is created twice, also if rows were corrected, moved or added meanwhile. That holds for the same caller,
and for as long as the exchange remembers keys (its --key-retention). Equal records within a file are all created. Equal
records of another file are not, unless it is imported as another --batch.

Records that the exchange refuses are written, with their line and the problem, to a file of their own. The exit status is
then 1. Records are created several at a time, and so not quite in the order of the file; --concurrency 1 keeps it.`,
		Example: `  exchange import vehicle fleet.csv
  exchange import receipt may.ndjson --batch 2026-05 --concurrency 16
  exchange export driver --url https://old.example | exchange import driver - --format ndjson`,
		Args: p.arguments(1, creatable), ValidArgsFunction: p.completeResource(creatable, completeFile),
	}
	connect := p.registerConnection(command)
	var i importing
	flags := command.Flags()
	flags.StringVar(&i.format, "format", "", "ndjson or csv; by the file's name where not given")
	flags.StringVar(&i.batch, "batch", "", "name of the batch: records equal to those of another batch are created too")
	flags.StringVar(&i.rejected, "rejected", "", "file for the records that are refused (default FILE.rejected.ndjson)")
	flags.IntVar(&i.concurrency, "concurrency", 8, "how many records are on their way at a time, 1 to 64")
	complete(command, "format", ndjson, asCSV)
	command.RunE = func(command *cobra.Command, args []string) error {
		i.resource, i.file = args[0], args[1]
		if err := i.settle(); err != nil {
			return err
		}
		c, err := p.call(connect)
		if err != nil {
			return err
		}
		return p.importFile(command.Context(), c, i)
	}
	return command
}

// settle fills in what was not given.
func (i *importing) settle() error {
	if i.format == "" {
		i.format = formatOf(i.file)
	}
	if err := oneOf("format", i.format, ndjson, asCSV); err != nil {
		return err
	}
	if i.concurrency < 1 || i.concurrency > mostConnections {
		return usage("--concurrency is 1 to %d", mostConnections)
	}
	if i.rejected == "" {
		i.rejected = strings.TrimSuffix(i.file, filepath.Ext(i.file)) + ".rejected.ndjson"
		if i.file == "-" {
			i.rejected = i.resource + ".rejected.ndjson"
		}
	}
	if filepath.Clean(i.rejected) == filepath.Clean(i.file) {
		return usage("--rejected would overwrite the file that is imported")
	}
	return nil
}

func (p *program) importFile(ctx context.Context, c *caller, i importing) (err error) {
	input, size := p.In, int64(-1)
	if i.file != "-" {
		file, err := os.Open(i.file)
		if err != nil {
			return usage("%v", err)
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
		input = file
	}
	refused, err := newRejects(i.rejected)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, refused.close()) }()
	run := &importRun{importing: i, caller: c, keys: newKeys(i.resource, i.batch), rejects: refused, progress: newProgress(p.Err, size)}
	err = run.all(ctx, i.rows(input))
	if ended := run.progress.end(); err == nil {
		err = ended
	}
	if err != nil {
		return &hinted{err, fmt.Sprintf("%s. The same command goes on from here: what was created is not created again.", run)}
	}
	if _, err := fmt.Fprintf(p.Out, "%s.\n", run); err != nil {
		return err
	}
	if run.replayed > 0 {
		fmt.Fprintln(p.Err, "Records that were already there had been imported before. If they are meant to be new, give the import a --batch of its own.")
	}
	if refused.count > 0 {
		return fmt.Errorf("%d records were refused; %s says why", refused.count, i.rejected)
	}
	return nil
}

func (i importing) rows(r io.Reader) iter.Seq2[row, error] {
	if i.format == asCSV {
		return readCSV(r, table.Of(i.resource))
	}
	return readNDJSON(r)
}
