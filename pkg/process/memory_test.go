package process

import (
	"os"
	"path/filepath"
	"testing"
)

// TestMemoryOfTheControlGroup writes files as Linux has them, for both versions of control groups.
func TestMemoryOfTheControlGroup(t *testing.T) {
	const second, first = "0::/pod/container\n", "5:cpu,cpuacct:/pod\n4:memory:/pod/container\n"
	for name, c := range map[string]struct {
		membership string
		files      map[string]string
		want       int64
		limited    bool
	}{
		"its own": {
			second, map[string]string{"pod/container/memory.max": "100000000\n"}, 100_000_000, true,
		},
		"one that it is in": {
			second, map[string]string{"pod/container/memory.max": "max\n", "pod/memory.max": "90000000\n"},
			90_000_000, true,
		},
		"the least": {
			second, map[string]string{"pod/container/memory.max": "80000000\n", "pod/memory.max": "90000000\n"},
			80_000_000, true,
		},
		"as a container sees it": {"0::/\n", map[string]string{"memory.max": "70000000\n"}, 70_000_000, true},
		"of another one":         {second, map[string]string{"other/memory.max": "100000000\n"}, 0, false},
		"none":                   {second, map[string]string{"pod/container/memory.max": "max\n"}, 0, false},
		"no control groups":      {"", nil, 0, false},
		"the first version": {
			first, map[string]string{"memory/pod/container/memory.limit_in_bytes": "60000000\n"}, 60_000_000, true,
		},
		"another one, first version": {
			first, map[string]string{"memory/other/memory.limit_in_bytes": "60000000\n"}, 0, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write := func(file, text string) {
				path := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if c.membership != "" {
				write("proc/self/cgroup", c.membership)
			}
			for file, text := range c.files {
				write("sys/fs/cgroup/"+file, text)
			}
			if limit, limited := controlGroupMemory(root); limit != c.want || limited != c.limited {
				t.Errorf("%d, limited: %v; want %d, %v", limit, limited, c.want, c.limited)
			}
		})
	}
}
