package documentdb

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestDebianMirror(t *testing.T) {
	if _, err := exec.LookPath("apt-get"); err != nil {
		t.Fatal("the packages are fetched with apt, on Debian")
	}
	const debian = "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12\"\nVERSION_CODENAME=bookworm\n"
	for name, c := range map[string]struct {
		files  map[string]string
		mirror string
		reason string
	}{
		"stanzas": {
			files: map[string]string{
				"os-release": debian,
				"apt/sources.list.d/a.sources": "Types: deb\nURIs: https://vendor.example/\nSuites: stable\n" +
					"Components: main\n\n" +
					"Types: deb\n# note\nURIs: http://mirror.example/debian\nSuites: bookworm bookworm-updates\n" +
					"Components: main\n",
			},
			mirror: "http://mirror.example/debian",
		},
		"lines": {
			files: map[string]string{
				"os-release": debian,
				"apt/sources.list": "# note\ndeb https://vendor.example/ stable main\n" +
					"deb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian bookworm main\n",
			},
			mirror: "http://mirror.example/debian",
		},
		"another system": {
			files:  map[string]string{"os-release": "ID=fedora\nPRETTY_NAME=\"Fedora Linux 44\"\n"},
			reason: "this is Fedora Linux 44, not Debian",
		},
		"no mirror": {
			files: map[string]string{
				"os-release": debian, "apt/sources.list": "deb https://vendor.example/ stable main\n",
			},
			reason: "names no mirror of Debian's release bookworm",
		},
	} {
		t.Run(name, func(t *testing.T) {
			etc := t.TempDir()
			for path, text := range c.files {
				path = filepath.Join(etc, path)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			mirror, err := debianMirror(t.Context(), etc)
			if mirror != c.mirror || (err == nil) != (c.reason == "") {
				t.Errorf("mirror %q, error %v", mirror, err)
			}
			if err != nil && !strings.Contains(err.Error(), c.reason) {
				t.Errorf("error %v, want %q", err, c.reason)
			}
		})
	}
}
