package manifests_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/deploy/tools/generate/manifests"
)

var repository = filepath.Join("..", "..", "..", "..")

// copied returns a folder with what Write reads and changes of the repository.
func copied(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	paths := []string{"docker-compose.yml", "deploy/docker/standins.yml", "deploy/kubernetes", "gateway/RELEASE",
		"deploy/monitoring/alerts.yaml"}
	for _, name := range internalapi.Services() {
		paths = append(paths, "services/"+name+"/RELEASE")
	}
	for _, path := range paths {
		err := filepath.WalkDir(filepath.Join(repository, path), func(from string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			name, err := filepath.Rel(repository, from)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(from)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(folder, name), text, 0o644)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestManifestsAreGenerated compares the manifests of the repository with what is generated today.
func TestManifestsAreGenerated(t *testing.T) {
	folder := copied(t)
	if err := manifests.Write(folder); err != nil {
		t.Fatal(err)
	}
	files := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if got, err := os.ReadFile(filepath.Join(repository, name)); err != nil || string(got) != string(want) {
			t.Errorf("%s is not what is generated (%v): run make generate", name, err)
		}
		return nil
	})
	if err != nil || files < 30 {
		t.Errorf("%d files compared: %v", files, err)
	}
}

// TestAlertsWatchEveryProcess takes a process out of the alerts, or what the processes are found by.
func TestAlertsWatchEveryProcess(t *testing.T) {
	folder := copied(t)
	path := filepath.Join(folder, "deploy/monitoring/alerts.yaml")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lacking := strings.ReplaceAll(string(whole), "|coverage|", "|")
	if err := os.WriteFile(path, []byte(lacking), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := manifests.Write(folder); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != string(whole) || lacking == string(whole) {
		t.Errorf("the alerts without coverage are not what they were (%v)", err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(whole), "=~", "=")), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := manifests.Write(folder); err == nil || !strings.Contains(err.Error(), "alerts.yaml") {
		t.Errorf("error %v, want one that names alerts.yaml", err)
	}
}

// TestAFileWithoutItsMarkersIsAnError removes a marker.
func TestAFileWithoutItsMarkersIsAnError(t *testing.T) {
	folder := copied(t)
	path := filepath.Join(folder, "docker-compose.yml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "# end compose-gateway", "", 1)),
		0o644); err != nil {
		t.Fatal(err)
	}
	if err := manifests.Write(folder); err == nil || !strings.Contains(err.Error(), "compose-gateway") {
		t.Errorf("error %v, want one that names compose-gateway", err)
	}
}
