package allinone

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/deploy/exchange/broker"
	"insurance.example/exchange/pkg/service"
)

// BrokerProgram answers the program that runs the embedded broker alone, for services in processes of their own.
func BrokerProgram(banner io.Writer) service.Program {
	var data string
	return service.Program{
		Name: "broker", Summary: "Run the embedded broker, which speaks Kafka's protocol, in a process of its own",
		Flags: func(flags *pflag.FlagSet) { registerData(flags, &data) },
		// Clients are told the address, so it is one that they reach.
		Foreign: settings.All(), Defaults: map[string]string{"addr": "127.0.0.1:9092"},
		Run: func(ctx context.Context, p *service.Process) error {
			b, err := broker.Start(broker.Options{Listen: p.Settings.Listen, DataDir: filepath.Join(data, "broker"), Log: p.Log})
			if err != nil {
				return fmt.Errorf("setting addr or data: %w", err)
			}
			p.OnClose(func() error { b.Close(); return nil })
			if _, err := fmt.Fprintf(banner, "The broker listens on %s; Ctrl-C stops it.\n", b.Addr()); err != nil {
				return err
			}
			<-ctx.Done()
			return nil
		},
	}
}
