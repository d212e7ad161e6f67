package reach_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo/address"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/description"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"insurance.example/exchange/deploy/exchange/reach"
	"insurance.example/exchange/pkg/docstore"
)

// TestWhyMongoDBDoesNotRespond has the driver's errors in the words of a person.
func TestWhyMongoDBDoesNotRespond(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	unresolved := &net.OpError{Op: "dial", Err: &net.DNSError{Name: "db-1", Err: "no such host", IsNotFound: true}}
	untrusted := topology.ConnectionError{Wrapped: &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}}
	server := func(host string, kind description.ServerKind, err error) description.Server {
		return description.Server{Addr: address.Address(host), Kind: kind, LastError: err}
	}
	lost := func(servers ...description.Server) error {
		return topology.ServerSelectionError{
			Desc: description.Topology{Servers: servers}, Wrapped: os.ErrDeadlineExceeded,
		}
	}
	const url = "mongodb://user:p%40ss@db-0:27017,db-1/?replicaSet=rs0"
	for want, err := range map[string]error{
		"MongoDB at db-0:27017 does not respond: connection refused": lost(
			server("db-0:27017", description.Unknown, refused)),
		"MongoDB at db-0:27017 does not respond: x509: certificate signed by unknown authority": lost(
			server("db-0:27017", description.Unknown, untrusted)),
		"MongoDB at db-0:27017 does not respond: it closed the connection, as a server does that asks": lost(
			server("db-0:27017", description.Unknown, topology.ConnectionError{Wrapped: io.EOF})),
		"MongoDB at db-0:27017 does not respond: no response in time": lost(
			server("db-0:27017", description.Unknown, nil)),
		"MongoDB at db-0:27017 does not respond: it is there, but not the primary of the replica set": lost(
			server("db-0:27017", description.ServerKindRSSecondary, nil)),
		"MongoDB at db-0:27017, db-1:27017 does not respond: db-0:27017: connection refused; db-1:27017: the name " +
			"db-1 cannot be resolved: no such host": lost(
			server("db-0:27017", description.Unknown, refused), server("db-1:27017", description.Unknown, unresolved)),
		"MongoDB at db-0:27017,db-1 does not respond: no response in time":           os.ErrDeadlineExceeded,
		"MongoDB at db-0:27017,db-1 does not respond: the name db-1 cannot be resol": unresolved,
	} {
		got := reach.Explain(url, fmt.Errorf("%w: %w", docstore.ErrUnavailable, err))
		if !strings.HasPrefix(got.Error(), want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if other := errors.New("other"); !errors.Is(reach.Explain(url, other), other) {
		t.Error("an error of another kind is not what it was")
	}
}
