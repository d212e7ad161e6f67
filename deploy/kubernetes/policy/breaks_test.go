package policy_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"insurance.example/exchange/deploy/kubernetes/policy"
)

// breakage breaks one rule in the manifests of a folder.
type breakage struct {
	folder string
	change func(*policy.Manifests)
	// want is a part of the finding's message.
	object, want string
}

const (
	claims   = "base/claims"
	gateway  = "base/gateway"
	premium  = "base/premium"
	prod     = "overlays/prod"
	prodTLS  = "overlays/prod-tls"
	dev      = "overlays/dev"
	test     = "overlays/test"
	ofClaims = "Deployment claims"
)

// TestEachRuleFindsItsBreakage breaks each rule once, and expects a finding. Every message in the source of the package
// must have been found.
func TestEachRuleFindsItsBreakage(t *testing.T) {
	messages := messagesOf(t)
	known, secrets := programs(t), documented(t)
	rendered := map[string]*policy.Manifests{}
	for _, b := range slices.Concat(brokenPods(), brokenSettings(), brokenAvailability(), brokenNetwork()) {
		if rendered[b.folder] == nil {
			rendered[b.folder] = render(t, b.folder)
		}
		m := copied(rendered[b.folder])
		b.change(m)
		found := policy.Check(m, known, secrets)
		if !slices.ContainsFunc(found, func(f policy.Finding) bool {
			return f.Object == b.object && strings.Contains(f.Message, b.want)
		}) {
			t.Errorf("%s: findings %v, want %s: ...%s...", b.folder, found, b.object, b.want)
		}
		for _, f := range found {
			for text, message := range messages {
				if strings.Contains(f.Message, b.want) && message.MatchString(f.Message) {
					delete(messages, text)
				}
			}
		}
	}
	for text := range messages {
		t.Errorf("no breakage shows the rule %q", text)
	}
}

// copied returns manifests that can be changed.
func copied(m *policy.Manifests) *policy.Manifests {
	return &policy.Manifests{
		Folder: m.Folder, Namespaces: copies(m.Namespaces), Deployments: copies(m.Deployments), Sets: copies(m.Sets),
		Jobs: copies(m.Jobs), CronJobs: copies(m.CronJobs), ConfigMaps: copies(m.ConfigMaps),
		Services: copies(m.Services), Autoscalers: copies(m.Autoscalers), Budgets: copies(m.Budgets),
		Policies: copies(m.Policies), Ingresses: copies(m.Ingresses),
	}
}

func copies[T interface{ DeepCopy() T }](all []T) []T {
	result := make([]T, len(all))
	for i, one := range all {
		result[i] = one.DeepCopy()
	}
	return result
}

// messagesOf returns the messages of findings in the source of the package, each with a pattern that matches it.
func messagesOf(t *testing.T) map[string]*regexp.Regexp {
	t.Helper()
	messages := map[string]*regexp.Regexp{}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			at := map[string]int{"add": 1, "rule": 2}
			if !ok || at[method.Sel.Name] == 0 || len(call.Args) <= at[method.Sel.Name] {
				return true
			}
			if literal, ok := call.Args[at[method.Sel.Name]].(*ast.BasicLit); ok {
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				pattern := regexp.MustCompile(`%(\\\[1\\\])?[a-z]`).ReplaceAllString(regexp.QuoteMeta(text), ".*")
				end := map[string]string{"add": "$", "rule": "; "}[method.Sel.Name]
				messages[text] = regexp.MustCompile("^" + pattern + end)
			}
			return true
		})
	}
	if len(messages) < 40 {
		t.Fatalf("%d messages were found in the source", len(messages))
	}
	return messages
}

// on returns a change of the Deployment of a program.
func on(name string, change func(*appsv1.Deployment)) func(*policy.Manifests) {
	return func(m *policy.Manifests) {
		for _, d := range m.Deployments {
			if d.Name == name {
				change(d)
			}
		}
	}
}

// inPod returns a change of the pod of claims.
func inPod(change func(*corev1.PodSpec)) func(*policy.Manifests) {
	return on("claims", func(d *appsv1.Deployment) { change(&d.Spec.Template.Spec) })
}

// inContainer returns a change of the container of claims.
func inContainer(change func(*corev1.Container)) func(*policy.Manifests) {
	return inPod(func(s *corev1.PodSpec) { change(&s.Containers[0]) })
}

// with returns a change of a variable in the ConfigMap of a program; an empty value removes it.
func with(program, variable, value string) func(*policy.Manifests) {
	return func(m *policy.Manifests) {
		for _, settings := range m.ConfigMaps {
			if !strings.HasPrefix(settings.Name, program+"-") {
				continue
			}
			settings.Data[variable] = value
			if value == "" {
				delete(settings.Data, variable)
			}
		}
	}
}

// guarded returns a change of the NetworkPolicy of a program.
func guarded(name string, change func(*networkingv1.NetworkPolicySpec)) func(*policy.Manifests) {
	return func(m *policy.Manifests) {
		for _, p := range m.Policies {
			if p.Name == name {
				change(&p.Spec)
			}
		}
	}
}

// pointer returns the address of a value.
func pointer[T any](value T) *T { return &value }
