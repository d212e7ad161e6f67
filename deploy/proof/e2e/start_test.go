package e2e_test

import (
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

var listens = regexp.MustCompile(`(?m)^The Insurance Exchange listens on (http://127\.0\.0\.1:\d+)$`)

// TestStartsAndFindsItsData starts an exchange twice on the same data. `make bench` measures how long a start takes.
func TestStartsAndFindsItsData(t *testing.T) {
	t.Parallel()
	data, id := t.TempDir(), ""
	for run := range 2 {
		p, err := trial.Start(commands.Path("exchange"),
			[]string{"EXCHANGE_ADDR=127.0.0.1:0", "EXCHANGE_DATA=" + data}, "run")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Kill() })
		base, err := p.Find(p.Stdout, listens)
		if err != nil {
			t.Fatal(err)
		}
		token, err := exec.Command(commands.Path("exchange"), "token", "--data", data).Output()
		if err != nil {
			t.Fatal(err)
		}
		c := caller(t).At(base).With("Bearer " + strings.TrimSpace(string(token)))
		if run == 0 {
			id = c.Create(t, "vehicle", vehicle()).Text("id")
		}
		wantMembers(t, c.Read(t, "/vehicle/"+id), map[string]string{"id": id, "plateNumber": "LV 1815"})
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	}
}

func TestTokenCommand(t *testing.T) {
	t.Parallel()
	token := func(args ...string) string {
		t.Helper()
		output, err := exec.Command(commands.Path("exchange"),
			append([]string{"token", "--data", whole.Data}, args...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return "Bearer " + strings.TrimSpace(string(output))
	}
	c := caller(t)
	c.With(token()).Create(t, "vehicle", vehicle())
	c.With(token("--scope", trial.Developer)).Get(t, "/vehicle").Want(t, http.StatusOK)
	c.With(token("--scope", trial.Developer)).Post(t, "/vehicle", vehicle()).Want(t, http.StatusUnauthorized)
	c.With(token("--lifetime", "-1m")).Get(t, "/vehicle").Want(t, http.StatusUnauthorized)
}

var listening = regexp.MustCompile(`(?m)^.*"msg":"metrics and health".*\n`)

// TestRefusedStarts starts exchanges with wrong settings. Each ends with one line that names the setting.
func TestRefusedStarts(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	for name, c := range map[string]struct {
		environ []string
		args    []string
		names   []string
	}{
		"port in use": {
			nil, []string{"--addr", taken.Addr().String()}, []string{"addr", taken.Addr().String()},
		},
		"port in use, variable": {
			[]string{"EXCHANGE_ADDR=" + taken.Addr().String()}, nil, []string{"addr", taken.Addr().String()},
		},
		"no address": {nil, []string{"--addr", "here"}, []string{"addr", "here"}},
		"unknown variable": {
			[]string{"EXCHANGE_ADRR=127.0.0.1:0"}, nil, []string{"EXCHANGE_ADRR", "EXCHANGE_ADDR"},
		},
		"unknown flag": {nil, []string{"--adrr", "127.0.0.1:0"}, []string{"--adrr", "--addr"}},
		"wrong value": {
			[]string{"EXCHANGE_REPORTING_WINDOW=a month"}, nil, []string{"EXCHANGE_REPORTING_WINDOW", "a month"},
		},
		"period unknown": {nil, []string{"--bordereau-period", "year"}, []string{"bordereau-period", "year"}},
		"refund type unknown": {
			nil, []string{"--refund-receipt-type", "whim"}, []string{"refund-receipt-type", "whim"},
		},
		"file of settings absent": {nil, []string{"--config", "absent.yaml"}, []string{"absent.yaml"}},
		"value sets absent": {
			nil, []string{"--value-sets", "absent.yaml"}, []string{"value-sets", "absent.yaml"},
		},
		"data is a file": {
			nil, []string{"--data", commands.Path("exchange")}, []string{"data", commands.Path("exchange")},
		},
		"argument": {nil, []string{"fast"}, []string{"fast"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The usual ports may be taken, by what has nothing to do with the tests.
			environ := append([]string{
				"EXCHANGE_DATA=" + filepath.Join(t.TempDir(), "data"), "EXCHANGE_ADDR=127.0.0.1:0",
				"EXCHANGE_ADMIN_ADDR=127.0.0.1:0",
			}, c.environ...)
			p, err := trial.Start(commands.Path("exchange"), environ, append([]string{"run"}, c.args...)...)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = p.Kill() })
			status, err := p.Exit()
			if err != nil || status == 0 {
				t.Fatalf("exit status %d, %v", status, err)
			}
			// An error that is found after the listeners were opened may follow their lines in the log.
			said := listening.ReplaceAllString(p.Stderr.String(), "")
			if strings.Count(said, "\n") != 1 || p.Stdout.String() != "" {
				t.Errorf("not one line is said: %s %s", p.Stdout, said)
			}
			for _, word := range c.names {
				if !strings.Contains(said, word) {
					t.Errorf("%q does not name %s", said, word)
				}
			}
		})
	}
}
