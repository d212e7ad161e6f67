package setting_test

import (
	"testing"

	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/setting"
)

// TestAmountsAreDeclaredOnce declares the settings twice, as two services of one process do. Both read what is given.
func TestAmountsAreDeclaredOnce(t *testing.T) {
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	first, second := setting.SharedAmounts(flags), setting.SharedAmounts(flags)
	if got := first(); got != (setting.Amounts{}) {
		t.Errorf("nothing is given, and amounts are in %v", got)
	}
	if err := flags.Parse([]string{"--amount-unit", "minor", "--currency", "GBP"}); err != nil {
		t.Fatal(err)
	}
	for _, of := range []func() setting.Amounts{first, second} {
		if got := of(); got != (setting.Amounts{Unit: setting.Minor, Currency: "GBP"}) {
			t.Errorf("amounts are in %v", got)
		}
	}
	for _, wrong := range [][]string{
		{"--amount-unit", "pence"}, {"--amount-unit", "Minor"}, {"--currency", "gbp"}, {"--currency", "POUND"},
	} {
		if flags.Parse(wrong) == nil {
			t.Errorf("%v is allowed", wrong)
		}
	}
}
