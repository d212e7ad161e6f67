package setting

import (
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/calendar"
)

// ZoneFlag is the name of the setting of the exchange's time zone.
const ZoneFlag = "time-zone"

// SharedZone declares the setting of the exchange's time zone, and returns a function that returns its value. Services
// that run in one process share it.
func SharedZone(flags *pflag.FlagSet) func() *time.Location {
	flag := flags.Lookup(ZoneFlag)
	if flag == nil {
		flags.Var(&zone{time.UTC}, ZoneFlag, "time zone in which days and months are counted, such as Europe/London; "+
			"instants stay in UTC; give all services the same")
		flag = flags.Lookup(ZoneFlag)
	}
	given := flag.Value.(*zone)
	return func() *time.Location { return given.Location }
}

type zone struct{ *time.Location }

func (z *zone) Type() string { return "zone" }

func (z *zone) Set(text string) error {
	of, err := calendar.Zone(text)
	if err == nil {
		z.Location = of
	}
	return err
}
