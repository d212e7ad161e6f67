// Package setting reads the settings of a program. A setting is a flag. Its value comes from the command line, else
// from the environment (EXCHANGE_ and the flag's name in capitals, with underscores for hyphens), else from a YAML
// file whose keys are the names of the flags. An unknown name or a wrong value is an error that names the setting,
// says where it was given, and says what is allowed. In the environment, which processes of several releases may
// share, an unknown name is an error only if it looks like a known one that is misspelt.
//
// koanf or ff would merge the sources, which is about a tenth of the package. They would leave the rest: values of YAML
// as they are written and the line that each is on, names that are unknown or misspelt, variables that Kubernetes sets
// for its Services, and types with bounds whose errors say what is allowed.
package setting

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// envPrefix begins every environment variable that is a setting: --request-timeout is EXCHANGE_REQUEST_TIMEOUT.
const envPrefix = "EXCHANGE_"

// ConfigFlag is the name of the flag that names the YAML file.
const ConfigFlag = "config"

// Resolve sets each flag that the command line did not set from the environment, else from the file that --config or
// EXCHANGE_CONFIG names. known holds the names of other programs' settings, which are skipped. It fails on any other
// name in the file, on one in the environment that looks like a known one, on a wrong value, and on a file that
// cannot be read. It returns the other variables that are not known, which may be those of a later release.
func Resolve(flags *pflag.FlagSet, environ, names []string) (ignored []Ignored, err error) {
	variables, ignored, err := environment(environ, append(Names(flags), append(names, ConfigFlag)...))
	if err != nil {
		return nil, err
	}
	return ignored, assign(flags, variables, names)
}

// assign sets each flag that the command line did not set from the variables, else from the file.
func assign(flags *pflag.FlagSet, variables map[string]entry, names []string) error {
	file, err := flags.GetString(ConfigFlag)
	if err != nil {
		return err
	}
	if variable, ok := variables[ConfigFlag]; ok && file == "" {
		file = variable.values[0]
	}
	entries := map[string]entry{}
	if file != "" {
		if entries, err = readFile(file); err != nil {
			return fmt.Errorf("setting %s: %w", ConfigFlag, err)
		}
	}
	for name, e := range entries {
		if !slices.Contains(Names(flags), name) && !slices.Contains(names, name) {
			return Unknown(name, e.origin, append(Names(flags), names...))
		}
	}
	for _, name := range Names(flags) {
		flag := flags.Lookup(name)
		if flag.Changed {
			continue
		}
		e, ok := variables[name]
		if !ok {
			e, ok = entries[name]
		}
		if !ok {
			continue
		}
		if err := e.assign(flag); err != nil {
			return fmt.Errorf("setting %s from %s: %w", name, e.origin, err)
		}
		flag.Changed = true
	}
	return nil
}

// entry is a setting as one source gives it.
type entry struct {
	// origin says where it was given, for errors.
	origin string
	// values holds one value, or the elements of a list or a mapping, each as it would be on the command line.
	values []string
	// many reports whether the source gave a list or a mapping.
	many bool
}

// assign sets the flag.
func (e entry) assign(flag *pflag.Flag) error {
	switch value := flag.Value.(type) {
	case pflag.SliceValue:
		if e.many {
			return value.Replace(e.values)
		}
		var all []string
		for one := range strings.SplitSeq(e.values[0], ",") {
			if one = strings.TrimSpace(one); one != "" {
				all = append(all, one)
			}
		}
		return value.Replace(all)
	case *addresses:
		for _, one := range e.values {
			if err := value.Set(one); err != nil {
				return err
			}
		}
		return nil
	default:
		if e.many {
			return errors.New("give one value, not several")
		}
		if err := value.Set(e.values[0]); err != nil {
			return plain(flag, e.values[0], err)
		}
		return nil
	}
}

// environment returns the settings that the environment gives, by name, and the variables that are ignored.
func environment(environ, names []string) (entries map[string]entry, ignored []Ignored, err error) {
	entries = map[string]entry{}
	for _, line := range environ {
		variable, value, _ := strings.Cut(line, "=")
		rest, ours := strings.CutPrefix(variable, envPrefix)
		if !ours {
			continue
		}
		name := strings.ReplaceAll(strings.ToLower(rest), "_", "-")
		if !slices.Contains(names, name) || variable != Variable(name) {
			if isServiceLink(rest, value) {
				continue
			}
			if meant := misspelt(name, names); meant != "" {
				return nil, nil, fmt.Errorf("setting %s from the environment is not known; did you mean %s?", variable,
					Variable(meant))
			}
			ignored = append(ignored, Ignored{variable, nearest(variable, mapped(names, Variable))})
			continue
		}
		entries[name] = entry{origin: "the environment (" + variable + ")", values: []string{value}}
	}
	return entries, ignored, nil
}

// Variable returns the environment variable of a setting.
func Variable(setting string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(setting, "-", "_"))
}

// Lookup returns the value of a variable in an environment, which has the form of os.Environ; empty if it is not there.
func Lookup(environ []string, variable string) string {
	for _, entry := range environ {
		if value, is := strings.CutPrefix(entry, variable+"="); is {
			return value
		}
	}
	return ""
}

// Names returns the names of the settings among the flags, sorted.
func Names(flags *pflag.FlagSet) []string {
	var all []string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && f.Name != "version" && f.Name != ConfigFlag {
			all = append(all, f.Name)
		}
	})
	return all
}

func mapped(all []string, f func(string) string) []string {
	result := make([]string, len(all))
	for i, one := range all {
		result[i] = f(one)
	}
	return result
}

// CommandLine rewrites an error of parsing the command line in the form that errors of the other sources have.
func CommandLine(flags *pflag.FlagSet, err error) error {
	var absent *pflag.NotExistError
	if errors.As(err, &absent) {
		return Unknown("--"+absent.GetSpecifiedName(), "the command line", mapped(Names(flags), func(n string) string {
			return "--" + n
		}))
	}
	var wrong *pflag.InvalidValueError
	if errors.As(err, &wrong) {
		return fmt.Errorf("setting %s from the command line: %w", wrong.GetFlag().Name,
			plain(wrong.GetFlag(), wrong.GetValue(), wrong.Unwrap()))
	}
	var bare *pflag.ValueRequiredError
	if errors.As(err, &bare) {
		return fmt.Errorf("setting %s from the command line: a value is missing after --%[1]s", bare.GetFlag().Name)
	}
	return fmt.Errorf("command line: %w", err)
}

// readFile reads the YAML file at path.
func readFile(path string) (map[string]entry, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseYAML(path, text)
}

// SetDefault changes the default of a setting. It fails if no flag has the name or the value is wrong.
func SetDefault(flags *pflag.FlagSet, name, value string) error {
	flag := flags.Lookup(name)
	if flag == nil {
		return Unknown(name, "the program's defaults", Names(flags))
	}
	if err := (entry{values: []string{value}}).assign(flag); err != nil {
		return fmt.Errorf("setting %s from the program's defaults: %w", name, err)
	}
	flag.DefValue = flag.Value.String()
	return nil
}
