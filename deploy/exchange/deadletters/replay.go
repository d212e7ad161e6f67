package deadletters

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/pkg/kafka"
)

// The outcomes of putting a dead letter back.
const (
	replayed       = "put back"
	wouldReplay    = "would be put back"
	replayedBefore = "was put back before"
)

// choice is which dead letters are put back, and how.
type choice struct {
	names              []string
	all, again, dryRun bool
	// given are the flags with which a further command finds the same dead letters.
	given string
}

func (p *program) replay() *cobra.Command {
	var chosen choice
	command := &cobra.Command{
		Use: "replay [NAME...]", Short: "Put dead letters back on the topic that they come from, each once",
		Long: "Put dead letters back on the topic that they come from. NAME is the name that dead-letters list " +
			"shows.\n" +
			"A dead letter that was put back before is left alone, unless --again is given.",
		Example: `  exchange dead-letters replay 0-17 0-18
  exchange dead-letters replay --all --dry-run`,
	}
	c := p.register(command)
	flags := command.Flags()
	flags.BoolVar(&chosen.all, "all", false, "put all of them back")
	flags.BoolVar(&chosen.again, "again", false, "put those back too that were put back before")
	flags.BoolVar(&chosen.dryRun, "dry-run", false, "only show what would be put back")
	command.Args = func(command *cobra.Command, args []string) error {
		if chosen.all == (len(args) > 0) {
			return client.Misuse("name the dead letters to put back, or give --all; their names: exchange " +
				"dead-letters list" + c.given(command))
		}
		return nil
	}
	command.RunE = func(command *cobra.Command, args []string) error {
		chosen.names, chosen.given = args, c.given(command)
		letters, err := p.open(c)
		if err != nil {
			return err
		}
		defer letters.Close()
		out := newPrinter(p.out, c.output, outcomeColumns)
		err = replay(command.Context(), letters, chosen, out)
		return errors.Join(err, out.end())
	}
	return command
}

// replay puts the chosen dead letters back and prints what became of each. It returns an error if one that is named
// does not exist.
func replay(ctx context.Context, letters *kafka.DeadLetters, chosen choice, out *printer) error {
	missing := slices.Clone(chosen.names)
	err := letters.Each(ctx, func(letter kafka.DeadLetter) error {
		if !chosen.all && !slices.Contains(chosen.names, letter.Name) {
			return nil
		}
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == letter.Name })
		outcome := replayed
		switch {
		case !chosen.again && !letter.Replayed.IsZero():
			outcome = replayedBefore
		case chosen.dryRun:
			outcome = wouldReplay
		default:
			if err := letters.Replay(ctx, letter); err != nil {
				return err
			}
		}
		return out.print(outcomeOf{Name: letter.Name, Outcome: outcome, Key: text(letter.Message.Key)})
	})
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("there is no dead letter %s; all names: exchange dead-letters list --all%s",
			strings.Join(missing, ", "), chosen.given)
	}
	return err
}
