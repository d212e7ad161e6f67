package client

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/setting"
)

// Resolve gives the flags of a command that works on the data of an exchange the values of the environment and of the
// file of settings, by the rules of the processes of the exchange: what is wrong or misspelt is a Misuse, and another
// variable that is no setting is ignored with a line on notes.
func Resolve(flags *pflag.FlagSet, environ []string, notes io.Writer) error {
	ignored, err := setting.Resolve(flags, environ, slices.Concat(process.SharedSettings(), settings.All()))
	if err != nil {
		return Misuse(err.Error())
	}
	for _, one := range ignored {
		fmt.Fprintln(notes, "exchange:", one)
	}
	return nil
}
