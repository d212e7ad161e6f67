package main

import (
	"bytes"
	"debug/buildinfo"
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
	var text bytes.Buffer
	if err := run([]string{command, "v1.2.3"}, &text); err != nil {
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
	for _, args := range [][]string{nil, {"main.go"}, {"main.go", "v1"}, {"absent", "v1"}} {
		if run(args, new(bytes.Buffer)) == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
