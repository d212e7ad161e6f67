package peer

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"insurance.example/exchange/pkg/patience"
)

const (
	// resolveEvery is how old the addresses of a name may become before it is resolved again.
	resolveEvery = time.Second
	// resolvePatience bounds one resolution.
	resolvePatience = 2 * time.Second
)

// names holds the addresses that names stand for.
type names struct {
	mu     sync.Mutex
	found  map[string]resolution
	flight singleflight.Group
}

type resolution struct {
	addresses []string
	at        time.Time
}

// candidate is a replica's address, as host:port, and the name by which it was found, which its certificate bears.
type candidate struct{ address, name string }

// candidates returns the replicas; at least one.
func (t *Transport) candidates(ctx context.Context, to *url.URL) []candidate {
	return t.each(to, func(host string) []string { return t.names.addresses(ctx, host) })
}

// refreshed is candidates after the names were resolved again.
func (t *Transport) refreshed(ctx context.Context, to *url.URL) []candidate {
	return t.each(to, func(host string) []string { return t.names.resolve(ctx, host) })
}

// each returns the addresses of all names of the service.
func (t *Transport) each(to *url.URL, resolve func(host string) []string) []candidate {
	var all []candidate
	for _, host := range append([]string{withPort(to)}, t.others...) {
		name, _, err := net.SplitHostPort(host)
		if err != nil {
			name = host
		}
		for _, address := range resolve(host) {
			all = append(all, candidate{address, name})
		}
	}
	return all
}

// withPort returns the host of a URL with its port.
func withPort(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	port := "80"
	if u.Scheme == "https" {
		port = "443"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// addresses returns the addresses of a host:port. Those that were known before are returned while it is resolved again.
func (n *names) addresses(ctx context.Context, host string) []string {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		return []string{host}
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return []string{host}
	}
	n.mu.Lock()
	known, ok := n.found[host]
	n.mu.Unlock()
	switch {
	case !ok:
		return n.resolve(ctx, host)
	case time.Since(known.at) > resolveEvery:
		n.start(ctx, host)
	}
	return known.addresses
}

// resolve resolves a host:port. If that fails, it returns the last known addresses; if there are none, the host itself:
// dialling it returns the error.
func (n *names) resolve(ctx context.Context, host string) []string {
	select {
	case result := <-n.start(ctx, host):
		return result.Val.([]string)
	case <-ctx.Done():
		return []string{host}
	}
}

// start begins to resolve a host:port, once for all callers.
func (n *names) start(ctx context.Context, host string) <-chan singleflight.Result {
	return n.flight.DoChan(host, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience.Times(resolvePatience))
		defer cancel()
		name, port, err := net.SplitHostPort(host)
		var found []string
		if err == nil {
			found, err = net.DefaultResolver.LookupHost(ctx, name)
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		if err != nil || len(found) == 0 {
			if known, ok := n.found[host]; ok {
				n.found[host] = resolution{known.addresses, time.Now()}
				return known.addresses, nil
			}
			return []string{host}, nil
		}
		for i, address := range found {
			found[i] = net.JoinHostPort(address, port)
		}
		if n.found == nil {
			n.found = map[string]resolution{}
		}
		n.found[host] = resolution{found, time.Now()}
		return found, nil
	})
}
