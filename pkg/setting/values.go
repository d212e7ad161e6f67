package setting

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// ChoiceVar declares a setting that is one of a few words. The value that p holds is the default.
func ChoiceVar(flags *pflag.FlagSet, p *string, name string, words []string, usage string) {
	flags.Var(&choice{p, words}, name, usage)
}

// choice is one of a few words.
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
		return fmt.Errorf("%q is not one of %s", text, strings.Join(c.words, ", "))
	}
	*c.value = text
	return nil
}

// AddressesVar declares a setting that holds base URLs by name. It may be given several times.
func AddressesVar(flags *pflag.FlagSet, p *map[string]string, name, usage string) {
	flags.Var(&addresses{p}, name, usage)
}

// addresses are base URLs by name. Each Set adds one or, with commas between, several.
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
		all[name] = address
	}
	*a.value = all
	return nil
}

// DurationVar declares a duration that is not below least.
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
		return fmt.Errorf("%q is no duration such as 1m30s", text)
	}
	if value < d.least {
		return fmt.Errorf("%s is less than %s", value, d.least)
	}
	*d.value = value
	return nil
}
