// Command check checks manifests against the rules of package policy. Without arguments it checks the bases and
// overlays of the tree, and else the folders that the arguments name.
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
	if len(folders) == 0 {
		if folders, err = policy.Folders(tree); err != nil {
			return nil, err
		}
	}
	var findings []string
	for _, folder := range folders {
		m, err := policy.Render(folder)
		if err != nil {
			return nil, err
		}
		for _, f := range policy.Check(m, programs, documented) {
			findings = append(findings, folder+": "+f.String())
		}
	}
	return findings, nil
}
