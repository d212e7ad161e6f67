package trial

import (
	"path/filepath"
	"slices"
)

// Credential is the shared secret by which the processes of an exchange recognise each other.
const Credential = "a-secret-of-the-tests-alone"

// calls are the services that each service calls.
var calls = map[string][]string{
	"coverage": {"parties"},
	"claims":   {"coverage"},
	"premium":  {"coverage", "claims"},
	"gateway":  services,
}

// Composition says what an exchange of separate processes is made of. The zero value is the broker, the five services and the
// gateway, each once.
type Composition struct {
	// Settings holds flags of services by their names, such as "premium": {"--refund-receipt-type", "other"}.
	Settings map[string][]string
	// CredentialFile returns the file of secrets of a process; all have Credential in their environment if it is nil.
	CredentialFile func(process string) string
	// Environ holds variables of all processes, such as EXCHANGE_LOG_LEVEL=debug.
	Environ []string
}

// RunApart runs the exchange as seven processes: the broker, the five services and the gateway. settings are those of a
// Composition.
func (c *Commands) RunApart(data string, settings map[string][]string) (*Exchange, error) {
	return c.RunComposed(data, Composition{Settings: settings})
}

// RunComposed runs an exchange of separate processes.
func (c *Commands) RunComposed(data string, of Composition) (*Exchange, error) {
	// No other replica takes over from a process that stops, so nothing is won by waiting for its clients.
	environ := []string{"EXCHANGE_DRAIN_DELAY=0s"}
	if of.CredentialFile == nil {
		environ = append(environ, "EXCHANGE_CREDENTIAL="+Credential)
	}
	e, err := c.exchange(data, append(environ, of.Environ...))
	if err != nil {
		return nil, err
	}
	brokers, err := e.start("broker", "exchange", "broker", "--data", data, "--admin-addr", "")
	if err != nil {
		return e, err
	}
	for _, name := range services {
		args := append([]string{"--store", "sqlite:" + filepath.Join(data, name+".db"), "--brokers", brokers}, of.flags(name)...)
		if name == "premium" {
			args = append(args, "--bordereau-period", "month", "--session-timeout", "2s")
		}
		if _, err := e.start(name, name, append(args, e.peers(name)...)...); err != nil {
			return e, err
		}
	}
	return e, e.startGateway(append(e.peers("gateway"), of.flags("gateway")...))
}

// flags returns the flags of a process that do not depend on others.
func (of Composition) flags(process string) []string {
	all := slices.Clone(of.Settings[process])
	if of.CredentialFile != nil {
		all = append(all, "--credential-file", of.CredentialFile(process))
	}
	return append(all, common...)
}

// common are the flags that all processes have.
var common = []string{"--log-format", "json", "--admin-addr", "127.0.0.1:0", "--request-timeout", unhurried}

// startGateway starts the gateway in front of services, which are given as its flags.
func (e *Exchange) startGateway(flags []string) error {
	address, err := e.start("gateway", "gateway", append(flags,
		"--jwt-keys", e.Signer.PublicFile(), "--jwt-issuer", Issuer, "--jwt-audience", Audience)...)
	e.Base = "http://" + address
	return err
}

// RunReplicas runs replicas of the service products, named as replicas says, and a gateway that knows them all; the other
// services do not run. A replica has records of its own. Processes stop as they do by default.
func (c *Commands) RunReplicas(data string, replicas ...string) (*Exchange, error) {
	e, err := c.exchange(data, []string{"EXCHANGE_CREDENTIAL=" + Credential})
	if err != nil {
		return nil, err
	}
	var peers []string
	for _, replica := range replicas {
		address, err := e.start(replica, "products", append([]string{"--store", "sqlite:" + filepath.Join(data, replica+".db")}, common...)...)
		if err != nil {
			return e, err
		}
		peers = append(peers, "--peer", "products=http://"+address)
	}
	for _, name := range services {
		if name != "products" {
			peers = append(peers, "--peer", name+"=http://127.0.0.1:1")
		}
	}
	return e, e.startGateway(append(peers, common...))
}

// peers returns the flags that give a process the addresses of the services that it calls.
func (e *Exchange) peers(name string) []string {
	var flags []string
	for _, called := range calls[name] {
		flags = append(flags, "--peer", called+"=http://"+e.parts[called].address)
	}
	return flags
}
