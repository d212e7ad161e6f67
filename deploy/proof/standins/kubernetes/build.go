package kubernetes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"insurance.example/exchange/deploy/proof/standins/process"
)

// release is the line of programs/kubernetes/go.mod that says which release is built.
var release = regexp.MustCompile(`(?m)^\s*k8s\.io/kubernetes (v\S+)`)

// build builds the programs of the cluster into a folder for their versions, unless that was done before, and returns
// the folder.
func build(ctx context.Context, dir string, say func(string, ...any)) (string, error) {
	source, err := run(ctx, "go", "list", "-f", "{{.Dir}}",
		"insurance.example/exchange/deploy/proof/standins/kubernetes")
	if err != nil {
		return "", fmt.Errorf(
			"the programs are built from the folder of the repository, which this is not called in: %w", err)
	}
	source = strings.TrimSpace(source)
	version, digest, err := versions(source)
	if err != nil {
		return "", err
	}
	made := filepath.Join(dir, version+"-"+digest)
	lock, err := process.Lock(ctx, made+".lock", func() { say("another process is building %s; waiting for it", made) })
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if _, err := os.Stat(made); err == nil {
		return made, nil
	}
	say("building Kubernetes %s and CoreDNS into %s, which is done once and takes minutes", version, made)
	partial := made + ".partial"
	if err := os.MkdirAll(partial, 0o755); err != nil {
		return "", err
	}
	stamp := "-X k8s.io/component-base/version.gitVersion=" + version
	for module, programs := range map[string][]string{
		filepath.Join(source, "programs", "kubernetes"): {"tool"},
		filepath.Join(source, "programs", "coredns"):    {"tool"},
		source: {"./pause"},
	} {
		command := exec.Command("go", append([]string{
			"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w " + stamp, "-o",
			partial + string(filepath.Separator),
		}, programs...)...)
		command.Dir = module
		command.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		if output, err := runTogether(ctx, command); err != nil {
			return "", fmt.Errorf("building %v in %s: %w: %s", programs, module, err, output)
		}
	}
	say("built")
	return made, os.Rename(partial, made)
}

// runTogether runs a command that starts others, and returns what all of them wrote. It ends all of them if ctx ends,
// and with this process: a build that is left behind takes the whole machine for minutes.
func runTogether(ctx context.Context, command *exec.Cmd) (output []byte, err error) {
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	command.SysProcAttr = together()
	ended := make(chan struct{})
	leader, err := process.StartBound(command, ended)
	if err != nil {
		return nil, err
	}
	select {
	case <-ended:
	case <-ctx.Done():
		err := endTogether(leader)
		<-ended
		return said.Bytes(), errors.Join(ctx.Err(), err)
	}
	if !command.ProcessState.Success() {
		return said.Bytes(), errors.New(command.ProcessState.String())
	}
	return said.Bytes(), nil
}

// versions returns the release of Kubernetes, and a digest of all that goes into the programs.
func versions(source string) (version, digest string, err error) {
	sum := sha256.New()
	for _, name := range []string{"coredns/go.mod", "coredns/go.sum", "kubernetes/go.mod", "kubernetes/go.sum",
		"../pause/main.go"} {
		content, err := os.ReadFile(filepath.Join(source, "programs", name))
		if err != nil {
			return "", "", err
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(content), content)
		if found := release.FindSubmatch(content); found != nil {
			version = string(found[1])
		}
	}
	if version == "" {
		return "", "", errors.New("programs/kubernetes/go.mod requires no k8s.io/kubernetes")
	}
	return version, fmt.Sprintf("%x", sum.Sum(nil))[:8], nil
}
