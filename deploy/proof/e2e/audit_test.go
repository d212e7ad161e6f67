package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// TestAuditOfOneProcess follows a request through the audit log that is kept without any setting.
func TestAuditOfOneProcess(t *testing.T) {
	c := client(t, whole, "auditor", trial.Developer, trial.Admin)
	followOneRequest(t, c, filepath.Join(whole.Data, "audit.log"))
}

// followOneRequest makes a claim, and finds the lines of its request in the audit log of the gateway, of claims, and
// of coverage, which claims asks for the policy.
func followOneRequest(t *testing.T, c *trial.Client, files ...string) {
	number := policy(t, c).Text("policyNumber")
	id := fresh("order")
	body := loss(number, -1).With("remark", "words of a body")
	made := c.Post(t, "/claim", body, "X-Request-Id", id).Want(t, http.StatusCreated)
	record := "/claim/" + made.Record(t).Text("id")
	wait.Until(t, func() error {
		lines, err := auditOf(id, files)
		if err != nil {
			return err
		}
		for service, want := range map[string]map[string]any{
			"gateway":  {"method": "POST", "path": "/claim", "record": record, "status": 201.},
			"claims":   {"method": "POST", "path": "/claim", "record": record, "status": 201.},
			"coverage": {"method": "GET", "path": "/internal/policy/" + number, "status": 200.},
		} {
			line := lines[service]
			if line == nil {
				return fmt.Errorf("%s has no line of the request %s: %v", service, id, lines)
			}
			for name, value := range want {
				if line[name] != value {
					return fmt.Errorf("%s: %s is %v, want %v: %v", service, name, line[name], value, line)
				}
			}
			if line["subject"] == "" || line["subject"] != lines["gateway"]["subject"] || line["from"] == nil ||
				line["stream"] != "audit" || line["time"] == nil {
				return fmt.Errorf("the line of %s does not say who, when and from where: %v", service, line)
			}
			if strings.Contains(fmt.Sprint(line), "words of a body") {
				return fmt.Errorf("the line of %s has the body: %v", service, line)
			}
		}
		return nil
	})
}

// auditOf returns the lines of a request by the service that has written them.
func auditOf(id string, files []string) (map[string]map[string]any, error) {
	lines := map[string]map[string]any{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for one := range strings.Lines(string(text)) {
			var line map[string]any
			if err := json.Unmarshal([]byte(one), &line); err != nil && strings.HasSuffix(one, "\n") {
				return nil, errors.Join(fmt.Errorf("%s: %q", file, one), err)
			}
			if line["request"] == id {
				lines[fmt.Sprint(line["service"])] = line
			}
		}
	}
	return lines, nil
}
