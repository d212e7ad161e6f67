// Command sbom lists what a command is made of, as a CycloneDX document in JSON: the modules that Go has recorded in
// the command itself, with their versions and checksums, and the libraries of the npm registry in a manifest, which the
// pages of a command load.
//
// cyclonedx-gomod does not list such libraries. It names Go's own library as scanners do not, calls the modules of this
// repository (devel), and writes the time, so that images of the same files would differ.
//
//	sbom COMMAND VERSION [MANIFEST] >sbom.cdx.json
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"runtime/debug"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 2 && len(args) != 3 {
		return errors.New("usage: sbom COMMAND VERSION [MANIFEST]")
	}
	info, err := buildinfo.ReadFile(args[0])
	if err != nil {
		return err
	}
	var loaded []cdx.Component
	if len(args) == 3 {
		if loaded, err = libraries(args[2]); err != nil {
			return err
		}
	}
	document, err := describe(info, args[1], loaded)
	if err != nil {
		return err
	}
	return cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(document)
}

// describe returns the document of a command of a version and of the libraries that its pages load. The modules of this
// repository within it have no version of their own.
func describe(info *debug.BuildInfo, version string, loaded []cdx.Component) (*cdx.BOM, error) {
	document := cdx.NewBOM()
	document.Metadata = &cdx.Metadata{Component: &cdx.Component{
		BOMRef: info.Path, Type: cdx.ComponentTypeApplication, Name: path.Base(info.Path), Version: version,
	}}
	components := []cdx.Component{{
		BOMRef: "pkg:golang/std@" + info.GoVersion, Type: cdx.ComponentTypeLibrary, Name: "std",
		Version: info.GoVersion, PackageURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"),
	}}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		component, err := library(module, version)
		if err != nil {
			return nil, err
		}
		components = append(components, component)
	}
	components = append(components, loaded...)
	document.Components = &components
	refs := make([]string, len(components))
	for i, c := range components {
		refs[i] = c.BOMRef
	}
	document.Dependencies = &[]cdx.Dependency{{Ref: info.Path, Dependencies: &refs}}
	return document, nil
}

// libraries returns the components in a manifest.
func libraries(manifest string) (all []cdx.Component, err error) {
	text, err := os.ReadFile(manifest)
	if err != nil {
		return nil, err
	}
	var listed []struct{ Name, Version, Licence, SHA256 string }
	if err := json.Unmarshal(text, &listed); err != nil {
		return nil, fmt.Errorf("%s: %w", manifest, err)
	}
	for _, l := range listed {
		url := "pkg:npm/" + strings.Replace(l.Name, "@", "%40", 1) + "@" + l.Version
		all = append(all, cdx.Component{
			BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: l.Name, Version: l.Version, PackageURL: url,
			Licenses: &cdx.Licenses{{Expression: l.Licence}},
			Hashes:   &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: l.SHA256}},
		})
	}
	return all, nil
}

// library returns the component of a module.
func library(module *debug.Module, version string) (cdx.Component, error) {
	ours := module.Sum == ""
	if !ours {
		version = module.Version
	}
	url := "pkg:golang/" + module.Path + "@" + version
	c := cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: module.Path, Version: version}
	if ours {
		return c, nil // a part of this repository, which no registry has
	}
	c.PackageURL = url
	encoded, ok := strings.CutPrefix(module.Sum, "h1:")
	sum, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil {
		return c, fmt.Errorf("module %s has the checksum %q, which is not of the form h1:BASE64",
			module.Path, module.Sum)
	}
	c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
	return c, nil
}
