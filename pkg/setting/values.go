package setting

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// ChoiceVar declares a setting that is one of a few words. The value that p holds is the default.
func ChoiceVar(flags *pflag.FlagSet, p *string, name string, words []string, usage string) {
	ChoiceVarP(flags, p, name, "", words, usage)
}

// ChoiceVarP is ChoiceVar with a letter for the name.
func ChoiceVarP(flags *pflag.FlagSet, p *string, name, letter string, words []string, usage string) {
	flags.VarP(&choice{p, words}, name, letter, usage)
}

type choice struct {
	value *string
	words []string
}

func (c *choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

func (c *choice) Type() string { return strings.Join(c.words, "|") }

func (c *choice) Set(text string) error {
	if !slices.Contains(c.words, text) {
		return fmt.Errorf("%q is not allowed; give %s", text, alternatives(c.words))
	}
	*c.value = text
	return nil
}

// alternatives joins words as in "a, b or c".
func alternatives(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// LevelVar declares a setting that is a log level: debug, info, warn or error.
func LevelVar(flags *pflag.FlagSet, p *slog.Level, name string, value slog.Level, usage string) {
	*p = value
	flags.Var((*level)(p), name, usage)
}

type level slog.Level

var levels = []string{"debug", "info", "warn", "error"}

func (l *level) String() string { return strings.ToLower(slog.Level(*l).String()) }

func (l *level) Type() string { return strings.Join(levels, "|") }

func (l *level) Set(text string) error {
	if !slices.Contains(levels, strings.ToLower(text)) {
		return fmt.Errorf("%q is not allowed; give %s", text, alternatives(levels))
	}
	return (*slog.Level)(l).UnmarshalText([]byte(text))
}

// IntVar declares a whole number from least to most, both included.
func IntVar[T int | int64](flags *pflag.FlagSet, p *T, name string, value, least, most T, usage string) {
	*p = value
	flags.Var(&number[T]{p, least, most}, name, usage)
}

type number[T int | int64] struct {
	value       *T
	least, most T
}

func (n *number[T]) String() string {
	if n.value == nil {
		return ""
	}
	return strconv.FormatInt(int64(*n.value), 10)
}

func (n *number[T]) Type() string { return "int" }

func (n *number[T]) Set(text string) error {
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil || T(value) < n.least || T(value) > n.most {
		return fmt.Errorf("%q is not allowed; give a whole number from %d to %d", text, n.least, n.most)
	}
	*n.value = T(value)
	return nil
}

// AddressesVar declares a setting that holds base URLs by name. It may be given several times, once for a name.
func AddressesVar(flags *pflag.FlagSet, p *map[string]string, name, usage string) {
	flags.Var(&addresses{p}, name, usage)
}

// addresses holds base URLs by name. Each Set adds one URL, or several that are separated by commas.
type addresses struct{ value *map[string]string }

func (a *addresses) String() string {
	if a.value == nil {
		return ""
	}
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(*a.value)) {
		pairs = append(pairs, name+"="+(*a.value)[name])
	}
	return strings.Join(pairs, ",")
}

func (a *addresses) Type() string { return "name=URL" }

func (a *addresses) Set(text string) error {
	all := map[string]string{}
	maps.Copy(all, *a.value)
	for pair := range strings.SplitSeq(text, ",") {
		name, address, ok := strings.Cut(strings.TrimSpace(pair), "=")
		u, err := url.Parse(address)
		if !ok || name == "" || err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return fmt.Errorf("%q is not of the form name=http://host:port", pair)
		}
		if _, twice := all[name]; twice {
			return fmt.Errorf("%s has two addresses; give one, behind which the platform balances", name)
		}
		all[name] = address
	}
	*a.value = all
	return nil
}

// DurationVar declares a duration that is not shorter than least.
func DurationVar(flags *pflag.FlagSet, p *time.Duration, name string, value, least time.Duration, usage string) {
	*p = value
	flags.Var(&duration{p, least}, name, usage)
}

type duration struct {
	value *time.Duration
	least time.Duration
}

func (d *duration) String() string {
	if d.value == nil {
		return ""
	}
	return d.value.String()
}

func (d *duration) Type() string { return "duration" }

func (d *duration) Set(text string) error {
	value, err := time.ParseDuration(text)
	if err != nil {
		return notDuration(text)
	}
	if value < d.least {
		return fmt.Errorf("%s is too short; give at least %s", value, d.least)
	}
	*d.value = value
	return nil
}

func notDuration(text string) error {
	return fmt.Errorf("%q is not a duration; give a number and a unit (ms, s, m or h), such as 30s or 1h30m", text)
}

// plain returns an error that says which values a flag allows, in place of the error of one of pflag's own types, which
// names packages and functions of Go. Flags of other types word their own errors.
func plain(flag *pflag.Flag, text string, err error) error {
	var parsing *strconv.NumError
	switch kind := flag.Value.Type(); {
	case kind == "duration" && strings.HasPrefix(err.Error(), "time: "):
		return notDuration(text)
	case !errors.As(err, &parsing):
		return err
	case kind == "bool":
		return fmt.Errorf("%q is not allowed; give true or false", text)
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%q is too large a number", text)
	default:
		return fmt.Errorf("%q is not a number", text)
	}
}
