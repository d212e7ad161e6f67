package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// shell runs a command line in bash, as a person types it.
func (s *shell) shell(t *testing.T, line string, environ ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	bin := s.path("bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(s.client, bin+"/exchange"); err != nil && !errors.Is(err, os.ErrExist) {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-o", "pipefail", "-c", line)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.folder, &stdout, &stderr
	cmd.Env = append([]string{trial.NoPause,
		"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + s.folder, "EXCHANGE_URL=" + s.url, "EXCHANGE_DATA=" + s.Data,
	}, environ...)
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// examples returns the examples in the help of a command. An example of several lines is one string.
func (s *shell) examples(t *testing.T, command ...string) []string {
	t.Helper()
	help := s.run(t, append(command, "--help")...).want(t, 0).stdout
	_, rest, has := strings.Cut(help, "Examples:\n")
	if !has {
		return nil
	}
	text, _, _ := strings.Cut(rest, "\n\n")
	var all []string
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		all = append(all, strings.TrimSpace(line))
	}
	return all
}

// records returns the seeded records of a resource.
func (s *shell) records(t *testing.T, resource string) []trial.Record {
	t.Helper()
	var all []trial.Record
	for _, line := range s.run(t, "list", resource, "--all", "-o", "json").want(t, 0).lines() {
		var record trial.Record
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		all = append(all, record)
	}
	return all
}

// fixtures writes the files that the examples name, about a policy.
func (s *shell) fixtures(t *testing.T, policy trial.Record) {
	t.Helper()
	for name, content := range map[string]any{
		"policy.json": policy.Without("id", "policyNumber", "status"),
		"notification.json": trial.Record{
			"policyNumber": policy["policyNumber"], "lossDate": policy["inceptionDate"], "claimType": "other",
			"lossCause": policy["perils"].([]any)[0],
		},
		"vehicle.json": trial.Record{"plateNumber": "EX 9", "vin": "V9"},
		"product.json": s.records(t, "product")[0],
		"may.ndjson": trial.Record{
			"policyNumber": policy["policyNumber"], "receiptType": "other", "paymentAmount": 5,
			"premiumPaymentMethod": "cash",
		},
	} {
		text, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		s.write(t, name, string(text)+"\n")
	}
	s.write(t, "fleet.csv", "plateNumber,vin\nEX 1,V1\nEX 2,V2\n")
	s.write(t, "password", "secret\n")
	s.run(t, "export", "vehicle", "--out", "fleet.xlsx").want(t, 0)
}

var onRecord = regexp.MustCompile(`exchange (get|put|action) (\w+) \$ID`)

// TestHelpExamples runs every example in the help of every command, with a seeded exchange. Those about MongoDB find
// no server.
func TestHelpExamples(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.run(t, "seed", "--size", "21").want(t, 0)
	policies := slices.DeleteFunc(s.records(t, "motorCoverage"), func(r trial.Record) bool {
		return r.Text("status") != "in force"
	})
	s.fixtures(t, policies[0])
	used := map[string]bool{}
	idFor := func(resource string) string {
		for _, record := range s.records(t, resource) {
			status := record.Text("status") + record.Text("claimStatus")
			id := record.Text("id")
			if used[id] || record["reverses"] != nil || !slices.Contains([]string{"", "open", "in force"}, status) {
				continue
			}
			// there is only one product, and its examples change nothing that other examples need
			used[id] = resource != "product"
			return id
		}
		t.Fatalf("there is no %s left", resource)
		return ""
	}
	named := regexp.MustCompile(`(?m)^  ([\w-]+) +[A-Z]`)
	help := s.run(t, "--help").want(t, 0).stdout
	tried := 0
	for _, match := range append([][]string{{"", ""}}, named.FindAllStringSubmatch(help, -1)...) {
		var command []string
		if match[1] != "" {
			command = []string{match[1]}
		}
		for _, example := range s.examples(t, command...) {
			tried++
			t.Run(strings.Join(command, "")+"/"+example, func(t *testing.T) {
				if example == "exchange run" {
					s.wantRun(t)
					return
				}
				environ := []string{"POLICY=" + policies[0].Text("policyNumber")}
				if on := onRecord.FindStringSubmatch(example); on != nil {
					environ = append(environ, "ID="+idFor(on[2]))
				}
				ran := s.shell(t, strings.ReplaceAll(example, "http://127.0.0.1:8080", s.url), environ...)
				if !strings.Contains(example, "mongodb://") {
					ran.want(t, 0)
				} else if ran.want(t, 3); !strings.Contains(ran.stderr, "db-0") { // there is no such server here
					t.Errorf("the server that is not there is not named: %s", ran.stderr)
				}
			})
		}
	}
	if tried < 40 {
		t.Errorf("%d examples were found, want at least 40: is the help of another form?", tried)
	}
}

// wantRun fails the test unless `exchange run` listens, and ends with status 0 once it is asked to.
func (s *shell) wantRun(t *testing.T) {
	t.Helper()
	another, err := commands.Plain().RunInOne(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := another.Close(); err != nil {
		t.Fatal(err)
	}
}
