// Package reach says in words for a person why a deployment of MongoDB does not respond.
package reach

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/description"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/process"
)

// Explain returns the error for a deployment of MongoDB that did not respond, in words for a person: its
// addresses, which are without credentials, what is the matter with each, and what to do. It returns other errors as
// they are.
func Explain(url process.StoreURL, err error) error {
	if !errors.Is(err, docstore.ErrUnavailable) || errors.Is(err, context.Canceled) {
		return err
	}
	const advice = "See that it runs and that this machine may reach it; --store or EXCHANGE_STORE says where it " +
		"is, and --mongo-ca whose certificates it has."
	hosts, cause := []string{url.Hosts()}, errors.New(reason(err))
	if selection, is := errors.AsType[topology.ServerSelectionError](err); is && len(selection.Desc.Servers) > 0 {
		hosts = hosts[:0]
		var reasons []string
		for _, server := range selection.Desc.Servers {
			hosts = append(hosts, server.Addr.String())
			reasons = append(reasons, state(server))
		}
		if len(hosts) > 1 {
			for i, host := range hosts {
				reasons[i] = host + ": " + reasons[i]
			}
		}
		cause = errors.New(strings.Join(reasons, "; "))
	}
	return client.Unreachable("MongoDB at "+strings.Join(hosts, ", "), cause, advice)
}

// state returns in a few words why a server was not taken for the primary.
func state(server description.Server) string {
	switch {
	case server.LastError != nil:
		return reason(server.LastError)
	case server.Kind == description.Unknown:
		return noResponse
	default:
		return "it is there, but not the primary of the replica set that the URL names"
	}
}

const noResponse = "no response in time"

// reason returns in a few words why a server did not respond.
func reason(err error) string {
	errno, refused := errors.AsType[syscall.Errno](err)
	lookup, unresolved := errors.AsType[*net.DNSError](err)
	certificate, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	var network net.Error
	switch {
	case unresolved:
		return fmt.Sprintf("the name %s cannot be resolved: %s", lookup.Name, lookup.Err)
	case untrusted:
		return certificate.Err.Error()
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) &&
		network.Timeout():
		return noResponse
	case refused:
		return errno.Error()
	case errors.Is(err, io.EOF):
		return "it closed the connection, as a server does that asks for TLS"
	default:
		return err.Error()
	}
}
