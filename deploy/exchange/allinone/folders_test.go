package allinone

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/servicetest"
)

var root = filepath.Join("..", "..", "..")

// read returns a file of the repository.
func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// words are the words of a text that are set as code.
func words(text string) []string {
	var all []string
	for _, match := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(text, -1) {
		all = append(all, match[1])
	}
	return all
}

// TestEveryServiceIsDescribedInItsFolder compares the README of each service with what the service declares: its
// resources, its settings, its collections and the services that it calls.
func TestEveryServiceIsDescribedInItsFolder(t *testing.T) {
	for _, s := range Services() {
		readme := read(t, "services", s.Name, "README.md")
		said := words(readme)
		resources, _, err := s.Describe()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range resources {
			if !strings.Contains(readme, "](../../contracts/interface.md#"+strings.ToLower(r.Resource)+")") {
				t.Errorf("the README of %s has no link to %s", s.Name, r.Resource)
			}
			for _, a := range r.Route.Actions {
				if !slices.Contains(said, ":"+a) {
					t.Errorf("the README of %s does not name the action %s of %s", s.Name, a, r.Resource)
				}
			}
		}
		for _, setting := range ownSettings(s) {
			if !slices.Contains(said, setting) {
				t.Errorf("the README of %s does not name the setting %s", s.Name, setting)
			}
		}
		for _, collection := range collections(t, s) {
			if !slices.Contains(said, collection) {
				t.Errorf("the README of %s does not name the collection %s", s.Name, collection)
			}
		}
		for _, peer := range s.Peers {
			if !strings.Contains(readme, "](../../contracts/consumers/"+peer+"/"+s.Name+".json)") {
				t.Errorf("the README of %s has no link to what it relies on at %s", s.Name, peer)
			}
		}
	}
}

// ownSettings returns the settings that a service has and others do not.
func ownSettings(s rest.Service) []string {
	var own []string
	if s.Flags != nil {
		flags := pflag.NewFlagSet(s.Name, pflag.ContinueOnError)
		s.Flags(flags)
		flags.VisitAll(func(f *pflag.Flag) { own = append(own, f.Name) })
	}
	return own
}

// collections returns the names of the collections that a service opens when it starts.
func collections(t *testing.T, s rest.Service) []string {
	t.Helper()
	store := &namingStore{Store: servicetest.OpenStore(t)}
	servicetest.Start(t, s.Definition(), servicetest.Options{Store: store})
	if s.Storeless != (len(store.names) == 0) {
		t.Fatalf("%s opens the collections %v, and is storeless: %v", s.Name, store.names, s.Storeless)
	}
	return store.names
}

// namingStore notes the names of the collections that are opened.
type namingStore struct {
	docstore.Store
	mu    sync.Mutex
	names []string
}

func (s *namingStore) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	s.mu.Lock()
	s.names = append(s.names, spec.Name)
	s.mu.Unlock()
	return s.Store.Collection(ctx, spec)
}

// TestRunbooksNameMetricsThatExist compares the metrics in the README of each service and the gateway with those in the
// README of deploy.
func TestRunbooksNameMetricsThatExist(t *testing.T) {
	metric := regexp.MustCompile(`^(http|exchange|peer|store|bus|trace)_[a-z_]+$`)
	described := read(t, "deploy", "README.md")
	for _, folder := range folders() {
		named := 0
		for _, word := range words(read(t, folder, "README.md")) {
			if !metric.MatchString(word) {
				continue
			}
			named++
			if !strings.Contains(described, "\n| `"+word+"` |") {
				t.Errorf("%s/README.md names the metric %s, which deploy/README.md does not describe", folder, word)
			}
		}
		if named == 0 {
			t.Errorf("%s/README.md names no metric", folder)
		}
	}
}

// TestEveryListOfServicesIsComplete compares the folders of services, the services of this package, and the processes
// that manifests and tests are derived from.
func TestEveryListOfServicesIsComplete(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join(root, "services"))
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string][]string{}
	for _, p := range internalapi.Processes() {
		calls[p.Name] = p.Calls
		if bases := read(t, "deploy", "kubernetes", "base", "kustomization.yaml"); !strings.Contains(bases,
			"\n  - "+p.Name+"\n") {
			t.Errorf("deploy/kubernetes/base/kustomization.yaml leaves out %s: run make generate", p.Name)
		}
	}
	named := map[string]bool{}
	for _, s := range Services() {
		named[s.Name] = true
		if got := calls[s.Name]; !slices.Equal(slices.Sorted(slices.Values(got)),
			slices.Sorted(slices.Values(s.Peers))) {
			t.Errorf("internalapi.Processes: %s calls %v, but its declaration names the peers %v", s.Name, got, s.Peers)
		}
	}
	for _, entry := range entries {
		if !named[entry.Name()] {
			t.Errorf("allinone.Services leaves out services/%s", entry.Name())
		}
		if !slices.Contains(internalapi.Services(), entry.Name()) {
			t.Errorf("internalapi.Processes leaves out services/%s", entry.Name())
		}
		if !strings.Contains(read(t, "go.work"), "\n\t./services/"+entry.Name()+"\n") {
			t.Errorf("go.work leaves out services/%s: run make generate", entry.Name())
		}
	}
}

// TestEveryFolderHasAnOwnerAndARelease looks at what makes a folder a team's own.
func TestEveryFolderHasAnOwnerAndARelease(t *testing.T) {
	owners := read(t, "CODEOWNERS")
	for _, folder := range folders() {
		if !regexp.MustCompile(`(?m)^/` + folder + `/ +@insurance-exchange/[a-z]+$`).MatchString(owners) {
			t.Errorf("CODEOWNERS names no owner of %s", folder)
		}
		if release := read(t, folder, "RELEASE"); !regexp.MustCompile(`^v\d+\.\d+\.\d+ [0-9a-f]{40}\n$`).
			MatchString(release) {
			t.Errorf("%s/RELEASE has %q, not a version and a commit", folder, release)
		}
		if makefile := read(t, folder, "Makefile"); !strings.Contains(makefile, "deploy/service.mk") {
			t.Errorf("%s/Makefile does not include deploy/service.mk", folder)
		}
	}
	contracts, err := filepath.Glob(filepath.Join(root, "contracts", "*", "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range contracts {
		path, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(path, "contracts/consumers/") && !strings.Contains(owners, "\n/"+path+" ") {
			t.Errorf("CODEOWNERS names no owners of %s", path)
		}
	}
}

// folders are the folders that are released alone.
func folders() []string {
	all := []string{"gateway"}
	for _, s := range Services() {
		all = append(all, "services/"+s.Name)
	}
	return all
}
