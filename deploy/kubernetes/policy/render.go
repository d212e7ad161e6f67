package policy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// Manifests are the objects of a folder.
type Manifests struct {
	// Folder is the path of the folder, with slashes.
	Folder      string
	Namespaces  []*corev1.Namespace
	Deployments []*appsv1.Deployment
	Sets        []*appsv1.StatefulSet
	Jobs        []*batchv1.Job
	CronJobs    []*batchv1.CronJob
	ConfigMaps  []*corev1.ConfigMap
	Services    []*corev1.Service
	Autoscalers []*autoscalingv2.HorizontalPodAutoscaler
	Budgets     []*policyv1.PodDisruptionBudget
	Policies    []*networkingv1.NetworkPolicy
	Ingresses   []*networkingv1.Ingress
}

// Render makes the objects of a folder with kustomize, and decodes them strictly: a field that Kubernetes does not
// know, or that occurs twice, is an error.
func Render(folder string) (*Manifests, error) {
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	m := &Manifests{Folder: filepath.ToSlash(folder)}
	for _, r := range resources.Resources() {
		one, err := r.AsYAML()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", folder, err)
		}
		if err := m.add(one); err != nil {
			return nil, fmt.Errorf("%s: %s %s: %w", folder, r.GetKind(), r.GetName(), err)
		}
	}
	return m, nil
}

// strict returns a decoder for the kinds of objects that the rules know, and for some more.
var strict = sync.OnceValues(func() (*json.Serializer, error) {
	scheme := runtime.NewScheme()
	for _, register := range []func(*runtime.Scheme) error{
		appsv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme,
		networkingv1.AddToScheme,
		policyv1.AddToScheme, rbacv1.AddToScheme, monitoringv1.AddToScheme,
	} {
		if err := register(scheme); err != nil {
			return nil, err
		}
	}
	return json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme,
		json.SerializerOptions{Yaml: true, Strict: true}), nil
})

// add decodes an object. It fails on a Secret: the tree must hold none.
func (m *Manifests) add(text []byte) error {
	decoder, err := strict()
	if err != nil {
		return err
	}
	object, _, err := decoder.Decode(text, nil, nil)
	if err != nil {
		return err
	}
	switch o := object.(type) {
	case *corev1.Namespace:
		m.Namespaces = append(m.Namespaces, o)
	case *appsv1.Deployment:
		m.Deployments = append(m.Deployments, o)
	case *appsv1.StatefulSet:
		m.Sets = append(m.Sets, o)
	case *batchv1.Job:
		m.Jobs = append(m.Jobs, o)
	case *batchv1.CronJob:
		m.CronJobs = append(m.CronJobs, o)
	case *corev1.ConfigMap:
		m.ConfigMaps = append(m.ConfigMaps, o)
	case *corev1.Service:
		m.Services = append(m.Services, o)
	case *autoscalingv2.HorizontalPodAutoscaler:
		m.Autoscalers = append(m.Autoscalers, o)
	case *policyv1.PodDisruptionBudget:
		m.Budgets = append(m.Budgets, o)
	case *networkingv1.NetworkPolicy:
		m.Policies = append(m.Policies, o)
	case *networkingv1.Ingress:
		m.Ingresses = append(m.Ingresses, o)
	case *corev1.ServiceAccount, *rbacv1.Role, *rbacv1.RoleBinding,
		*monitoringv1.PodMonitor, *monitoringv1.PrometheusRule:
		// Strict decoding is all that is asked of them.
	case *corev1.Secret:
		return errors.New("a manifest holds no Secret: refer to it by its name, and tell in README.md how it is made")
	default:
		return errors.New("no rule is known for this kind; add it to package policy, or do without it")
	}
	return nil
}

// Folders returns the folders of a tree that can be applied: each base and each overlay.
func Folders(tree string) ([]string, error) {
	var folders []string
	for _, kind := range []string{"base", "overlays"} {
		entries, err := os.ReadDir(filepath.Join(tree, kind))
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if !entry.IsDir() {
				continue // the list of the bases
			}
			folders = append(folders, filepath.Join(tree, kind, entry.Name()))
		}
	}
	return folders, nil
}
