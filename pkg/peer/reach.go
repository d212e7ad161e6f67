package peer

import (
	"crypto/tls"
	"fmt"
	"net/url"
)

// Reach returns the URL of a service, such as http://coverage:8080, and a transport to it. addresses holds the URL
// first, and then those of further replicas; of these, only host and port count. It fails if there is no address, if
// one is not of the form http://host:port or https://host:port, or if their schemes differ. secure returns the TLS
// configuration of the next connection; nil means the default of the system.
func Reach(addresses []string, secure func() *tls.Config) (*url.URL, *Transport, error) {
	var first *url.URL
	var others []string
	for _, address := range addresses {
		u, err := parseAddress(address)
		switch {
		case err != nil:
			return nil, nil, err
		case first == nil:
			first = u
		case u.Scheme != first.Scheme:
			return nil, nil, fmt.Errorf("%s and %s differ in their schemes", first, u)
		default:
			others = append(others, withPort(u))
		}
	}
	if first == nil {
		return nil, nil, fmt.Errorf("no address is given")
	}
	return first, newTransport(secure, others), nil
}

// parseAddress parses the base URL of a service.
func parseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || (u.Path != "" && u.Path != "/") {
		return nil, fmt.Errorf("the address %q is not of the form http://host:port", address)
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}
