package policy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/kubernetes/policy"
)

const tree = ".."

func programs(t *testing.T) map[string]policy.Program {
	t.Helper()
	all, err := policy.Programs()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func documented(t *testing.T) policy.Documented {
	t.Helper()
	secrets, err := policy.ReadDocumented(filepath.Join(tree, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return secrets
}

func render(t *testing.T, folder string) *policy.Manifests {
	t.Helper()
	m, err := policy.Render(filepath.Join(tree, folder))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestManifests checks every base by itself and every overlay.
func TestManifests(t *testing.T) {
	folders, err := policy.Folders(tree)
	if err != nil {
		t.Fatal(err)
	}
	if len(folders) < 9 {
		t.Errorf("%d folders, want those of six programs and three overlays", len(folders))
	}
	secrets := documented(t)
	for _, folder := range folders {
		m, err := policy.Render(folder)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Deployments) == 0 {
			t.Errorf("%s has no Deployment", folder)
		}
		for _, finding := range policy.Check(m, programs(t), secrets) {
			t.Errorf("%s: %s", folder, finding)
		}
	}
}

// TestImagesByDigest pins an image of an overlay by its digest, as production.md says.
func TestImagesByDigest(t *testing.T) {
	const digest = "sha256:6dc1f2bb1f3e0f5d1d6a8ac0f9f2e7d34f7aa3b5d0e7a3f6b1f0c2d4e5a69788"
	prod, err := filepath.Abs(filepath.Join(tree, "overlays", "prod"))
	if err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder = filepath.Join(folder, "prod")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	base, err := filepath.Rel(folder, prod)
	if err != nil {
		t.Fatal(err)
	}
	text := "resources: [" + base + "]\nimages:\n" +
		"  - {name: registry.example.com/insurance-exchange/claims, digest: \"" +
		digest + "\"}\n"
	if err := os.WriteFile(filepath.Join(folder, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := policy.Render(folder)
	if err != nil {
		t.Fatal(err)
	}
	pinned := false
	for _, d := range m.Deployments {
		image := d.Spec.Template.Spec.Containers[0].Image
		pinned = pinned || image == "registry.example.com/insurance-exchange/claims@"+digest
	}
	if !pinned {
		t.Error("no Deployment has the image by its digest")
	}
	for _, finding := range policy.Check(m, programs(t), documented(t)) {
		t.Error(finding)
	}
}

// TestManifestsAreDecodedStrictly decodes objects that Kubernetes would refuse, or that no rule knows.
func TestManifestsAreDecodedStrictly(t *testing.T) {
	for want, object := range map[string]string{
		"unknown field": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: " +
			"claims}\nautomountToken: false\n",
		"cannot unmarshal": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: claims}\nspec: " +
			"{revisionHistoryLimit: many}\n",
		"no kind \"Deploiment\"":         "apiVersion: apps/v1\nkind: Deploiment\nmetadata: {name: claims}\n",
		"a manifest holds no Secret":     "apiVersion: v1\nkind: Secret\nmetadata: {name: claims}\n",
		"no rule is known for this kind": "apiVersion: v1\nkind: Pod\nmetadata: {name: claims}\n",
	} {
		folder := t.TempDir()
		for name, text := range map[string]string{"kustomization.yaml": "resources: [object.yaml]\n",
			"object.yaml": object} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := policy.Render(folder); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
