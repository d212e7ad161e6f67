package policy

import (
	"fmt"
	"net"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/pkg/setting"
)

// The ports of a program, by their names in the manifests.
const (
	requestPort = "http"
	adminPort   = "admin"
)

// settings checks the command line and the environment of a program. The program itself reads them here, as it does
// when it starts.
func (c *check) settings(w workload) {
	flags, ok := c.resolved(w)
	if !ok {
		return
	}
	p, _ := c.program(w)
	c.ports(w, flags)
	c.termination(w, flags)
	c.peers(w, p, flags)
	c.callers(w, p, flags)
	c.memory(w)
	c.files(w, flags)
	if p.service() {
		c.login(w, p, flags)
	}
	if p.aggregates() && !flags.Changed("brokers") {
		c.add(w.String(), "it aggregates receipts, and has no brokers; set EXCHANGE_BROKERS")
	}
	if !p.aggregates() && flags.Changed("brokers") {
		c.add(w.String(), "it has no use for brokers; remove EXCHANGE_BROKERS")
	}
	if p.service() && !strings.HasPrefix(flags.Lookup("store").Value.String(), "mongodb") {
		c.add(w.String(), "its records would go with its pod; set EXCHANGE_STORE to a mongodb:// URL")
	}
	// A base leaves it to the overlay to say which tokens are accepted.
	if keys := flags.Lookup("jwks-url"); keys != nil && len(c.Namespaces) > 0 &&
		keys.Changed == flags.Changed("jwt-keys") {
		c.add(w.String(), "set EXCHANGE_JWKS_URL or EXCHANGE_JWT_KEYS, and not both")
	}
}

// resolved returns the settings of a program as the manifests give them. ok is false, with a finding, if the program
// would refuse them.
func (c *check) resolved(w workload) (flags *pflag.FlagSet, ok bool) {
	p, _ := c.program(w)
	container := w.container()
	if len(container.Command) > 0 {
		c.add(w.String(), "it has a command of its own; the image's is the program")
	}
	flags = p.flags()
	if err := flags.Parse(container.Args); err != nil {
		c.add(w.String(), "the program refuses its arguments: %v", err)
		return nil, false
	}
	environ, ok := c.environ(w)
	if !ok {
		return nil, false
	}
	ignored, err := setting.Resolve(flags, environ, nil)
	if err != nil {
		c.add(w.String(), "the program refuses its settings: %v", err)
		return nil, false
	}
	for _, one := range ignored {
		c.add(w.String(), "the variable %s is no setting of the program", one.Variable)
	}
	return flags, true
}

// environ returns the environment of a workload.
func (c *check) environ(w workload) (environ []string, ok bool) {
	container := w.container()
	for _, from := range container.EnvFrom {
		if from.ConfigMapRef == nil {
			continue
		}
		i := slices.IndexFunc(c.ConfigMaps, func(m *corev1.ConfigMap) bool { return m.Name == from.ConfigMapRef.Name })
		if i < 0 {
			c.add(w.String(), "there is no ConfigMap %s", from.ConfigMapRef.Name)
			return nil, false
		}
		for name, value := range c.ConfigMaps[i].Data {
			environ = append(environ, name+"="+value)
		}
	}
	for _, variable := range container.Env {
		if variable.ValueFrom != nil {
			c.add(w.String(), "the value of %s is not in the manifests", variable.Name)
			return nil, false
		}
		environ = append(environ, variable.Name+"="+variable.Value)
	}
	for _, line := range environ {
		if name, _, _ := strings.Cut(line, "="); !strings.HasPrefix(name, "EXCHANGE_") && name != memoryVariable {
			c.add(w.String(), "the variable %s is no setting of the program", name)
		}
	}
	return environ, true
}

// ports requires that the ports of the container are those that the program listens on.
func (c *check) ports(w workload, flags *pflag.FlagSet) {
	for name, of := range map[string]string{requestPort: "addr", adminPort: "admin-addr"} {
		address := flags.Lookup(of).Value.String()
		host, want, err := net.SplitHostPort(address)
		if err != nil {
			c.add(w.String(), "its setting %s is %q, which has no port", of, address)
			continue
		}
		if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
			c.add(w.String(), "its setting %s is %q, which is not reached from outside of the pod; set %s to :%s", of,
				address, setting.Variable(of), want)
		}
		has := slices.ContainsFunc(w.container().Ports, func(p corev1.ContainerPort) bool {
			return p.Name == name && fmt.Sprint(p.ContainerPort) == want
		})
		if !has {
			c.add(w.String(), "it listens on the port %s (setting %s), and the container has no port %s with that "+
				"number", want, of, name)
		}
	}
}

// portNumber returns the number of a port of the container; "" if there is none of that name.
func (c *check) portNumber(w workload, name string) string {
	for _, port := range w.container().Ports {
		if port.Name == name {
			return fmt.Sprint(port.ContainerPort)
		}
	}
	return ""
}

// loops is the time that the loops of a process may take to end after its last request.
const loops = 10 * time.Second

// termination requires that a pod has as much time to stop as its process may take.
func (c *check) termination(w workload, flags *pflag.FlagSet) {
	if longest, drain := duration(flags, "request-timeout"), duration(flags, "drain-timeout"); drain < longest {
		c.add(w.String(), "requests may take longer (request-timeout, %s) than they are given at the end "+
			"(drain-timeout, %s)", longest, drain)
	}
	needs := duration(flags, "drain-delay") + duration(flags, "drain-timeout") + loops
	given := time.Duration(0)
	if seconds := w.pod.Spec.TerminationGracePeriodSeconds; seconds != nil {
		given = time.Duration(*seconds) * time.Second
	}
	if given < needs {
		c.add(w.String(), "it is given %s to stop, and takes up to %s (drain-delay, drain-timeout, and 10 s); "+
			"raise terminationGracePeriodSeconds", given, needs)
	}
}

// duration returns a setting that the program has accepted as a duration.
func duration(flags *pflag.FlagSet, name string) time.Duration {
	d, err := time.ParseDuration(flags.Lookup(name).Value.String())
	if err != nil {
		panic("policy: setting " + name + ": " + err.Error())
	}
	return d
}

// peers requires an address for each service that the program calls and for no other, and that it is the one of its
// Service.
func (c *check) peers(w workload, p Program, flags *pflag.FlagSet) {
	given := map[string]string{}
	for _, one := range strings.Split(strings.Trim(flags.Lookup("peer").Value.String(), "[]"), ",") {
		if name, address, ok := strings.Cut(one, "="); ok {
			given[name] = address
		}
	}
	for _, name := range p.Peers {
		address, ok := given[name]
		if !ok {
			c.add(w.String(), "it calls %s, and has no address of it; add it to EXCHANGE_PEER", name)
			continue
		}
		delete(given, name)
		u, err := url.Parse(address)
		if err != nil || u.Hostname() != name {
			c.add(w.String(), "the address of %s is %s; the name of its Service is %[1]s", name, address)
			continue
		}
		if flags.Changed("peer-ca") != (u.Scheme == "https") {
			c.add(w.String(), "the address of %s is %s; it begins with https if EXCHANGE_PEER_CA is set, and else "+
				"with http", name, address)
		}
		for _, s := range c.Services {
			if s.Name == name && !slices.ContainsFunc(s.Spec.Ports, func(port corev1.ServicePort) bool {
				return fmt.Sprint(port.Port) == u.Port()
			}) {
				c.add(w.String(), "the address of %s is %s, and its Service has no port %s", name, address, u.Port())
			}
		}
	}
	for name := range given {
		c.add(w.String(), "it has an address of %s, which it does not call; remove it from EXCHANGE_PEER", name)
	}
}

// callers requires that the names in client certificates which a program accepts are those of the programs that call
// it.
func (c *check) callers(w workload, p Program, flags *pflag.FlagSet) {
	named := flags.Lookup("tls-client-names")
	if !named.Changed {
		return
	}
	var callers []string
	for _, other := range c.programs {
		if slices.Contains(other.Peers, p.Name) {
			callers = append(callers, other.Name)
		}
	}
	slices.Sort(callers)
	given := slices.Sorted(strings.SplitSeq(strings.Trim(named.Value.String(), "[]"), ","))
	if !slices.Equal(given, callers) {
		c.add(w.String(), "EXCHANGE_TLS_CLIENT_NAMES are %v, and its callers are %v", given, callers)
	}
}

// memoryVariable sets the limit of memory that Go's garbage collector aims at.
const memoryVariable = "GOMEMLIMIT"

// memory requires that the aim of the garbage collector is below the memory limit of the container: near it, to use the
// memory, and below it, because the heap is not all of the memory.
func (c *check) memory(w workload) {
	limit := w.container().Resources.Limits[corev1.ResourceMemory]
	for _, variable := range w.container().Env {
		if variable.Name != memoryVariable {
			continue
		}
		aim, err := resource.ParseQuantity(strings.TrimSuffix(variable.Value, "B"))
		if err != nil || aim.Value() < limit.Value()*7/10 || aim.Value() > limit.Value()*9/10 {
			c.add(w.String(), "%s is %s, and the limit of memory %s; set it to 70 to 90 per cent of that",
				memoryVariable, variable.Value, limit.String())
		}
		return
	}
	c.add(w.String(), "its collector does not know the limit of memory; set %s", memoryVariable)
}

// files requires that a Secret is mounted at each file that a setting names, and at the folder of one that the process
// itself writes what it may write to, which is the pod's own.
func (c *check) files(w workload, flags *pflag.FlagSet) {
	mounted := map[string]bool{}
	for _, mount := range w.container().VolumeMounts {
		for _, volume := range w.pod.Spec.Volumes {
			if volume.Name != mount.Name {
				continue
			}
			if volume.EmptyDir != nil && !mount.ReadOnly {
				mounted[mount.MountPath] = true
			}
			if volume.Secret == nil {
				continue
			}
			for _, item := range volume.Secret.Items {
				mounted[path.Join(mount.MountPath, item.Path)] = true
			}
			if !mount.ReadOnly {
				c.add(w.String(), "it mounts a Secret at %s to be written to; set readOnly: true", mount.MountPath)
			}
		}
	}
	flags.VisitAll(func(f *pflag.Flag) {
		file := f.Value.String()
		switch {
		case !f.Changed || !strings.HasPrefix(file, "/") || mounted[file]:
		case f.Name != settings.BookFile:
			c.add(w.String(), "setting %s names the file %s, which no Secret puts there", f.Name, file)
		case !mounted[path.Dir(file)]:
			c.add(w.String(), "setting %s names the file %s, in a folder that it cannot write to", f.Name, file)
		}
	})
}
