package main

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// TestEveryModuleIsListed describes this command itself.
func TestEveryModuleIsListed(t *testing.T) {
	command := filepath.Join(t.TempDir(), "sbom")
	if output, err := exec.Command("go", "build", "-o", command, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	manifest := filepath.Join(t.TempDir(), "manifest.json")
	err := os.WriteFile(manifest, []byte(`[{"name": "@preact/signals-core", "version": "1.0.0", "licence": "MIT",
		"file": "signals.js", "sha256": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"}]`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := run([]string{command, "v1.2.3", manifest}, &text); err != nil {
		t.Fatal(err)
	}
	var document cdx.BOM
	if err := cdx.NewBOMDecoder(&text, cdx.BOMFileFormatJSON).Decode(&document); err != nil {
		t.Fatal(err)
	}
	if c := document.Metadata.Component; c.Name != "sbom" || c.Version != "v1.2.3" {
		t.Errorf("the document is of %s %s", c.Name, c.Version)
	}
	listed := map[string]cdx.Component{}
	for _, c := range *document.Components {
		listed[c.Name] = c
	}
	if c := listed["@preact/signals-core"]; c.PackageURL != "pkg:npm/%40preact/signals-core@1.0.0" ||
		c.Hashes == nil || c.Licenses == nil || (*c.Licenses)[0].Expression != "MIT" {
		t.Errorf("the library is listed as %+v", c)
	}
	info, err := buildinfo.ReadFile(command)
	if err != nil {
		t.Fatal(err)
	}
	if len(info.Deps) == 0 || listed["std"].Version != info.GoVersion {
		t.Errorf("%d modules; std is %v", len(info.Deps), listed["std"])
	}
	for _, module := range info.Deps {
		c := listed[module.Path]
		if c.Version != module.Version || c.PackageURL != "pkg:golang/"+module.Path+"@"+module.Version ||
			c.Hashes == nil || len((*c.Hashes)[0].Value) != 64 {
			t.Errorf("%s %s is listed as %+v", module.Path, module.Version, c)
		}
	}
}

func TestWrongArguments(t *testing.T) {
	for _, args := range [][]string{nil, {"main.go"}, {"main.go", "v1"}, {"absent", "v1"}, {"a", "b", "c", "d"}} {
		if run(args, new(bytes.Buffer)) == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
