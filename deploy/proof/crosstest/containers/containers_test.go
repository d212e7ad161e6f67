// Package containers_test runs the whole exchange in containers, each service from its own image, and breaks it.
//
// The images are built before (make test-containers does it). The database and the broker are the images mongo:8 and
// apache/kafka; with CROSSTEST_MONGO=standin they are stand-ins. An engine that does not answer fails the test.
package containers_test

import (
	"bytes"
	"crypto/x509"
	"debug/buildinfo"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ory/dockertest/v3/docker"

	"insurance.example/exchange/deploy/proof/crosstest/acceptance"
	"insurance.example/exchange/deploy/proof/crosstest/load"
	"insurance.example/exchange/pkg/wait"
)

// largestImage is the size in bytes that no image reaches.
const largestImage = 40_000_000

// The lengths of outages. The long one is longer than the patience of any single request or connection.
const (
	longOutage  = time.Minute
	shortOutage = 15 * time.Second
)

func TestExchangeInContainers(t *testing.T) {
	r := &report{began: time.Now()}
	x := startExchange(t)
	r.measure(t, x)
	t.Run("version", x.versions)
	t.Run("contents", x.contents)
	t.Run("conformance", func(t *testing.T) {
		r.conforming = acceptance.Conform(t, x.base, acceptance.Token(t, x.signer, "std.admin"),
			acceptance.Token(t, x.signer, "std.developer"))
	})
	t.Run("stories", func(t *testing.T) { acceptance.TellStories(t, x.base, x.keys) })

	l := load.Start(t, x.base, acceptance.Token(t, x.signer, "std.admin", "std.developer"), 8)
	defer func() { r.write(t, &l.Counts) }()
	for _, name := range x.order {
		t.Run("kill "+name, func(t *testing.T) { r.kill(t, x, l, name) })
	}
	for _, name := range []string{"kafka", "mongo"} {
		t.Run("stop "+name, func(t *testing.T) { r.stop(t, x, l, name) })
	}
	t.Run("pause coverage", func(t *testing.T) { r.pause(t, x, l, "coverage") })
	t.Run("cut off premium", func(t *testing.T) { r.cutOff(t, x, l, "premium") })
	t.Run("roll", func(t *testing.T) { r.roll(t, x, l) })
	l.Stop()
	l.Check(t)
	r.lost, r.doubled = l.Compare(t)
}

// measure notes the sizes of the images and how long the containers took to be ready.
func (r *report) measure(t *testing.T, x *exchange) {
	t.Helper()
	for _, name := range x.order {
		r.startTimes = append(r.startTimes, fmt.Sprintf("%5.1f s  %s", x.parts[name].startTime.Seconds(), name))
	}
	for _, name := range append([]string{"gateway", "local"}, services...) {
		i, err := x.InspectImage(own(name))
		if err != nil {
			t.Fatal(err)
		}
		r.sizes = append(r.sizes, fmt.Sprintf("%5.1f MB %s", float64(i.Size)/1e6, name))
		if i.Size >= largestImage {
			t.Errorf("the image of %s has %d bytes; it must have less than %d", name, i.Size, largestImage)
		}
		if user := i.Config.User; user != "65532:65532" {
			t.Errorf("%s runs as the user %q", name, user)
		}
		for _, label := range []string{"version", "revision", "title", "licenses"} {
			if i.Config.Labels["org.opencontainers.image."+label] == "" {
				t.Errorf("the image of %s has no label %s", name, label)
			}
		}
	}
}

// versions compares the version of a process, and the one in its metrics, with the label of the image.
func (x *exchange) versions(t *testing.T) {
	for _, name := range append([]string{"gateway"}, services...) {
		i, err := x.InspectImage(own(name))
		if err != nil {
			t.Fatal(err)
		}
		version := i.Config.Labels["org.opencontainers.image.version"]
		said, err := x.parts[name].run("/command", "--version")
		if err != nil || !strings.Contains(said, name+" version "+version+" ") {
			t.Errorf("%s says %q, %v; its label is %q", name, said, err, version)
		}
	}
}

// contents looks at the files of each image: a static command with the time zones, what it is made of, and the
// certificates of authorities.
func (x *exchange) contents(t *testing.T) {
	for _, name := range append([]string{"gateway"}, services...) {
		command, err := buildinfo.Read(bytes.NewReader(x.parts[name].file(t, "/command")))
		if err != nil {
			t.Fatal(err)
		}
		built := map[string]string{}
		for _, s := range command.Settings {
			built[s.Key] = s.Value
		}
		if built["CGO_ENABLED"] != "0" || !strings.Contains(built["-tags"], "timetzdata") {
			t.Errorf("%s was built with %v", name, built)
		}
		materials := string(x.parts[name].file(t, "/sbom.cdx.json"))
		for _, module := range command.Deps {
			if !strings.Contains(materials, `"`+module.Path+`"`) {
				t.Errorf("the list of what %s is made of lacks %s", name, module.Path)
			}
		}
		if !x509.NewCertPool().AppendCertsFromPEM(x.parts[name].file(t, "/etc/ssl/certs/ca-certificates.crt")) {
			t.Errorf("%s has no certificates of authorities", name)
		}
	}
}

// kill ends a container as a crash would, and starts it again.
func (r *report) kill(t *testing.T, x *exchange, l *load.Load, name string) {
	defer l.Recovered(t)
	if name == "gateway" {
		l.Entrance.Store(true)
		defer l.Entrance.Store(false)
	}
	c := x.parts[name]
	c.signal(t, docker.SIGKILL)
	c.awaitEnd(t)
	l.GoOn(t, 20)
	x.start(t, c)
	r.kills++
}

// stop ends a container for a minute.
func (r *report) stop(t *testing.T, x *exchange, l *load.Load, name string) {
	defer l.Recovered(t)
	c := x.parts[name]
	began, unavailable := time.Now(), l.Counts.Unavailable.Load()
	c.stop(t)
	<-time.After(longOutage)
	x.start(t, c)
	r.stops++
	r.notes = append(r.notes,
		fmt.Sprintf("%s was away for %.0f s; %d responses 503 meanwhile", name, time.Since(began).Seconds(),
			l.Counts.Unavailable.Load()-unavailable))
}

// pause has a process do nothing for a while, its connections staying as they are.
func (r *report) pause(t *testing.T, x *exchange, l *load.Load, name string) {
	defer l.Recovered(t)
	x.parts[name].signal(t, docker.SIGSTOP)
	<-time.After(shortOutage)
	x.parts[name].signal(t, docker.SIGCONT)
	wait.Until(t, x.parts[name].isReady)
	r.pauses++
}

// cutOff takes a container off the network for a while.
func (r *report) cutOff(t *testing.T, x *exchange, l *load.Load, name string) {
	defer l.Recovered(t)
	x.parts[name].cut(t)
	<-time.After(shortOutage)
	x.parts[name].join(t)
	wait.Until(t, x.parts[name].isReady)
	r.cuts++
}

// roll gives each service a second replica and then restarts each replica of each service, one after the other. Not one
// request fails.
func (r *report) roll(t *testing.T, x *exchange, l *load.Load) {
	var replicas []string
	for _, service := range services {
		second := service + "-2"
		x.start(t, x.addService(t, service, second))
		replicas = append(replicas, service, second)
	}
	l.Strict.Store(true)
	defer l.Strict.Store(false)
	for _, name := range replicas {
		x.parts[name].stop(t)
		x.start(t, x.parts[name])
		r.rolls++
	}
	l.GoOn(t, 100)
	l.Check(t)
	if n := l.Counts.StrictFailures.Load(); n > 0 {
		t.Errorf("%d of %d requests failed", n, l.Counts.StrictRequests.Load())
	}
}
