package allinone

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest"
)

func names(services []process.Definition) []string {
	var all []string
	for _, s := range services {
		all = append(all, s.Name)
	}
	return all
}

func TestServicesStartAfterTheirPeers(t *testing.T) {
	var declared []process.Definition
	for _, s := range slices.Backward(Services()) { // the order of the list must not matter
		declared = append(declared, s.Definition())
	}
	ordered, err := startOrder(declared)
	if err != nil || len(ordered) != len(declared) {
		t.Fatalf("%v, error %v", names(ordered), err)
	}
	for i, s := range ordered {
		for _, peer := range s.Peers {
			if !slices.Contains(names(ordered[:i]), peer) {
				t.Errorf("%s starts before %s, which it calls: %v", s.Name, peer, names(ordered))
			}
		}
	}
}

// TestProcessesAreAsDeclared checks that those who start the exchange as separate processes start what there is, with
// the peers that it has.
func TestProcessesAreAsDeclared(t *testing.T) {
	var declared []process.Definition
	for _, s := range Services() {
		declared = append(declared, s.Definition())
	}
	ordered, err := startOrder(declared)
	if err != nil {
		t.Fatal(err)
	}
	var want []internalapi.Process
	for _, s := range ordered {
		want = append(want, internalapi.Process{Name: s.Name, Calls: s.Peers, Storeless: s.Storeless})
	}
	want = append(want, internalapi.Process{Name: "gateway", Calls: names(ordered), Storeless: true})
	if got := internalapi.Processes(); !reflect.DeepEqual(got, want) {
		t.Errorf("the processes are %v, and %v follows from what the services declare", got, want)
	}
}

func TestServicesThatCannotBeOrdered(t *testing.T) {
	for name, test := range map[string]struct {
		services []process.Definition
		want     []string
	}{
		"circle": {
			[]process.Definition{
				{Name: "parties"}, {Name: "coverage", Peers: []string{"parties", "claims"}},
				{Name: "claims", Peers: []string{"coverage"}},
			},
			[]string{"coverage calls claims", "claims calls coverage"},
		},
		"itself": {[]process.Definition{{Name: "claims", Peers: []string{"claims"}}}, []string{"claims calls claims"}},
		"unknown": {
			[]process.Definition{{Name: "claims", Peers: []string{"billing"}}},
			[]string{"service claims calls billing", "not a service"},
		},
	} {
		_, err := startOrder(test.services)
		for _, want := range test.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q in it", name, err, want)
			}
		}
	}
}

func TestCallersComeBeforeThoseThatTheyCall(t *testing.T) {
	services, err := CallersFirst()
	keeping := slices.DeleteFunc(Services(), func(s rest.Service) bool { return s.Storeless })
	if err != nil || len(services) != len(keeping) {
		t.Fatalf("%d services, error %v", len(services), err)
	}
	for i, s := range services {
		for _, before := range services[:i] {
			if slices.Contains(s.Peers, before.Name) {
				t.Errorf("%s comes before %s, which calls it", before.Name, s.Name)
			}
		}
	}
}
