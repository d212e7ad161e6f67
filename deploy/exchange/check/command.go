package check

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/deploy/exchange/texts"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/setting"
)

// The forms of the output.
const (
	asText = "text"
	asJSON = "json"
)

//go:embed commands.yaml
var commands []byte

// described makes a command with its texts.
var described = texts.Of(commands)

// Command returns the command check. Its settings come from environ, where its flags do not give them. It says on
// notes how far it has come.
func Command(environ []string, out, notes io.Writer) *cobra.Command {
	command := described("check")
	command.Args = client.NoArguments
	flags := command.Flags()
	own := pflag.NewFlagSet(command.Name(), pflag.ContinueOnError)
	data := own.String(settings.Data, "data", "folder of the exchange's data, or of a backup")
	var store process.StoreSettings
	store.Register(own, "")
	own.Lookup(
		process.StoreSetting).Usage = "mongodb://HOST, where the databases of the services are, in place of a folder"
	own.String(setting.ConfigFlag, "", "YAML file with settings; its keys are the names of the flags")
	flags.AddFlagSet(own)
	output := asText
	setting.ChoiceVarP(flags, &output, "output", "o", []string{asText, asJSON},
		"form of the output; json is an object on each line, the summary last")
	stopped := flags.Bool("stopped", false, "no exchange runs on the databases of --store, such as restored ones")
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return client.Misuse(setting.CommandLine(flags, err).Error())
	})
	command.RunE = func(command *cobra.Command, _ []string) error {
		folderGiven, storeGiven := flags.Changed(settings.Data), flags.Changed(process.StoreSetting)
		if err := client.Resolve(own, environ, notes); err != nil {
			return err
		}
		_, file := store.URL.File()
		switch {
		case storeGiven && folderGiven:
			return client.Misuse("settings data and store: give one of them, not both")
		case storeGiven && file:
			return client.Misuse("setting store: check reads the files of all services; name their folder with --data")
		// A folder on the command line comes before a store in the environment, which processes share.
		case store.URL != "" && !file && !folderGiven:
			return examineAll(command.Context(), inMongo(store, *stopped), &printer{out, output}, notes)
		case *stopped:
			return client.Misuse("setting stopped: it is for --store; of a folder check sees by itself whether an " +
				"exchange runs on it")
		}
		from, err := inFolder(*data)
		if err != nil {
			return err
		}
		return examineAll(command.Context(), from, &printer{out, output}, notes)
	}
	return command
}

// examineAll looks for faults in all databases, and prints what it finds.
func examineAll(ctx context.Context, from source, p *printer, notes io.Writer) error {
	databases, err := openAll(ctx, from)
	if err != nil {
		return err
	}
	faults, err := from.sound(ctx, p.finding)
	t := &tally{}
	if err == nil {
		t, err = examine(ctx, databases, from.book, p.finding, notes)
	}
	if err = errors.Join(err, from.end(databases)); err != nil {
		return err
	}
	t.Findings += faults
	return errors.Join(p.summary(t), t.verdict())
}

// verdict returns an error if there is a fault, or if nothing was examined.
func (t *tally) verdict() error {
	records := 0
	for _, n := range t.Records {
		records += n
	}
	switch {
	case t.Findings > 0:
		return fmt.Errorf("%d faults were found", t.Findings)
	case records == 0:
		return errors.New("there are no records, so that nothing was examined; is --data the right folder, or " +
			"--store the right deployment?")
	}
	return nil
}

// printer writes findings in one form.
type printer struct {
	w    io.Writer
	form string
}

func (p *printer) finding(service string, f docstore.Finding, isNote bool) error {
	if p.form == asJSON {
		return json.NewEncoder(p.w).Encode(struct {
			Service string `json:"service"`
			docstore.Finding
			Note bool `json:"note,omitzero"`
		}{service, f, isNote})
	}
	if isNote {
		service = "note: " + service
	}
	place := strings.Join(slices.DeleteFunc([]string{service, f.Collection, f.ID}, func(s string) bool {
		return s == ""
	}), " ")
	_, err := fmt.Fprintf(p.w, "%s: %s: found %s, expected %s\n", place, f.Invariant, client.Printable(f.Found),
		client.Printable(f.Expected))
	return err
}

func (p *printer) summary(t *tally) error {
	if p.form == asJSON {
		return json.NewEncoder(p.w).Encode(map[string]any{"summary": t})
	}
	counts := func(of map[string]int) string {
		var all []string
		for _, name := range slices.Sorted(maps.Keys(of)) {
			all = append(all, fmt.Sprintf("%d %s", of[name], name))
		}
		return strings.Join(all, ", ")
	}
	_, err := fmt.Fprintf(p.w, "Examined records: %s. In them: %s. Notes: %d. Faults: %d.\n", counts(t.Records),
		counts(t.Others), t.Notes, t.Findings)
	return err
}
