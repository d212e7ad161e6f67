package setting

import (
	"time"

	"github.com/spf13/pflag"
)

// SharedString declares a text setting that several services have in common, and returns a pointer to its value.
// Services that run in one process declare it on the same flags and get the same pointer.
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

// SharedInt is SharedString for a whole number from least to most, both included.
func SharedInt(flags *pflag.FlagSet, name string, value, least, most int, usage string) *int {
	if flag := flags.Lookup(name); flag != nil {
		return flag.Value.(*number[int]).value
	}
	var shared int
	IntVar(flags, &shared, name, value, least, most, usage)
	return &shared
}

// SharedDuration is SharedString for a duration that is not negative. Its value is zero if the setting is not given.
func SharedDuration(flags *pflag.FlagSet, name, usage string) *time.Duration {
	if flag := flags.Lookup(name); flag != nil {
		return flag.Value.(*duration).value
	}
	var value time.Duration
	flags.Var(&duration{&value, 0}, name, usage)
	return &value
}
