package coverage

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/settings"
)

// rules are the settings of the service.
type rules struct{ tripLength, annualLength days }

func (r *rules) register(flags *pflag.FlagSet) {
	flags.Var(&r.tripLength, settings.TripLength,
		"days that a single-trip travel policy may last, such as 1-90; if not set, any from 1")
	flags.Var(&r.annualLength, settings.AnnualLength,
		"days that a trip under an annual travel policy may last, such as 1-365; if not set, any from 1")
}

// reportUnset calls unset for each setting that is not set, and says what the service does without it.
func (r *rules) reportUnset(unset func(setting, effect string)) {
	if r.tripLength.most == 0 {
		unset(settings.TripLength, "a single-trip travel policy may be of any length")
	}
	if r.annualLength.most == 0 {
		unset(settings.AnnualLength, "an annual travel policy may be of any length")
	}
}

// days is a range of whole days, both ends inclusive. The zero value means any number from 1.
type days struct{ least, most int64 }

func (d *days) String() string {
	if d.most == 0 {
		return ""
	}
	return fmt.Sprintf("%d-%d", d.least, d.most)
}

// Type returns the form of the value, as --help shows it.
func (d *days) Type() string { return "LEAST-MOST" }

// Set parses the setting. It returns an error if text is not a range of days.
func (d *days) Set(text string) error {
	from, to, isRange := strings.Cut(text, "-")
	least, errLeast := strconv.ParseInt(from, 10, 32)
	most, errMost := strconv.ParseInt(to, 10, 32)
	if !isRange || errLeast != nil || errMost != nil || least < 1 || most < least {
		return fmt.Errorf("%q is no range of days such as 1-90", text)
	}
	*d = days{least, most}
	return nil
}

func (d days) contains(n int64) bool { return n >= 1 && (d.most == 0 || n >= d.least && n <= d.most) }

func (d days) words() string {
	if d.most == 0 {
		return "at least 1 day"
	}
	return fmt.Sprintf("from %d to %d days", d.least, d.most)
}
