// Command check checks manifests against the rules of package policy. Without arguments it checks the bases and
// overlays of the tree, and the Secrets in deploy/kubernetes/README.md. With arguments it checks the folders that they
// name.
//
//	go run ./deploy/kubernetes/policy/cmd/check [FOLDER...]
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"insurance.example/exchange/deploy/kubernetes/policy"
)

func main() {
	tree := flag.String("tree", "deploy/kubernetes", "`folder` of the manifests of the exchange")
	flag.Parse()
	findings, err := run(*tree, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, f := range findings {
		fmt.Println(f)
	}
	if len(findings) > 0 {
		os.Exit(1)
	}
}

func run(tree string, folders []string) ([]string, error) {
	documented, err := policy.ReadDocumented(filepath.Join(tree, "README.md"))
	if err != nil {
		return nil, err
	}
	programs, err := policy.Programs()
	if err != nil {
		return nil, err
	}
	whole := len(folders) == 0
	if whole {
		if folders, err = policy.Folders(tree); err != nil {
			return nil, err
		}
	}
	var all []*policy.Manifests
	var findings []string
	for _, folder := range folders {
		m, err := policy.Render(folder)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
		for _, f := range policy.Check(m, programs, documented) {
			findings = append(findings, folder+": "+f.String())
		}
	}
	if whole {
		for _, f := range documented.Unused(all) {
			findings = append(findings, f.String())
		}
	}
	return findings, nil
}
