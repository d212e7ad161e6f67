package policy

import (
	"io"
	"slices"

	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/deploy/exchange/allinone"
	"insurance.example/exchange/gateway"
	"insurance.example/exchange/pkg/kafka/cluster"
	"insurance.example/exchange/pkg/process/stores"
)

// Program describes a program of the exchange.
type Program struct {
	Name string
	// Peers are the services that it calls.
	Peers []string
	// flags declares its settings.
	flags func() *pflag.FlagSet
}

// service reports whether the program is a service: it has a store.
func (p Program) service() bool { return p.has("store") }

// aggregates reports whether the program takes part in the bordereau traffic, and so needs Kafka.
func (p Program) aggregates() bool {
	return p.has(settings.BordereauPeriod) && p.has(cluster.BrokersSetting)
}

func (p Program) has(setting string) bool {
	return p.flags().Lookup(setting) != nil
}

// Programs returns the services and the gateway, by name.
func Programs() (map[string]Program, error) {
	programs := map[string]Program{}
	for _, s := range allinone.Services() {
		d := s.Definition()
		programs[d.Name] = Program{Name: d.Name, Peers: d.Peers, flags: func() *pflag.FlagSet {
			return s.Definition().Program(stores.Open).Command(nil, io.Discard).PersistentFlags()
		}}
	}
	table, err := routes.Load()
	if err != nil {
		return nil, err
	}
	var upstreams []string
	add := func(service string) {
		if !slices.Contains(upstreams, service) {
			upstreams = append(upstreams, service)
		}
	}
	for _, route := range table.Resources {
		add(route.Service)
	}
	for _, x := range table.Extensions {
		if !x.Optional || slices.Contains(internalapi.Services(), x.Service) {
			add(x.Service)
		}
	}
	programs["gateway"] = Program{Name: "gateway", Peers: upstreams, flags: func() *pflag.FlagSet {
		return gateway.Program().Command(nil, io.Discard).PersistentFlags()
	}}
	return programs, nil
}
