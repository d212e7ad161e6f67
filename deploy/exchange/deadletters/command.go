// Package deadletters holds the commands that show the messages which the aggregation could not handle, and put them
// back.
package deadletters

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"insurance.example/exchange/contracts/events"
	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/deploy/exchange/broker"
	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/cluster"
	"insurance.example/exchange/pkg/setting"
)

// program is what the commands share.
type program struct {
	environ    []string
	out, notes io.Writer
	// dial, if set, opens the connections to brokers.
	dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Command returns the command dead-letters, with list and replay. Its settings come from environ, where its flags do
// not give them. It says on notes which variables it ignores.
func Command(environ []string, out, notes io.Writer) *cobra.Command {
	return (&program{environ: environ, out: out, notes: notes}).command()
}

func (p *program) command() *cobra.Command {
	command := &cobra.Command{
		Use: "dead-letters", Short: "Show the messages that could not be handled, and put them back",
		Args: noArguments, RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(p.list(), p.replay())
	return command
}

// connection holds the flags that say where the dead letters are.
type connection struct {
	settings *pflag.FlagSet
	kafka    cluster.Settings
	data     string
	topic    string
	output   string
}

// register adds the flags of the connection and of the output to a command.
func (p *program) register(command *cobra.Command) *connection {
	c := &connection{settings: pflag.NewFlagSet(command.Name(), pflag.ContinueOnError), output: asJSON}
	c.settings.String(setting.ConfigFlag, "", "YAML file with settings; its keys are the names of the flags")
	c.settings.StringVar(&c.data, settings.Data, "data",
		"folder of the data of an exchange on this machine, whose broker is asked without --brokers")
	c.kafka.Register(c.settings)
	flags := command.Flags()
	flags.AddFlagSet(c.settings)
	flags.StringVar(&c.topic, "topic", events.BordereauTopic, "topic whose dead letters are meant")
	if file, is := p.out.(*os.File); is && term.IsTerminal(int(file.Fd())) {
		c.output = asTable
	}
	form := pflag.NewFlagSet(command.Name(), pflag.ContinueOnError)
	setting.ChoiceVar(form, &c.output, "output", []string{asJSON, asTable},
		"form of the output; json is an object on each line")
	form.Lookup("output").Shorthand = "o"
	flags.AddFlag(form.Lookup("output"))
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return client.Misuse(setting.CommandLine(flags, err).Error())
	})
	return c
}

// given returns the flags with which a further command finds the same dead letters, each after a blank.
func (c *connection) given(command *cobra.Command) (words string) {
	command.Flags().Visit(func(flag *pflag.Flag) {
		value := flag.Value.String()
		if several, is := flag.Value.(pflag.SliceValue); is {
			value = strings.Join(several.GetSlice(), ",")
		}
		if c.settings.Lookup(flag.Name) != nil || flag.Name == "topic" {
			words += " --" + flag.Name + " " + client.Quoted(value)
		}
	})
	return words
}

// open returns the dead letters that the flags and the environment name.
func (p *program) open(c *connection) (*kafka.DeadLetters, error) {
	if err := client.Resolve(c.settings, p.environ, p.notes); err != nil {
		return nil, err
	}
	if len(c.kafka.Brokers) == 0 {
		kept, err := broker.SettingsIn(filepath.Join(c.data, "broker"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, client.Misuse(fmt.Sprintf("no broker is named, and there is no data of one in %s; give "+
				"--brokers, or the folder of an exchange on this machine with --data", c.data))
		}
		if err != nil {
			return nil, err
		}
		c.kafka = kept
	}
	c.kafka.Dial = p.dial
	reached, err := kafka.NewCluster(c.kafka, "dead-letters")
	if err != nil {
		return nil, client.Misuse(err.Error())
	}
	return kafka.OpenDeadLetters(reached, kafka.Topic{Name: c.topic}), nil
}

func (p *program) list() *cobra.Command {
	var all bool
	command := &cobra.Command{
		Use: "list", Short: "Show the dead letters, in the order of their failure", Args: noArguments,
		Example: `  exchange dead-letters list
  exchange dead-letters list --all -o json --brokers kafka-1:9092,kafka-2:9092`,
	}
	c := p.register(command)
	command.Flags().BoolVar(&all, "all", false, "show those too that were put back")
	command.RunE = func(command *cobra.Command, _ []string) error {
		letters, err := p.open(c)
		if err != nil {
			return err
		}
		defer letters.Close()
		out := newPrinter(p.out, c.output, letterColumns)
		err = letters.Each(command.Context(), func(letter kafka.DeadLetter) error {
			if !all && !letter.Replayed.IsZero() {
				return nil
			}
			return out.print(shownLetter(letter))
		})
		return errors.Join(err, out.end())
	}
	return command
}

func noArguments(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return client.Misuse(fmt.Sprintf("%s takes no arguments, and %q was given", command.CommandPath(),
			strings.Join(args, " ")))
	}
	return nil
}
