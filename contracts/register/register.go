// Package register holds what the interface leaves open and how the exchange settles it, one item a row.
package register

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

// Kind says what settles an item.
type Kind string

// The kinds, in order of preference.
const (
	Published  Kind = "P" // the value comes from a published standard
	Configured Kind = "C" // the deployer sets it; unset, the rule does not run
	Refused    Kind = "R" // not listed, so the exchange does not do it
	Decided    Kind = "D" // nothing published settles it and a caller cannot be served without it
)

var words = map[Kind]string{
	Published: "published", Configured: "configured", Refused: "refused", Decided: "decided here",
}

// String is the kind in words.
func (k Kind) String() string { return words[k] }

// Item is one row of the register.
type Item struct {
	Item     string `yaml:"item"`
	Kind     Kind   `yaml:"kind"`
	Decision string `yaml:"decision"`
	// Settings are the flags that configure it; only a Configured item has some.
	Settings []string `yaml:"settings"`
}

//go:embed register.yaml
var items []byte

// Load returns the items in their order. It returns an error for an item without a kind and for a Configured item
// without settings.
func Load() ([]Item, error) {
	var all []Item
	if err := yaml.UnmarshalWithOptions(items, &all, yaml.Strict()); err != nil {
		return nil, err
	}
	for _, i := range all {
		if words[i.Kind] == "" || i.Item == "" || i.Decision == "" || (i.Kind == Configured) != (len(i.Settings) > 0) {
			return nil, fmt.Errorf("register: item %q is incomplete", i.Item)
		}
	}
	return all, nil
}

// Where returns the settings of an item, as flags and as variables. It returns "" for an item without settings.
func (i Item) Where() string {
	var places []string
	for _, name := range i.Settings {
		places = append(places, "--"+name+" or EXCHANGE_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_")))
	}
	return strings.Join(places, ", ")
}

// Markdown writes the register as a page.
func Markdown(all []Item) string {
	cell := func(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
	var page strings.Builder
	page.WriteString("# What the interface leaves open\n\nGenerated from register.yaml (make generate). Each item " +
		"is settled in one of four ways:\n" +
		"P published, C configured, R refused, D decided here.\n\n| item | decision | kind | where to configure " +
		"|\n|---|---|---|---|\n")
	for _, i := range all {
		fmt.Fprintf(&page, "| %s | %s | %s | %s |\n", cell(i.Item), cell(i.Decision), string(i.Kind), cell(i.Where()))
	}
	return page.String()
}
