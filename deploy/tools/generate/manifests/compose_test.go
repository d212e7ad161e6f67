package manifests_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"

	"insurance.example/exchange/contracts/internalapi"
)

// composed is what the tests read of a container of the compose file.
type composed struct {
	Restart     string         `yaml:"restart"`
	Memory      string         `yaml:"mem_limit"`
	Environment map[string]any `yaml:"environment"`
	Volumes     []string       `yaml:"volumes"`
	Logging     map[string]any `yaml:"logging"`
	Health      map[string]any `yaml:"healthcheck"`
}

// readCompose returns the containers of a compose file.
func readCompose(t *testing.T, name string) map[string]composed {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, name))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]composed `yaml:"services"`
	}
	// A member that a merge (<<) brings along may be given again.
	if err := yaml.UnmarshalWithOptions(text, &file, yaml.AllowDuplicateMapKey()); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return file.Services
}

// TestContainersAreBounded looks at what keeps the containers of the compose file from filling the machine: limits of
// memory and logs, and health checks that are seldom once a container is healthy. What runs for long starts again.
func TestContainersAreBounded(t *testing.T) {
	ends := []string{"secrets", "token"}
	all := readCompose(t, "docker-compose.yml")
	for _, name := range append(internalapi.Services(), internalapi.Gateway, "mongo", "kafka", "secrets", "token") {
		c, is := all[name]
		if !is {
			t.Errorf("there is no %s", name)
		}
		options, _ := c.Logging["options"].(map[string]any)
		if c.Memory == "" || options["max-size"] == nil || options["max-file"] == nil {
			t.Errorf("%s: the limit of memory is %q, and of the log %v", name, c.Memory, c.Logging)
		}
		if slices.Contains(ends, name) {
			continue
		}
		if c.Restart != "unless-stopped" || c.Health["start_interval"] == nil || c.Health["start_period"] == nil ||
			c.Health["interval"] != "30s" && c.Health["interval"] != "60s" {
			t.Errorf("%s: restart %q, health check %v", name, c.Restart, c.Health)
		}
	}
}

// TestEachServiceHasAUserOfMongoDB looks for the user of each service, and for its password, which no other has. The
// stand-in, which asks for no login, gets none.
func TestEachServiceHasAUserOfMongoDB(t *testing.T) {
	all, standins := readCompose(t, "docker-compose.yml"), readCompose(t, "deploy/docker/standins.yml")
	for _, name := range append(internalapi.Services(), internalapi.Gateway) {
		c := all[name]
		user := any(name)
		if name == internalapi.Gateway {
			user = nil
		}
		if c.Environment["EXCHANGE_MONGO_USER"] != user {
			t.Errorf("%s logs in as %v, want %v", name, c.Environment["EXCHANGE_MONGO_USER"], user)
		}
		for _, service := range internalapi.Stored() {
			if has := slices.Contains(c.Volumes, "mongodb-"+service+":/mongodb:ro"); has != (service == name) {
				t.Errorf("%s has the password of %s: %v", name, service, has)
			}
		}
		for _, setting := range []string{"EXCHANGE_MONGO_USER", "EXCHANGE_MONGO_PASSWORD_FILE"} {
			if name != internalapi.Gateway && standins[name].Environment[setting] != "" {
				t.Errorf("with the stand-in, %s has %s=%v", name, setting, standins[name].Environment[setting])
			}
		}
	}
	for _, service := range internalapi.Stored() {
		if !slices.Contains(all["mongo"].Volumes, "mongodb-"+service+":/mongodb/"+service+":ro") ||
			!slices.Contains(all["secrets"].Volumes, "mongodb-"+service+":/mongodb/"+service) {
			t.Errorf("mongo or secrets has no volume with the password of %s", service)
		}
	}
}
