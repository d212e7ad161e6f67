// Command sbom lists what a command is made of, as a CycloneDX document in JSON: the modules that Go has recorded in
// the command itself, with their versions and checksums.
//
//	sbom COMMAND VERSION >sbom.cdx.json
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
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
	if len(args) != 2 {
		return errors.New("usage: sbom COMMAND VERSION")
	}
	info, err := buildinfo.ReadFile(args[0])
	if err != nil {
		return err
	}
	document, err := describe(info, args[1])
	if err != nil {
		return err
	}
	return cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(document)
}

// describe returns the document of a command of a version. The modules of this repository within it have no version of
// their own.
func describe(info *debug.BuildInfo, version string) (*cdx.BOM, error) {
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
	document.Components = &components
	refs := make([]string, len(components))
	for i, c := range components {
		refs[i] = c.BOMRef
	}
	document.Dependencies = &[]cdx.Dependency{{Ref: info.Path, Dependencies: &refs}}
	return document, nil
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
