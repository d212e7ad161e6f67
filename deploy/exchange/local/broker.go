package local

import (
	"context"
	"fmt"
	"io"
	"net"
	"path/filepath"

	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/deploy/exchange/broker"
	"insurance.example/exchange/pkg/process"
)

// BrokerProgram returns the program that runs only the embedded broker, for services in separate processes.
func BrokerProgram(banner io.Writer) process.Program {
	var data string
	return process.Program{
		Name: "broker", Summary: "Run only the embedded broker, which speaks the protocol of Kafka, for services " +
			"in separate processes",
		Flags: func(flags *pflag.FlagSet) { RegisterData(flags, &data) },
		// Clients are told this address, so they must be able to reach it.
		Foreign: settings.All(), Defaults: map[string]string{"addr": "127.0.0.1:9092"},
		Run: func(ctx context.Context, p *process.Process) error {
			if err := OpenFolder(data); err != nil {
				return fmt.Errorf("setting data: %w", err)
			}
			b, err := broker.Start(broker.Options{Listen: p.Settings.Listen,
				DataDir: filepath.Join(data, "broker"), Log: p.Log})
			if err != nil {
				return fmt.Errorf("setting addr or data: %w", err)
			}
			p.OnClose(func() error { b.Close(); return nil })
			if err := p.ListenAdmin(); err != nil {
				return err
			}
			p.Ready("broker", func(ctx context.Context) error { return dial(ctx, b.Addr()) })
			if _, err := fmt.Fprintf(banner, "The broker listens on %s; Ctrl-C stops it.\n", b.Addr()); err != nil {
				return err
			}
			p.Await(ctx)
			return nil
		},
	}
}

// dial fails if nothing listens at an address.
func dial(ctx context.Context, address string) error {
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return connection.Close()
}
