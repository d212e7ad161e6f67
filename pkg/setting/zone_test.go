package setting_test

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/setting"
)

// TestTheZoneIsDeclaredOnce declares the setting twice, as two services of one process do. Both read what is given.
func TestTheZoneIsDeclaredOnce(t *testing.T) {
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	first, second := setting.SharedZone(flags), setting.SharedZone(flags)
	if got := first().String(); got != "UTC" {
		t.Errorf("nothing is given, and the zone is %s", got)
	}
	if err := flags.Parse([]string{"--time-zone", "Europe/London"}); err != nil {
		t.Fatal(err)
	}
	if first().String() != "Europe/London" || second() != first() {
		t.Errorf("the zones are %s and %s", first(), second())
	}
	for _, wrong := range []string{"Local", "EST5EDT", "Europe/Nowhere", ""} {
		err := flags.Parse([]string{"--time-zone", wrong})
		if err == nil || !strings.Contains(err.Error(), "give UTC or the name of a zone") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}
