package follow

import (
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"insurance.example/exchange/deploy/exchange/client"
)

// The forms of the output.
const (
	asTable = "table"
	asJSON  = "json"
)

func events(around client.Surroundings) *cobra.Command {
	command := described("events")
	command.Args = client.NoArguments
	f := feed{notes: func(format string, args ...any) { fmt.Fprintf(around.Err, format, args...) }}
	connect := client.Connect(around, command)
	f.register(command, "")
	follow := command.Flags().Bool("follow", false, "go on, and print each event when it happens")
	form := around.Form(command, []string{asJSON, asTable}, asTable,
		"form of the output: json (an event on each line) or table")
	command.RunE = func(command *cobra.Command, _ []string) (err error) {
		if err := f.begin(); err != nil {
			return err
		}
		if f.exchange, err = connect(); err != nil {
			return err
		}
		print := printer(around.Out, *form)
		for {
			// A filter has empty pages before the end: there, a short wait finds nothing either.
			wait := "1"
			if *follow {
				wait = longWait
			}
			p, err := f.read(command.Context(), wait)
			if err != nil {
				return err
			}
			for _, event := range p.Events {
				if err := print(event); err != nil {
					return err
				}
			}
			if err := f.done(p.Next); err != nil {
				return err
			}
			if !*follow && len(p.Events) == 0 {
				if f.cursorFile == "" {
					f.notes("To go on from here: --after %s\n", p.Next)
				}
				return nil
			}
		}
	}
	return command
}

// printer returns a function that prints an event.
func printer(w io.Writer, form string) func(jsontext.Value) error {
	if form == asJSON {
		return func(event jsontext.Value) error {
			_, err := fmt.Fprintf(w, "%s\n", event)
			return err
		}
	}
	begun := false
	return func(text jsontext.Value) error {
		var event struct {
			Type    string `json:"type"`
			Subject string `json:"subject"`
			Time    string `json:"time"`
			Data    struct {
				ID      string `json:"id"`
				Version int64  `json:"version"`
				Status  string `json:"status"`
			} `json:"data"`
		}
		if err := json.Unmarshal(text, &event); err != nil {
			return fmt.Errorf("what the exchange returned is no event: %w", err)
		}
		if !begun {
			begun = true
			if err := line(w, "time", "what happened", "id", "version", "policy", "status"); err != nil {
				return err
			}
		}
		seconds, _, _ := strings.Cut(strings.TrimSuffix(event.Time, "Z"), ".")
		return line(w, seconds, strings.TrimPrefix(event.Type, "exchange."), event.Data.ID,
			fmt.Sprint(event.Data.Version), event.Subject, event.Data.Status)
	}
}

// line prints a line of the table. Control characters would move the cursor of the terminal.
func line(w io.Writer, time, what, id, version, policy, status string) error {
	text := fmt.Sprintf("%-19s  %-34s  %-36s  %-7s  %-16s  %s", time, what, id, version, policy, status)
	_, err := fmt.Fprintln(w, strings.TrimRight(client.Printable(text), " "))
	return err
}
