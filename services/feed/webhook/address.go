package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"
)

// longestURL bounds the URL of a webhook, in characters.
const longestURL = 2000

// reserved are addresses that are not of the public internet, beyond those that package netip knows.
var reserved = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	// Of IPv6: addresses that contain one of IPv4, and those for documentation.
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

// publicIPv6 is the only part of IPv6 that is given to the public internet.
var publicIPv6 = netip.MustParsePrefix("2000::/3")

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// errPrivate is the error of a dial to an address that is not of the public internet.
var errPrivate = errors.New("the address is not of the public internet")

// public returns an error unless an address is of the public internet.
func public(a netip.Addr) error {
	wrong := a.Is4In6() || a.Zone() != "" || a.IsPrivate() || !a.IsGlobalUnicast() ||
		a.Is6() && !publicIPv6.Contains(a)
	for _, p := range reserved {
		wrong = wrong || p.Contains(a)
	}
	if wrong {
		return fmt.Errorf("%w: %s", errPrivate, a)
	}
	return nil
}

// control refuses a connection to an address that is not of the public internet. The dialer calls it with the address
// that it is about to connect to, so that no name can have another one by then.
func control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %w", errPrivate, err)
	}
	return public(to.Addr())
}

// wrongURL returns what is wrong with the URL of a webhook, empty if nothing is. private says that addresses of private
// networks, and http, are allowed.
func wrongURL(text string, private bool) string {
	if text == "" || len(text) > longestURL {
		return fmt.Sprintf("must have 1 to %d characters", longestURL)
	}
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.Hostname() == "" {
		return "must be a URL such as https://example.com/hook"
	}
	if u.Scheme != "https" && (!private || u.Scheme != "http") {
		return "must begin with https://"
	}
	if u.User != nil {
		return "must have no user and no password; receivers verify the signatures"
	}
	if u.Fragment != "" || u.RawFragment != "" || text[len(text)-1] == '#' {
		return "must have no fragment (#)"
	}
	if port := u.Port(); port != "" || u.Host[len(u.Host)-1] == ':' {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "must have a port from 1 to 65535, or none"
		}
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil && !private && public(a) != nil {
		return "must not name a private, loopback, link-local, multicast or reserved address"
	}
	return ""
}
