package setting

import (
	"time"

	"github.com/spf13/pflag"
)

// SharedString declares a setting that several services have in common, and returns where its value will be: in a
// process that runs several, all of them get the same.
func SharedString(flags *pflag.FlagSet, name, usage string) *string {
	if flag := flags.Lookup(name); flag != nil {
		return flag.Value.(*sharedString).value
	}
	shared := &sharedString{new(string)}
	flags.Var(shared, name, usage)
	return shared.value
}

type sharedString struct{ value *string }

func (s *sharedString) String() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}
func (s *sharedString) Type() string { return "string" }
func (s *sharedString) Set(text string) error {
	*s.value = text
	return nil
}

// SharedDuration is SharedString for a length of time that is not negative; zero where it is not given.
func SharedDuration(flags *pflag.FlagSet, name, usage string) *time.Duration {
	if flag := flags.Lookup(name); flag != nil {
		return flag.Value.(*duration).value
	}
	var value time.Duration
	flags.Var(&duration{&value, 0}, name, usage)
	return &value
}
