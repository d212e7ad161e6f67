package setting

import (
	"fmt"
	"regexp"

	"github.com/spf13/pflag"
)

// The settings that say what amounts are in.
const (
	amountUnitFlag = "amount-unit"
	currencyFlag   = "currency"
)

// AmountFlags returns the names of the settings that say what amounts are in.
func AmountFlags() []string { return []string{amountUnitFlag, currencyFlag} }

// The units of amounts: pounds and euros are major, pence and cents minor.
const (
	Major = "major"
	Minor = "minor"
)

// Amounts say what the amounts of an exchange are in. They change no number: they are for documents, the heads of
// exported columns, and the words of a refusal.
type Amounts struct {
	// Unit is Major, Minor, or "" if the operator has not said it.
	Unit string
	// Currency is an ISO 4217 alphabetic code, or "" if the operator has not said it.
	Currency string
}

// SharedAmounts declares the settings that say what amounts are in, and returns a function that returns their values.
// Services that run in one process share them.
func SharedAmounts(flags *pflag.FlagSet) func() Amounts {
	unit := sharedWord(flags, amountUnitFlag, regexp.MustCompile("^(major|minor)$"), "major or minor",
		"unit of amounts, major (pounds, euros) or minor (pence, cents): said in the documents and in the heads of "+
			"exported columns, and changes no amount; not said if not given")
	currency := sharedWord(flags, currencyFlag, regexp.MustCompile("^[A-Z]{3}$"), "an ISO 4217 code such as GBP",
		"currency of amounts, such as GBP: said where their unit is, and changes no amount; not said if not given")
	return func() Amounts { return Amounts{*unit, *currency} }
}

// sharedWord is SharedString for a text of a form.
func sharedWord(flags *pflag.FlagSet, name string, form *regexp.Regexp, allowed, usage string) *string {
	if flag := flags.Lookup(name); flag != nil {
		return &flag.Value.(*word).value
	}
	shared := &word{form: form, allowed: allowed}
	flags.Var(shared, name, usage)
	return &shared.value
}

type word struct {
	value, allowed string
	form           *regexp.Regexp
}

func (w *word) String() string { return w.value }
func (w *word) Type() string   { return "string" }

func (w *word) Set(text string) error {
	if text != "" && !w.form.MatchString(text) {
		return fmt.Errorf("%q is not allowed; give %s", text, w.allowed)
	}
	w.value = text
	return nil
}
