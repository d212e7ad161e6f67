package trial

import (
	"cmp"
	"path/filepath"
	"strings"

	"insurance.example/exchange/contracts/internalapi"
)

// Credential is the shared secret by which the processes of an exchange recognise each other.
const Credential = "a-secret-of-the-tests-alone"

// Composition says what an exchange of separate processes is made of. The zero value is the broker, the services and
// the gateway, each once.
type Composition struct {
	// Settings holds flags of services by their names, such as "premium": {"--refund-receipt-type", "other"}. They take
	// the place of the flags that every process has.
	Settings map[string][]string
	// CredentialFile returns the file of secrets of a process; all have Credential in their environment if it is nil.
	CredentialFile func(process string) string
	// Environ holds variables of all processes, such as EXCHANGE_LOG_LEVEL=debug.
	Environ []string
	// Store is the URL of a MongoDB that the services keep their records in; each has a file if it is empty.
	Store string
	// Volumes hold the certificates that the processes use in place of a credential; nil without TLS.
	Volumes *Volumes
	// Replicas are suffixes of the names of the services and the gateway: each runs once for each suffix, and stops as
	// it does by default. Connections to a service are balanced over its replicas. Without a Store a replica has
	// records of its own, and there is no broker.
	Replicas []string
	// Via returns the URL at which a process reaches another one that it calls, and which listens at a URL; all reach
	// it there if it is nil. See Between.
	Via func(caller, url string) string
}

// RunApart runs the exchange as separate processes: the broker, the services and the gateway. settings are those of a
// Composition.
func (c *Commands) RunApart(data string, settings map[string][]string) (*Exchange, error) {
	return c.RunComposed(data, Composition{Settings: settings})
}

// RunComposed runs an exchange of separate processes. The data of a process is in a file with its name in the folder.
func (c *Commands) RunComposed(data string, of Composition) (*Exchange, error) {
	e, err := c.exchange(data, of.environ())
	if err != nil {
		return nil, err
	}
	e.volumes = of.Volumes
	var bordereau []string
	if len(of.Replicas) == 0 || of.Store != "" {
		brokers, err := e.start("broker", "kafka", "--data", filepath.Join(data, "broker"))
		if err != nil {
			return e, err
		}
		bordereau = []string{"--brokers", brokers, "--bordereau-period", "month", "--session-timeout", "10s"}
	}
	if len(of.Replicas) == 0 {
		of.Replicas = []string{""}
	}
	for _, process := range internalapi.Processes() {
		for _, replica := range of.Replicas {
			name := process.Name + replica
			args, err := e.peers(process, name, of)
			if err != nil {
				return e, err
			}
			args = append(args, of.flags(process.Name, name)...)
			switch process.Name {
			case internalapi.Gateway:
				args = append(args, "--jwt-keys", e.Signer.PublicFile(), "--jwt-issuer", Issuer,
					"--jwt-audience", Audience)
			case "premium":
				args = append(args, bordereau...)
			}
			if !process.Storeless {
				args = append(args, "--store", cmp.Or(of.Store, "sqlite:"+filepath.Join(data, name+".db")))
			}
			if _, err := e.start(name, process.Name, args...); err != nil {
				return e, err
			}
		}
	}
	e.Base = e.URL(internalapi.Gateway + of.Replicas[0])
	return e, nil
}

// environ returns the environment that all processes share.
func (of Composition) environ() []string {
	all := unhurried()
	if len(of.Replicas) == 0 {
		// No other replica takes over from a stopping process, so waiting for its clients is of no use.
		all = append(all, "EXCHANGE_DRAIN_DELAY=0s")
	}
	if of.CredentialFile == nil && of.Volumes == nil {
		all = append(all, "EXCHANGE_CREDENTIAL="+Credential)
	}
	return append(all, of.Environ...)
}

// flags returns the flags of a process that do not depend on others.
func (of Composition) flags(service, process string) []string {
	all := append([]string{"--log-format", "json", "--admin-addr", "127.0.0.1:0"},
		of.Settings[service]...)
	if of.CredentialFile != nil {
		all = append(all, "--credential-file", of.CredentialFile(process))
	}
	if of.Volumes != nil {
		all = append(all, of.Volumes.flags(service, process)...)
	}
	return all
}

// peers returns the flags that give a process with a name the addresses of the services that it calls.
func (e *Exchange) peers(process internalapi.Process, name string, of Composition) (flags []string, err error) {
	for _, called := range process.Calls {
		var ways []way
		url := ""
		for _, replica := range of.Replicas {
			if url = e.URL(called + replica); of.Via != nil {
				url = of.Via(name, url)
			}
			ways = append(ways, way{process: called + replica, address: strings.TrimPrefix(url, e.scheme())})
		}
		if len(ways) > 1 {
			if url, err = e.balance(ways); err != nil {
				return nil, err
			}
		}
		flags = append(flags, "--peer", called+"="+url)
	}
	return flags, nil
}
