package process_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/process"
)

// run executes a program that only notes its settings.
func run(
	t *testing.T, args, environ []string,
) (settings process.Settings, late time.Duration, status int, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	program := process.Program{
		Name: "claims",
		Flags: func(flags *pflag.FlagSet) {
			flags.DurationVar(&late, "late-notification", 0, "reporting window")
		},
		Foreign: []string{"bordereau-period"},
		Run: func(_ context.Context, p *process.Process) error {
			settings = p.Settings
			return nil
		},
	}
	status = program.Execute(t.Context(), args, environ, &out, &errs)
	return settings, late, status, errs.String()
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "exchange.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSettingsComeFromTheNearestSource(t *testing.T) {
	file := writeFile(t, `
addr: ":1001"            # the file alone
request-timeout: 1m        # the environment wins
late-notification: 10h     # the command line wins
log-level: debug
credential: [first-secret-of-all, second-secret-of-all]
peer:
  coverage: http://coverage:8080
  parties: http://parties:8080
bordereau-period: month    # another program's
`)
	settings, late, status, stderr := run(t,
		[]string{"--late-notification", "30h"},
		[]string{
			"EXCHANGE_CONFIG=" + file, "EXCHANGE_REQUEST_TIMEOUT=2m", "EXCHANGE_LATE_NOTIFICATION=20h", "HOME=/",
			"EXCHANGE_BROKERS=kafka:9092", "EXCHANGE_BORDEREAU_PERIOD=month",
		})
	if status != 0 {
		t.Fatal(stderr)
	}
	if settings.Listen != ":1001" || settings.RequestTimeout != 2*time.Minute || late != 30*time.Hour ||
		settings.LogLevel != slog.LevelDebug {
		t.Errorf("settings %+v, late %v", settings, late)
	}
	if want := []string{"first-secret-of-all", "second-secret-of-all"}; !reflect.DeepEqual(settings.Secrets, want) {
		t.Errorf("secrets %q", settings.Secrets)
	}
	if want := map[string]string{"coverage": "http://coverage:8080",
		"parties": "http://parties:8080"}; !reflect.DeepEqual(settings.Peers, want) {
		t.Errorf("peers %v", settings.Peers)
	}
	if settings.Admin != "127.0.0.1:9090" || settings.LargestBody != 1<<20 {
		t.Errorf("defaults: %+v", settings)
	}
}

func TestListsFromCommandLineAndEnvironment(t *testing.T) {
	settings, _, status, stderr := run(t,
		[]string{"--peer", "coverage=http://a", "--peer", "parties=http://b"},
		[]string{"EXCHANGE_CREDENTIAL=first-secret-of-all, second-secret-of-all"})
	if status != 0 {
		t.Fatal(stderr)
	}
	if len(settings.Peers) != 2 || settings.Peers["parties"] != "http://b" {
		t.Errorf("peers %v", settings.Peers)
	}
	if want := []string{"first-secret-of-all", "second-secret-of-all"}; !reflect.DeepEqual(settings.Secrets, want) {
		t.Errorf("secrets %q", settings.Secrets)
	}
}

func TestWrongSettingsEndTheStartWithOneLine(t *testing.T) {
	for name, test := range map[string]struct {
		args, environ []string
		file          string
		want          []string
	}{
		"wrong value, command line": {
			args: []string{"--request-timeout", "soon"}, want: []string{"request-timeout", "command line", `"soon"`},
		},
		"wrong value, environment": {
			environ: []string{"EXCHANGE_LOG_FORMAT=xml"},
			want:    []string{"log-format", "EXCHANGE_LOG_FORMAT", "auto, text or json"},
		},
		"wrong value, file": {
			file: "addr: x\nmax-body: big\n", want: []string{"max-body", "exchange.yaml line 2", "whole number from 1"},
		},
		"negative": {
			args: []string{"--drain-timeout=-1s"}, want: []string{"drain-timeout", "too short", "at least 0s"},
		},
		"log level": {
			environ: []string{"EXCHANGE_LOG_LEVEL=loud"},
			want:    []string{"log-level", "loud", "give debug, info, warn or error"},
		},
		"peer": {
			environ: []string{"EXCHANGE_PEER=coverage:8080"}, want: []string{"setting peer", "name=http://host:port"},
		},
		"two addresses of a peer": {
			args: []string{"--peer", "coverage=http://a", "--peer", "coverage=http://b"},
			want: []string{"peer", "coverage has two addresses"},
		},
		"own flag": {
			environ: []string{"EXCHANGE_LATE_NOTIFICATION=x"},
			want:    []string{"late-notification", `"x" is not a duration`},
		},
		"owner without organisations": {
			args: []string{"--org-default=acme"}, want: []string{"org-default", "org-claim", "or neither"},
		},
		"owner that is no name": {
			args: []string{"--org-claim=org", "--org-default=a b"}, want: []string{"org-default", `"a b"`, "1 to 64"},
		},
		"truth": {
			args: []string{"--profiling=maybe"}, want: []string{"profiling", `"maybe"`, "true or false"},
		},
		"number beyond its range": {
			args: []string{"--max-body=0"}, want: []string{"max-body", `"0"`, "from 1 to 1073741824"},
		},
		"number beyond 64 bits": {
			args: []string{"--max-body=99999999999999999999"}, want: []string{"max-body", "whole number"},
		},
		"duration, command line": {
			args: []string{"--late-notification=soon"}, want: []string{"late-notification", "such as 30s"},
		},
		"list for one value": {file: "addr: [a, b]\n", want: []string{"addr", "not several"}},
		"unknown flag": {
			args: []string{"--requst-timeout", "1s"},
			want: []string{"--requst-timeout", "did you mean --request-timeout?"},
		},
		"unknown variable": {
			environ: []string{"EXCHANGE_ADRR=:1"}, want: []string{"EXCHANGE_ADRR", "did you mean EXCHANGE_ADDR?"},
		},
		"variable in small letters": {
			environ: []string{"EXCHANGE_addr=:1"}, want: []string{"EXCHANGE_addr", "did you mean EXCHANGE_ADDR?"},
		},
		"abbreviated variable": {
			environ: []string{"EXCHANGE_TLS_CERT=x"},
			want:    []string{"EXCHANGE_TLS_CERT", "did you mean EXCHANGE_TLS_CERTIFICATE?"},
		},
		"variable in another order": {
			environ: []string{"EXCHANGE_CLIENT_TLS_CA=x"}, want: []string{"did you mean EXCHANGE_TLS_CLIENT_CA?"},
		},
		"variable that lacks words": {
			environ: []string{"EXCHANGE_AUDIENCE=x"}, want: []string{"did you mean EXCHANGE_JWT_AUDIENCE?"},
		},
		"plural of a variable": {
			environ: []string{"EXCHANGE_CREDENTIALS=x"}, want: []string{"did you mean EXCHANGE_CREDENTIAL?"},
		},
		"variable of a list": {
			environ: []string{"EXCHANGE_TLS_CLIENT_NAME=x"}, want: []string{"did you mean EXCHANGE_TLS_CLIENT_NAMES?"},
		},
		"unknown key": {
			file: "\nlog_level: debug\n", want: []string{"log_level", "line 2", "did you mean log-level?"},
		},
		"unknown, and nothing near": {file: "zebra: 1\n", want: []string{"zebra", "is not known"}},
		"key twice":                 {file: "addr: a\naddr: b\n", want: []string{"addr"}},
		"file that is no mapping":   {file: "- addr\n", want: []string{"setting config", "mapping"}},
		"file that is no YAML":      {file: "addr: [a\n", want: []string{"setting config", "exchange.yaml"}},
		"file that is not there": {
			args: []string{"--config", "absent.yaml"}, want: []string{"setting config", "absent.yaml"},
		},
		"nested value":             {file: "peer:\n  coverage:\n    url: http://a\n", want: []string{"peer", "nested"}},
		"argument that is no flag": {args: []string{"serve"}, want: []string{"serve"}},
		"flag without value": {
			args: []string{"--addr"}, want: []string{"command line", "value is missing after --addr"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if test.file != "" {
				test.args = append(test.args, "--config", writeFile(t, test.file))
			}
			_, _, status, stderr := run(t, test.args, test.environ)
			if status != 1 || strings.Count(stderr, "\n") != 1 {
				t.Fatalf("status %d, stderr %q, want 1 and one line", status, stderr)
			}
			for _, want := range append(test.want, "claims: ") {
				if !strings.Contains(stderr, want) {
					t.Errorf("stderr %q, want %q in it", stderr, want)
				}
			}
			for _, internal := range []string{"strconv", "slog", "time:", "pflag", "ParseInt"} {
				if strings.Contains(stderr, internal) {
					t.Errorf("stderr %q speaks of %s", stderr, internal)
				}
			}
		})
	}
}

// TestVariablesOfALaterReleaseAreIgnored starts a program in an environment that it shares with a release that has
// more settings, as after a roll back. What cannot be a misspelt setting of its own is named in the log, without its
// value.
func TestVariablesOfALaterReleaseAreIgnored(t *testing.T) {
	settings, _, status, stderr := run(t, nil, []string{
		"EXCHANGE_ADDR=:1001", "EXCHANGE_TLS_CLIENT_REVOKED=hush", "EXCHANGE_RATE_FOR_EACH_CALLER=hush",
		"EXCHANGE_PORT=8080", "EXCHANGE_SERVICE_HOST=here",
	})
	if status != 0 || settings.Listen != ":1001" {
		t.Fatalf("status %d, address %q: %s", status, settings.Listen, stderr)
	}
	for _, want := range []string{
		`"variable":"EXCHANGE_TLS_CLIENT_REVOKED","nearest":"EXCHANGE_TLS_CLIENT_`,
		`"variable":"EXCHANGE_RATE_FOR_EACH_CALLER"`, `"variable":"EXCHANGE_PORT"`,
		`"variable":"EXCHANGE_SERVICE_HOST"`,
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("the log %q lacks %q", stderr, want)
		}
	}
	if strings.Count(stderr, `"level":"WARN"`) != 4 || strings.Contains(stderr, "hush") {
		t.Errorf("the log is %q, want 4 warnings without values", stderr)
	}
}

// TestServiceLinksAreNoSettings starts a program in environments that hold what is made of a service called
// "exchange", with and without the other variables of such an environment.
func TestServiceLinksAreNoSettings(t *testing.T) {
	kubernetes := []string{ // as Kubernetes 1.34 makes them for the Services exchange and exchange-gateway
		"EXCHANGE_SERVICE_HOST=10.0.0.2", "EXCHANGE_SERVICE_PORT=80", "EXCHANGE_SERVICE_PORT_HTTP=80",
		"EXCHANGE_PORT=tcp://10.0.0.2:80",
		"EXCHANGE_PORT_80_TCP=tcp://10.0.0.2:80", "EXCHANGE_PORT_80_TCP_PROTO=tcp", "EXCHANGE_PORT_80_TCP_PORT=80",
		"EXCHANGE_PORT_80_TCP_ADDR=10.0.0.2",
		"EXCHANGE_GATEWAY_SERVICE_HOST=fd00::3", "EXCHANGE_GATEWAY_SERVICE_PORT_HTTP_ADMIN=9090",
		"EXCHANGE_GATEWAY_PORT=tcp://[fd00::3]:8080",
		"EXCHANGE_GATEWAY_PORT_8080_TCP_ADDR=fd00::3",
	}
	for name, environ := range map[string][]string{
		"kubernetes":                            append([]string{"KUBERNETES_SERVICE_HOST=10.0.0.1"}, kubernetes...),
		"kubernetes, environment not inherited": kubernetes,
		"container link": {
			"EXCHANGE_NAME=/web/exchange", "EXCHANGE_PORT=tcp://172.17.0.5:8080",
			"EXCHANGE_PORT_8080_TCP=tcp://172.17.0.5:8080",
			"EXCHANGE_PORT_8080_TCP_ADDR=172.17.0.5", "EXCHANGE_PORT_8080_TCP_PORT=8080",
			"EXCHANGE_PORT_8080_TCP_PROTO=tcp", "EXCHANGE_ENV_PATH=/bin",
		},
	} {
		if _, _, status, stderr := run(t, nil, environ); status != 0 || stderr != "" {
			t.Errorf("%s: status %d, %s", name, status, stderr)
		}
	}
}

func TestSecretsAreNotShownByErrors(t *testing.T) {
	_, _, _, stderr := run(t, []string{"--store", "x"}, []string{"EXCHANGE_CREDENTIAL=hush-hush-hush-hush"})
	if strings.Contains(stderr, "hush") {
		t.Fatalf("stderr %q", stderr)
	}
	var store process.StoreURL
	if err := store.Set("mogodb://root:hush@db"); err == nil || strings.Contains(err.Error(), "hush") {
		t.Fatalf("error %v, want one without the password", err)
	}
}

func TestDefaultsOfAProgram(t *testing.T) {
	var listen string
	var secrets []string
	program := process.Program{
		Name: "exchange", Defaults: map[string]string{"addr": "127.0.0.1:7001", "credential": "a-secret-by-default"},
		Run: func(_ context.Context, p *process.Process) error {
			listen, secrets = p.Settings.Listen, p.Settings.Secrets
			return nil
		},
	}
	var out, errs strings.Builder
	if status := program.Execute(t.Context(), nil, []string{"EXCHANGE_CREDENTIAL=another-secret-then"}, &out,
		&errs); status != 0 {
		t.Fatal(errs.String())
	}
	if listen != "127.0.0.1:7001" || !reflect.DeepEqual(secrets, []string{"another-secret-then"}) {
		t.Errorf("listen %s, secrets %q", listen, secrets)
	}
	if program.Execute(t.Context(), []string{"--help"}, nil, &out, &errs); !strings.Contains(out.String(),
		"127.0.0.1:7001") {
		t.Errorf("help %q, want the program's default in it", out.String())
	}
	program.Defaults = map[string]string{"adrr": ":1"}
	if program.Execute(t.Context(), nil, nil, &out, &errs) == 0 ||
		!strings.Contains(errs.String(), "did you mean addr?") {
		t.Errorf("stderr %q", errs.String())
	}
}

func TestVersion(t *testing.T) {
	var out, errs strings.Builder
	program := process.Program{Name: "claims", Run: func(context.Context, *process.Process) error {
		return errors.New("it ran")
	}}
	if status := program.Execute(t.Context(), []string{"--version"}, nil, &out, &errs); status != 0 {
		t.Fatal(errs.String())
	}
	build := process.CurrentBuild()
	for _, want := range []string{"claims", build.Version, "commit " + build.Commit, runtime.Version()} {
		if want == "" || !strings.Contains(out.String(), want) {
			t.Errorf("%q lacks %q", out.String(), want)
		}
	}
}
