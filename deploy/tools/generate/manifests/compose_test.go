package manifests_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	Needs       map[string]any `yaml:"depends_on"`
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

// TestEachServiceHasAUserOfMongoDB looks for the user of each service with a database, and for its password, which no
// other has. The stand-in, which asks for no login, gets none. A process without a database is given nothing of
// MongoDB, and does not wait for it.
func TestEachServiceHasAUserOfMongoDB(t *testing.T) {
	all, standins := readCompose(t, "docker-compose.yml"), readCompose(t, "deploy/docker/standins.yml")
	for _, p := range internalapi.Processes() {
		c := all[p.Name]
		var user any
		if !p.Storeless {
			user = p.Name
		}
		if c.Environment["EXCHANGE_MONGO_USER"] != user {
			t.Errorf("%s logs in as %v, want %v", p.Name, c.Environment["EXCHANGE_MONGO_USER"], user)
		}
		for _, setting := range []string{"EXCHANGE_STORE", "EXCHANGE_MONGO_PASSWORD_FILE"} {
			if _, has := c.Environment[setting]; has == p.Storeless {
				t.Errorf("%s has %s: %v", p.Name, setting, has)
			}
		}
		if _, waits := c.Needs["mongo"]; waits == p.Storeless {
			t.Errorf("%s waits for mongo: %v", p.Name, waits)
		}
		var passwords []string
		for _, volume := range c.Volumes {
			if strings.HasPrefix(volume, "mongodb-") {
				passwords = append(passwords, volume)
			}
		}
		var want []string
		if !p.Storeless {
			want = []string{"mongodb-" + p.Name + ":/mongodb:ro"}
		}
		if !slices.Equal(passwords, want) {
			t.Errorf("%s has the passwords %v, want %v", p.Name, passwords, want)
		}
		for _, setting := range []string{"EXCHANGE_MONGO_USER", "EXCHANGE_MONGO_PASSWORD_FILE"} {
			if has := standins[p.Name].Environment[setting]; !p.Storeless && has != "" {
				t.Errorf("with the stand-in, %s has %s=%v", p.Name, setting, has)
			}
		}
		if _, has := standins[p.Name]; has == p.Storeless {
			t.Errorf("the stand-in of MongoDB is given to %s: %v", p.Name, has)
		}
	}
	for _, service := range internalapi.Stored() {
		if !slices.Contains(all["mongo"].Volumes, "mongodb-"+service+":/mongodb/"+service+":ro") ||
			!slices.Contains(all["secrets"].Volumes, "mongodb-"+service+":/mongodb/"+service) {
			t.Errorf("mongo or secrets has no volume with the password of %s", service)
		}
	}
}

// TestWhoWritesFilesHasAFolder looks for the volume of a process that writes files of its own: its container is read
// only. The others have none.
func TestWhoWritesFilesHasAFolder(t *testing.T) {
	for name, c := range readCompose(t, "docker-compose.yml") {
		wants := name == "desk" || name == "book"
		if has := slices.Contains(c.Volumes, name+"-files:/tmp"); has != wants {
			t.Errorf("%s has a volume for its files: %v", name, has)
		}
		file := c.Environment["EXCHANGE_BOOK_FILE"]
		if file != nil && file != "/tmp/book.db" || name == "book" && file == nil {
			t.Errorf("%s keeps the book in %v", name, file)
		}
	}
}

// TestVolumesAreDeclaredAndUsed compares the volumes at the end of the compose file with those that containers have.
func TestVolumesAreDeclaredAndUsed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(repository, "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Volumes map[string]any `yaml:"volumes"`
	}
	if err := yaml.UnmarshalWithOptions(text, &file, yaml.AllowDuplicateMapKey()); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for container, c := range readCompose(t, "docker-compose.yml") {
		for _, volume := range c.Volumes {
			name, _, _ := strings.Cut(volume, ":")
			if strings.HasPrefix(name, ".") {
				continue
			}
			used[name] = true
			if _, is := file.Volumes[name]; !is {
				t.Errorf("%s has the volume %s, which is not declared", container, name)
			}
		}
	}
	for name := range file.Volumes {
		if !used[name] {
			t.Errorf("no container has the volume %s", name)
		}
	}
}
