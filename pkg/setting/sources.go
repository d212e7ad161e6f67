// Package setting reads settings: a setting is a flag, whose value comes from the command line, else from the environment
// (EXCHANGE_ and the flag's name in capitals, underscores for hyphens), else from a YAML file whose keys are the flags'
// names. A wrong value and an unknown name are errors that say which and from where.
package setting

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/pflag"
)

// envPrefix begins every environment variable of the exchange: --request-timeout is EXCHANGE_REQUEST_TIMEOUT.
const envPrefix = "EXCHANGE_"

// ConfigFlag names the flag of the file with settings.
const ConfigFlag = "config"

// Resolve gives each setting that the command line left alone its value from the environment, else from the file that
// --config or EXCHANGE_CONFIG names. known are names of settings of other processes: they are skipped. Any other name
// and any wrong value is an error that says which, and from where.
func Resolve(flags *pflag.FlagSet, environ, known []string) error {
	variables, err := environment(environ, append(Names(flags), append(known, ConfigFlag)...))
	if err != nil {
		return err
	}
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
		if !slices.Contains(Names(flags), name) && !slices.Contains(known, name) {
			return Unknown(name, e.origin, append(Names(flags), known...))
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

// entry is what one source says of a setting.
type entry struct {
	origin string
	// values are several for a list or a map, each as on the command line.
	values []string
	// many: the source wrote a list or a map.
	many bool
}

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
			return errors.New("one value is wanted, not several")
		}
		return value.Set(e.values[0])
	}
}

// environment answers the exchange's variables by the name of their setting.
func environment(environ, known []string) (map[string]entry, error) {
	inKubernetes := slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, "KUBERNETES_SERVICE_HOST=") })
	found := map[string]entry{}
	for _, line := range environ {
		variable, value, _ := strings.Cut(line, "=")
		rest, ours := strings.CutPrefix(variable, envPrefix)
		if !ours || (inKubernetes && serviceLink.MatchString(rest)) {
			continue
		}
		name := strings.ReplaceAll(strings.ToLower(rest), "_", "-")
		if !slices.Contains(known, name) || variable != Variable(name) {
			return nil, Unknown(variable, "the environment", mapped(known, Variable))
		}
		found[name] = entry{origin: "the environment (" + variable + ")", values: []string{value}}
	}
	return found, nil
}

// serviceLink matches, after the prefix, the variables that Kubernetes makes for a Service whose name is or begins with
// "exchange". They are nobody's typing errors.
var serviceLink = regexp.MustCompile(`^(.+_)?(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// Variable returns the environment variable of a setting.
func Variable(setting string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(setting, "-", "_"))
}

// Names lists the settings among the flags.
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

// Unknown is the error of a name that no setting has; it tells the nearest one if that is near.
func Unknown(name, origin string, known []string) error {
	nearest, distance := "", len(name)/3+1
	for _, candidate := range known {
		if d := levenshtein.ComputeDistance(name, candidate); d < distance {
			nearest, distance = candidate, d
		}
	}
	if nearest == "" {
		return fmt.Errorf("setting %s from %s is not known", name, origin)
	}
	return fmt.Errorf("setting %s from %s is not known; did you mean %s?", name, origin, nearest)
}

// CommandLine turns an error of reading the command line into one of the same form as those of the other sources.
func CommandLine(flags *pflag.FlagSet, err error) error {
	var absent *pflag.NotExistError
	if errors.As(err, &absent) {
		return Unknown("--"+absent.GetSpecifiedName(), "the command line", mapped(Names(flags), func(n string) string { return "--" + n }))
	}
	var wrong *pflag.InvalidValueError
	if errors.As(err, &wrong) {
		return fmt.Errorf("setting %s from the command line: %w", wrong.GetFlag().Name, wrong.Unwrap())
	}
	return fmt.Errorf("command line: %w", err)
}

// readFile reads a file with settings.
func readFile(path string) (map[string]entry, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseYAML(path, text)
}

// SetDefault gives a setting another default than its declaration does.
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
